/* SPDX-License-Identifier: MIT
 *
 * For which operands an op's result is determined.
 */
#ifndef COMPILER_FUZZ_DEFINED_H
#define COMPILER_FUZZ_DEFINED_H

#include "compiler/nir/nir.h"

#include "fuzz/nir/program.h"

/* One component of one lane. bits: of the sources. False: NIR leaves the result open, or evaluating it would trap. */
bool fuzz_defined(nir_op op, const nir_const_value *const *sources, const unsigned *bits, unsigned result_bits);
/* Of an approximation: whether every device's result is close. Reciprocals and logarithms get out of range elsewhere,
 * so that no result can be presumed, and neither can that of an op that is not exact and reads an infinity or a NaN.
 * Where the compiler makes such an op of one whose result is known, the right value counts: FUZZ_DERIVED. True for
 * other ops. */
bool fuzz_close(nir_op op, bool exact, const nir_const_value *const *sources, const unsigned *bits);
/* The certainty of a result: that of its sources, and what the op makes of it. */
enum fuzz_certainty fuzz_certainty_of(nir_op op, bool exact, enum fuzz_certainty sources, const nir_const_value *result,
                                      unsigned result_bits);

#endif
