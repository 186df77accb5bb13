/* SPDX-License-Identifier: MIT
 *
 * Single values between f16, f32 and double, with integer arithmetic only: the host's rounding and flushing modes
 * do not matter.
 */
#ifndef VGPU_HALF_H
#define VGPU_HALF_H

#include <stdbool.h>
#include <stdint.h>

/* NaN becomes the canonical one. toward_zero: truncates, overflow gives the largest finite value. */
uint16_t vgpu_f16_from_double(double value, bool toward_zero);
/* To nearest even; tiny results (before rounding) become zero: spec/isa.md 3.2. */
uint32_t vgpu_f32_from_double(double value);
double vgpu_f16_to_double(uint16_t half);

/* |value| rounded to `precision` bits, the leading one included, with exponents least..greatest (below: denormals),
 * packed as IEEE formats are: mantissa, then the exponent field from bit precision - 1. */
uint32_t vgpu_round_float(double value, int precision, int least, int greatest, bool toward_zero);

#endif
