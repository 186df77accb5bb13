/* SPDX-License-Identifier: MIT
 *
 * The operations that programs are made of: those of NIR that Mesa's AGX compiler takes from a front end.
 */
#ifndef COMPILER_FUZZ_OPS_H
#define COMPILER_FUZZ_OPS_H

#include "compiler/nir/nir.h"

/* How many random programs may use, and one of them. Ops that this Mesa does not have are left out. */
unsigned fuzz_op_count(void);
nir_op fuzz_op(unsigned index);
/* Whether a program may have it. */
bool fuzz_op_allowed(nir_op op);
/* Widths that an op's sources and result share where the op leaves them open, in bit mask form: 8 | 16 | 32 | 64 and
 * 1. */
unsigned fuzz_op_widths(nir_op op);
bool fuzz_op_takes_width(nir_op op, unsigned open); /* 0: the op leaves none open */
/* Its result is an approximation: no random program has it, patterns of rules do. */
bool fuzz_op_inexact(nir_op op);
/* The width of a source or of the result (source -1), where `open` is the width that the op leaves open. */
unsigned fuzz_op_bits(nir_op op, int source, unsigned open);
unsigned fuzz_op_components(nir_op op, int source);
/* Source that must be a constant, and below which bound. False: none. */
bool fuzz_op_constant_source(nir_op op, unsigned source, unsigned bits, uint64_t *bound);

/* Of a source that counts bits: a number that all counts in range are below, also where a place and a size are added.
 * 0: it is none. */
uint64_t fuzz_op_count_bound(nir_op op, unsigned source, unsigned bits);

#endif
