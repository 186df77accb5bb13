/* SPDX-License-Identifier: MIT
 *
 * Compares the contents of a buffer with what its test expects.
 */
#ifndef PIGLIT_COMPARE_H
#define PIGLIT_COMPARE_H

#include "agx_runner/piglit/format/program_test.h"

/* Whether `value` is accepted for `expected`. */
bool piglit_value_matches(enum piglit_scalar scalar, union piglit_value expected, union piglit_value value,
                          struct piglit_tolerance tolerance);

/* `got` has expected->size bytes. Returns false with a description of the first difference: the element, its expected
 * value, its value. The fourth component of vectors of three is ignored. */
bool piglit_compare(const struct piglit_argument *expected, const void *got, char *message, size_t message_size);

#endif
