/* SPDX-License-Identifier: MIT
 *
 * Halves and floats as numbers, rounding to them, and conversions. Invariant: the result follows IEEE 754 and does not
 * depend on the host's rounding: a long double holds every value of a long, a ulong and a float exactly.
 */
#include <float.h>
#include <math.h>

#include "fuzz/opencl/number/number.h"

_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every ulong");

struct format {
   int precision; /* bits of the significand, with the leading one */
   int bias;
};

static struct format format_of(uint8_t base)
{
   return base == OCL_HALF ? (struct format){11, 15} : (struct format){24, 127};
}

long double ocl_real_value(uint8_t base, uint64_t bits)
{
   const struct format format = format_of(base);
   const int stored = format.precision - 1;
   const int exponent = (int)(bits >> stored & (uint64_t)(2 * format.bias + 1));
   const uint64_t fraction = bits & ((UINT64_C(1) << stored) - 1);
   long double size;

   if (exponent == 2 * format.bias + 1) {
      size = fraction != 0 ? (long double)NAN : (long double)INFINITY;
   } else if (exponent == 0) {
      size = ldexpl((long double)fraction, 1 - format.bias - stored);
   } else {
      size = ldexpl((long double)(fraction | UINT64_C(1) << stored), exponent - format.bias - stored);
   }
   return bits >> (ocl_bits(base) - 1) & 1 ? -size : size;
}

long double ocl_round(long double value, enum ocl_rounding rounding)
{
   const long double below = floorl(value), part = value - below;
   bool up = false;

   switch (rounding) {
   case OCL_TO_EVEN:
      up = part > 0.5L || (part == 0.5L && fmodl(below, 2) != 0);
      break;
   case OCL_TO_ZERO:
      up = value < 0 && part != 0;
      break;
   case OCL_UP:
      up = part != 0;
      break;
   case OCL_DOWN:
   case OCL_BY_TYPE:
      break;
   }
   return copysignl(up ? below + 1 : below, value);
}

uint64_t ocl_real_round(uint8_t base, long double value, enum ocl_rounding rounding)
{
   const struct format format = format_of(base);
   const int stored = format.precision - 1;
   const uint64_t infinity = (uint64_t)(2 * format.bias + 1) << stored;
   const uint64_t sign = (uint64_t)(signbit(value) != 0) << (ocl_bits(base) - 1);
   int exponent = 0;

   if (isnan(value) || isinf(value)) {
      return sign | infinity | (isnan(value) ? UINT64_C(1) << (stored - 1) : 0);
   }
   if (value == 0) {
      return sign;
   }
   (void)frexpl(value, &exponent);
   exponent = exponent - 1 < 1 - format.bias ? 1 - format.bias : exponent - 1;
   const long double units = ocl_round(ldexpl(value, stored - exponent), rounding);
   /* a significand of 2^precision carries into the exponent */
   const uint64_t significand = (uint64_t)fabsl(units), one = UINT64_C(1) << stored;
   const uint64_t bits =
       significand < one ? significand : ((uint64_t)(exponent + format.bias) << stored) + (significand - one);
   if (bits >= infinity) {
      const bool stays =
          rounding == OCL_TO_ZERO || (rounding == OCL_UP && sign != 0) || (rounding == OCL_DOWN && sign == 0);
      return sign | (stays ? infinity - 1 : infinity);
   }
   return sign | bits;
}

/* Rounds to odd, which keeps lost bits in the last bit: a long double has at least two bits more than a float. */
long double ocl_sum(long double a, long double b)
{
   const long double sum = a + b, part = sum - a;
   const long double lost = (a - (sum - part)) + (b - part);
   int exponent;

   if (isnan(sum) || isinf(sum) || lost == 0) {
      return sum;
   }
   const long double mantissa = ldexpl(frexpl(sum, &exponent), LDBL_MANT_DIG);
   return fmodl(mantissa, 2) != 0 ? sum : nextafterl(sum, lost > 0 ? (long double)INFINITY : -(long double)INFINITY);
}

bool ocl_is_nan(uint8_t base, uint64_t bits)
{
   return ocl_real(base) && isnan(ocl_real_value(base, bits));
}

uint64_t ocl_instead_of_nan(uint8_t base)
{
   return ocl_real_round(base, 1.5L, OCL_TO_EVEN);
}

bool ocl_real_normal(uint8_t base, uint64_t bits)
{
   const struct format format = format_of(base);
   const uint64_t size = bits & (ocl_mask(base) >> 1);
   const uint64_t exponent = size >> (format.precision - 1);

   return size == 0 || (exponent != 0 && exponent != (uint64_t)(2 * format.bias + 1));
}

uint64_t ocl_clamp(uint8_t base, ocl_wide value)
{
   const ocl_wide most = ocl_signed(base) ? (ocl_wide)(ocl_mask(base) >> 1) : (ocl_wide)ocl_mask(base);
   const ocl_wide least = ocl_signed(base) ? -most - 1 : 0;

   return (uint64_t)(value < least ? least : value > most ? most : value) & ocl_mask(base);
}

bool ocl_in_range(uint8_t base, long double value)
{
   const long double most = (long double)(ocl_signed(base) ? ocl_mask(base) >> 1 : ocl_mask(base));

   return value <= most && value >= (ocl_signed(base) ? -most - 1 : 0);
}

uint64_t ocl_convert(uint8_t base, uint8_t from, uint64_t value, enum ocl_rounding rounding, bool saturates)
{
   const ocl_wide integer = ocl_real(from) ? 0 : ocl_integer(from, value);

   if (!ocl_real(from) && !ocl_real(base)) {
      return saturates ? ocl_clamp(base, integer) : (uint64_t)integer & ocl_mask(base);
   }
   const long double number = ocl_real(from) ? ocl_real_value(from, value) : (long double)integer;
   rounding = rounding != OCL_BY_TYPE ? rounding : ocl_real(base) ? OCL_TO_EVEN : OCL_TO_ZERO;
   if (ocl_real(base)) {
      return ocl_real_round(base, number, rounding);
   }
   const long double whole = ocl_round(number, rounding);
   if (isnan(whole)) {
      return 0;
   }
   return ocl_in_range(base, whole) ? (uint64_t)(ocl_wide)whole & ocl_mask(base)
          : whole < 0               ? ocl_clamp(base, (ocl_wide)INT64_MIN - 1)
                                    : ocl_clamp(base, (ocl_wide)UINT64_MAX);
}

uint64_t ocl_atomic(enum ocl_atomic op, uint8_t base, uint64_t old, uint64_t value, uint64_t compare)
{
   const bool less = ocl_integer(base, value) < ocl_integer(base, old);

   switch (op) {
   case OCL_ATOMIC_ADD:
      return (old + value) & ocl_mask(base);
   case OCL_ATOMIC_SUB:
      return (old - value) & ocl_mask(base);
   case OCL_ATOMIC_MIN:
      return less ? value : old;
   case OCL_ATOMIC_MAX:
      return less ? old : value;
   case OCL_ATOMIC_AND:
      return old & value;
   case OCL_ATOMIC_OR:
      return old | value;
   case OCL_ATOMIC_XOR:
      return old ^ value;
   case OCL_ATOMIC_XCHG:
      return value;
   case OCL_ATOMIC_INC:
      return (old + 1) & ocl_mask(base);
   case OCL_ATOMIC_DEC:
      return (old - 1) & ocl_mask(base);
   default:
      return old == compare ? value : old;
   }
}
