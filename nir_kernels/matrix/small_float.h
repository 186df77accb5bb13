/* SPDX-License-Identifier: MIT
 *
 * Formats without instructions of their own: 8-bit floats (OCP 8-bit Floating Point Specification 1.0) and bfloat16.
 */
#ifndef NIR_KERNELS_MATRIX_SMALL_FLOAT_H
#define NIR_KERNELS_MATRIX_SMALL_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum small_format { SMALL_E4M3, SMALL_E5M2, SMALL_BF16, SMALL_FORMATS };

/* The value of a code by the format's definition: sign, exponent field, fraction. */
double small_value(enum small_format format, uint16_t code);
/* The code nearest to a value, ties to the even code, found by search. Beyond the largest finite value: the 8-bit
 * formats saturate, infinities too; bfloat16 becomes infinite. NaN: the largest code of the sign. */
uint16_t small_code(enum small_format format, double value);

#endif
