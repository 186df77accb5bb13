/* SPDX-License-Identifier: MIT
 *
 * Random choices of the generator: types and numbers. Invariant: a float is never denormal, and NaN occurs in some
 * kernels only.
 */
#include <math.h>

#include "fuzz/opencl/generate/generator.h"
#include "util/array.h"

static const uint8_t widths[] = {1, 2, 3, 4, 8, 16};

uint32_t ocl_below(struct ocl_generator *generator, uint32_t bound)
{
   return util_random_below(&generator->random, bound);
}

bool ocl_chance(struct ocl_generator *generator, uint32_t percent)
{
   return util_random_chance(&generator->random, percent);
}

uint64_t ocl_any_number(struct ocl_generator *generator, uint8_t base)
{
   const uint64_t bits = util_random_next(&generator->random), mask = ocl_mask(base);
   const unsigned shift = ocl_below(generator, ocl_bits(base));

   switch (ocl_below(generator, 10)) {
   case 0:
      return bits % 3;
   case 1:
      return -(bits % 4) & mask;
   case 2: /* the largest or the smallest */
      return ((mask >> 1) + bits % 3) & mask;
   case 3:
      return (UINT64_C(1) << shift) & mask;
   case 4:
      return ((UINT64_C(1) << shift) - 1 + bits % 2) & mask;
   case 5:
      return (-(UINT64_C(1) << shift)) & mask;
   case 6:
      return (ocl_bits(base) - 2 + bits % 5) & mask; /* shift counts around the width */
   case 7:
      return bits % 256 & mask;
   default:
      return bits & mask;
   }
}

/* Returns numbers that expose faults of comparisons and limits. NaN is quiet, because results for signalling ones are
 * not determined. */
static uint64_t special_real(struct ocl_generator *generator, uint8_t base)
{
   static const uint32_t floats[] = {0x7fc00000, 0xffc12345, 0x7f800000, 0xff800000, 0x80000000, 0x7f7fffff,
                                     0xff7fffff, 0x00800000, 0x477fe000, 0xc77fe000, 0x477ff000, 0x7fc00000};
   static const uint16_t halves[] = {0x7e00, 0xfe12, 0x7c00, 0xfc00, 0x8000, 0x7bff,
                                     0xfbff, 0x0400, 0x6800, 0xe801, 0x77ff, 0x7e00};
   const uint32_t which = ocl_below(generator, ARRAY_COUNT(floats));

   return base == OCL_HALF ? halves[which] : floats[which];
}

/* Returns a float with all mantissa bits, whose size is such that sums of two of them are rounded. */
static uint64_t long_real(struct ocl_generator *generator, uint8_t base)
{
   const uint64_t bits = util_random_next(&generator->random);
   const int exponent = (int)ocl_below(generator, base == OCL_HALF ? 13 : 31) - (base == OCL_HALF ? 4 : 15);
   const long double value = ldexpl(1 + (long double)(bits & 0xffffff) / 0x1000000, exponent);

   return ocl_real_round(base, bits >> 63 ? -value : value, OCL_TO_EVEN);
}

/* Returns numbers that expose faults of conversions and rounding. */
static uint64_t any_real(struct ocl_generator *generator, uint8_t base)
{
   static const float limits[] = {0.5f,           1.5f,     2.5f,           127.5f,   128.0f,         255.5f,
                                  256.0f,         32767.5f, 32768.0f,       65504.0f, 65535.5f,       65536.0f,
                                  0x1.fffffep23f, 0x1p24f,  0x1.fffffep30f, 0x1p31f,  0x1.fffffep31f, 0x1p32f,
                                  0x1.fffffep62f, 0x1p63f,  0x1.fffffep63f, 0x1p64f};

   if (generator->nans && ocl_chance(generator, 40)) {
      return special_real(generator, base);
   }
   if ((generator->program->rounded || generator->converting) && ocl_chance(generator, 40)) {
      return long_real(generator, base);
   }
   const uint32_t bits = (uint32_t)util_random_next(&generator->random);
   const unsigned what = ocl_below(generator, 8);
   long double value = (int32_t)(bits % 33) - 16;

   if (what < 3) {
      value = limits[bits % ARRAY_COUNT(limits)] * (what == 0 ? -1.0L : 1.0L);
   } else if (what == 3) {
      value = (long double)((int32_t)bits >> bits % 31);
   } else if (what == 4) {
      value = ((int32_t)bits >> 20) / 16.0L;
   } else if (what == 5 && bits % 4 == 0) {
      value = bits % 8 == 0 ? -0.0L : 1e30L;
   } else if (what == 6) { /* of any size, and often the largest, whose reciprocal is a denormal */
      const int most = base == OCL_HALF ? 15 : 127;
      const int exponent = bits % 2 == 0 ? most - (int)(bits >> 1 & 3) : (int)(bits >> 1 & 0xff) % (most + 11) - 10;
      value = ldexpl((1 + (long double)(bits >> 9 & 0x3ff) / 1024) * (bits >> 19 & 1 ? -1 : 1), exponent);
   }
   const uint64_t real = ocl_real_round(base, value, OCL_TO_EVEN);
   return ocl_real_normal(base, real) || bits % 16 == 0 ? real : ocl_real_round(base, 1, OCL_TO_EVEN);
}

uint64_t ocl_any_value(struct ocl_generator *generator, uint8_t base)
{
   return ocl_real(base) ? any_real(generator, base) : ocl_any_number(generator, base);
}

uint8_t ocl_any_integer(struct ocl_generator *generator)
{
   return (uint8_t)ocl_below(generator, OCL_INTEGERS);
}

struct ocl_type ocl_any_type(struct ocl_generator *generator)
{
   struct ocl_type type = {.base = ocl_any_integer(generator), .width = 1};

   if (generator->reals && ocl_chance(generator, generator->nans || generator->converting ? 55 : 30)) {
      type.base = generator->halves && ocl_chance(generator, 40) ? OCL_HALF : OCL_FLOAT;
   }
   if (ocl_chance(generator, 35)) {
      type.width = widths[1 + ocl_below(generator, ocl_chance(generator, 80) ? 3 : 5)];
   }
   return type;
}

/* For a variable that all lanes exchange: integers, so that bits are compared. */
struct ocl_type ocl_any_integer_type(struct ocl_generator *generator)
{
   struct ocl_type type = ocl_any_type(generator);

   type.base = ocl_real(type.base) ? ocl_any_integer(generator) : type.base;
   return type;
}

uint8_t ocl_any_width(struct ocl_generator *generator)
{
   return widths[ocl_below(generator, 6)];
}
