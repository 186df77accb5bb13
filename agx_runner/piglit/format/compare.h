/* SPDX-License-Identifier: MIT
 *
 * What a kernel left in a buffer against what its test expects there.
 */
#ifndef PIGLIT_COMPARE_H
#define PIGLIT_COMPARE_H

#include "agx_runner/piglit/format/program_test.h"

/* Whether `value` will do for `expected`. */
bool piglit_value_matches(enum piglit_scalar scalar, union piglit_value expected, union piglit_value value,
                          struct piglit_tolerance tolerance);

/* `got` has expected->size bytes. False with the first difference in words: which element, what it should be, what it
 * is. The fourth component of vectors of three is not looked at. */
bool piglit_compare(const struct piglit_argument *expected, const void *got, char *message, size_t message_size);

#endif
