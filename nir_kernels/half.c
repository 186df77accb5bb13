/* SPDX-License-Identifier: MIT
 *
 * On the bits of a double, for speed: reference answers on hardware take hundreds of millions of roundings.
 */
#include "nir_kernels/half.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MANTISSA_BITS 10
#define EXPONENT_MIN (-14)
#define EXPONENT_MAX 15
#define INFINITE 0x7c00u
#define NOT_A_NUMBER 0x7e00u
#define DOUBLE_MANTISSA_BITS 52
#define DOUBLE_BIAS 1023
#define DOUBLE_SPECIAL 0x7ff

uint16_t bench_half(double value)
{
   uint64_t bits;

   memcpy(&bits, &value, sizeof(bits));
   const uint64_t mantissa = bits & ((UINT64_C(1) << DOUBLE_MANTISSA_BITS) - 1);
   const int field = (int)(bits >> DOUBLE_MANTISSA_BITS & DOUBLE_SPECIAL);
   const int exponent = field - DOUBLE_BIAS;
   const unsigned sign = (unsigned)(bits >> 63) << 15;

   if (field == DOUBLE_SPECIAL && mantissa != 0) {
      return (uint16_t)(sign | NOT_A_NUMBER);
   }
   if (exponent > EXPONENT_MAX) {
      return (uint16_t)(sign | INFINITE);
   }
   if (exponent < EXPONENT_MIN - MANTISSA_BITS - 1) {
      return (uint16_t)sign; /* less than half of the least number */
   }
   /* Below the least exponent numbers have fewer digits. */
   const int scale = exponent < EXPONENT_MIN ? EXPONENT_MIN : exponent;
   const int dropped = DOUBLE_MANTISSA_BITS - MANTISSA_BITS + scale - exponent;
   const uint64_t significand = mantissa | UINT64_C(1) << DOUBLE_MANTISSA_BITS;
   const uint64_t rest = significand & ((UINT64_C(1) << dropped) - 1), tie = UINT64_C(1) << (dropped - 1);
   const unsigned units = (unsigned)(significand >> dropped);
   const bool up = rest > tie || (rest == tie && units % 2 == 1);

   /* The leading digit and a carry run into the exponent, as they should: up to infinity. */
   return (uint16_t)(sign | (((unsigned)(scale - EXPONENT_MIN) << MANTISSA_BITS) + units + up));
}

double bench_half_value(uint16_t half)
{
   const unsigned mantissa = half & ((1u << MANTISSA_BITS) - 1), field = half >> MANTISSA_BITS & 0x1f;
   double magnitude;

   if (field == 0x1f) {
      magnitude = mantissa != 0 ? NAN : INFINITY;
   } else if (field == 0) {
      magnitude = mantissa * 0x1p-24;
   } else {
      const uint64_t bits = (uint64_t)((int)field + EXPONENT_MIN - 1 + DOUBLE_BIAS) << DOUBLE_MANTISSA_BITS |
                            (uint64_t)mantissa << (DOUBLE_MANTISSA_BITS - MANTISSA_BITS);
      memcpy(&magnitude, &bits, sizeof(magnitude));
   }
   return half & 0x8000u ? -magnitude : magnitude;
}
