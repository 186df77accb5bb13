/* SPDX-License-Identifier: MIT
 *
 * The operands for which an op's result is determined.
 */
#ifndef COMPILER_FUZZ_DEFINED_H
#define COMPILER_FUZZ_DEFINED_H

#include "compiler/nir/nir.h"

#include "fuzz/nir/program.h"

/* For one component of one lane. bits: of the sources. Returns false if NIR leaves the result open, or if evaluating it
 * would trap. */
bool fuzz_defined(nir_op op, const nir_const_value *const *sources, const unsigned *bits, unsigned result_bits);
/* For an approximation: whether every device's result is close. Outside the range of numbers for which reciprocals and
 * logarithms are close, no result can be assumed, and neither can that of an inexact op that reads an infinity or a
 * NaN. If the compiler makes such an op from one with a known result, the right value counts: FUZZ_DERIVED. Returns
 * true for other ops. */
bool fuzz_close(nir_op op, bool exact, const nir_const_value *const *sources, const unsigned *bits);
/* Returns the certainty of a result, from that of its sources and the op. */
enum fuzz_certainty fuzz_certainty_of(nir_op op, bool exact, enum fuzz_certainty sources, const nir_const_value *result,
                                      unsigned result_bits);

#endif
