/* SPDX-License-Identifier: MIT
 *
 * The operations of programs: those of NIR that Mesa's AGX compiler accepts from a front end.
 */
#ifndef COMPILER_FUZZ_OPS_H
#define COMPILER_FUZZ_OPS_H

#include "compiler/nir/nir.h"

/* Return how many ops random programs may use, and one of them. Ops that this Mesa lacks are left out. */
unsigned fuzz_op_count(void);
nir_op fuzz_op(unsigned index);
/* Whether a program may contain it. */
bool fuzz_op_allowed(nir_op op);
/* Returns the widths that an op's sources and result share if the op leaves them open, as a bit mask: 8 | 16 | 32 | 64
 * and 1. */
unsigned fuzz_op_widths(nir_op op);
bool fuzz_op_takes_width(nir_op op, unsigned open); /* 0: the op leaves none open */
/* Whether its result is an approximation: random programs do not contain such ops, but patterns of rules do. */
bool fuzz_op_inexact(nir_op op);
/* Returns how many first operands it moves or selects bits of, without looking at them. */
unsigned fuzz_op_moves(nir_op op);
/* Whether its result consists of unchanged bits of its operands, or extends one. */
bool fuzz_op_unchanged(nir_op op);
/* Returns the width of a source or of the result (source -1), where `open` is the width that the op leaves open. */
unsigned fuzz_op_bits(nir_op op, int source, unsigned open);
unsigned fuzz_op_components(nir_op op, int source);
bool fuzz_op_reads_float(nir_op op, unsigned source);
/* Whether the source must be a constant, and the bound below which it must be. */
bool fuzz_op_constant_source(nir_op op, unsigned source, unsigned bits, uint64_t *bound);

/* For a source that is a bit count: returns a bound for all counts in range, even for an op that adds a position and a
 * size. 0: it is no bit count. */
uint64_t fuzz_op_count_bound(nir_op op, unsigned source, unsigned bits);

#endif
