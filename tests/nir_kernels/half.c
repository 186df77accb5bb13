/* SPDX-License-Identifier: MIT
 *
 * Half precision against a search among all its numbers.
 */
#include "nir_kernels/half.h"

#include <math.h>
#include <stdlib.h>

#include "util/random.h"
#include "tests/check.h"

#define FINITE 0x7c00u /* positive numbers 0..0x7bff, in order */

/* What the bits mean, in the format's own words: (-1)^s 2^(e-15) 1.m. */
static double meaning(unsigned bits)
{
   const unsigned exponent = bits >> 10 & 31, mantissa = bits & 1023;
   const double magnitude = exponent == 0 ? mantissa * 0x1p-24 : (1 + mantissa / 1024.0) * pow(2, (int)exponent - 15);

   return bits & 0x8000 ? -magnitude : magnitude;
}

/* The nearest positive number, of two equally near the even one; beyond the last one's half step: infinity. */
static unsigned nearest(double value)
{
   unsigned low = 0, high = FINITE;

   while (high - low > 1) {
      const unsigned middle = (low + high) / 2;

      if (meaning(middle) <= value) {
         low = middle;
      } else {
         high = middle;
      }
   }
   const double below = value - meaning(low), above = (high == FINITE ? 65536.0 : meaning(high)) - value;
   return below < above ? low : above < below ? high : low % 2 == 0 ? low : high;
}

int main(void)
{
   struct util_random random = {7};

   for (unsigned bits = 0; bits < 0x10000; bits++) {
      if ((bits & 0x7c00) != 0x7c00) {
         CHECK(bench_half_value((uint16_t)bits) == meaning(bits), "0x%04x", bits);
         CHECK(bench_half(meaning(bits)) == bits, "0x%04x", bits);
      }
   }
   for (unsigned i = 0; i < 200000; i++) {
      const double value = ldexp(1 + util_random_unit(&random), (int)util_random_below(&random, 44) - 27);

      CHECK(bench_half(value) == nearest(value), "%a: 0x%04x, not 0x%04x", value, bench_half(value), nearest(value));
      CHECK(bench_half(-value) == (nearest(value) | 0x8000), "%a", -value);
   }
   for (unsigned bits = 0; bits + 1 < FINITE; bits++) {
      const double tie = (meaning(bits) + meaning(bits + 1)) / 2;

      CHECK(bench_half(tie) == nearest(tie), "tie above 0x%04x", bits);
   }
   CHECK(bench_half(INFINITY) == 0x7c00 && bench_half(-1e9) == 0xfc00, "infinity");
   CHECK(isnan(bench_half_value(bench_half(NAN))), "NaN");
   return check_result();
}
