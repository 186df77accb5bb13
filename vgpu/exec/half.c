/* SPDX-License-Identifier: MIT
 *
 * Conversions between f16, f32 and double in integers. The host's rounding and flushing modes have no influence.
 */
#include "vgpu/exec/half.h"

#include <string.h>

static uint64_t double_bits(double value)
{
   uint64_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

uint32_t vgpu_round_float(double value, int precision, int least, int greatest, bool toward_zero)
{
   uint64_t bits = double_bits(value);
   uint32_t infinity = (uint32_t)(greatest - least + 2) << (precision - 1);
   int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
   uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
   if (exponent == 1024) {
      return mantissa ? infinity | 1u << (precision - 2) : infinity;
   }
   if (exponent == -1023) {
      return 0; /* zero, or a double denormal: too small for any format here */
   }
   if (exponent > greatest) {
      return infinity - (toward_zero ? 1 : 0);
   }
   mantissa |= UINT64_C(1) << 52;
   int drop = 53 - precision + (exponent < least ? least - exponent : 0);
   if (drop > 54) {
      return 0;
   }
   uint32_t kept = (uint32_t)(mantissa >> drop);
   uint64_t rest = mantissa & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
   if (!toward_zero && (rest > half || (rest == half && (kept & 1)))) {
      kept++;
   }
   /* A carry out of the mantissa runs into the exponent field, as it should. */
   uint32_t packed = exponent < least ? kept : kept + ((uint32_t)(exponent - least) << (precision - 1));
   return packed >= infinity ? infinity - (toward_zero ? 1 : 0) : packed;
}

uint16_t vgpu_f16_from_double(double value, bool toward_zero)
{
   uint32_t packed = vgpu_round_float(value, 11, -14, 15, toward_zero);
   return (uint16_t)(packed > 0x7c00 ? packed : packed | (uint32_t)(double_bits(value) >> 63) << 15);
}

uint32_t vgpu_f32_from_double(double value)
{
   uint64_t bits = double_bits(value);
   bool tiny = (int)(bits >> 52 & 0x7ff) - 1023 < -126;
   uint32_t packed = tiny ? 0 : vgpu_round_float(value, 24, -126, 127, false);
   return packed > 0x7f800000 ? packed : packed | (uint32_t)(bits >> 63) << 31;
}

double vgpu_f16_to_double(uint16_t half)
{
   int exponent = half >> 10 & 31;
   double mantissa = half & 0x3ff, sign = half >> 15 ? -1 : 1;
   if (exponent == 31) {
      return mantissa != 0 ? __builtin_nan("") : sign * __builtin_inf();
   }
   return sign * (exponent ? __builtin_ldexp(mantissa + 1024, exponent - 25) : __builtin_ldexp(mantissa, -24));
}
