/* SPDX-License-Identifier: MIT
 *
 * Reference conversions. Invariant: none uses the bit arithmetic of the kernels: a value comes from the definition, and
 * a code from a search among values.
 */
#include "nir_kernels/matrix/small_float.h"

#include <math.h>

static const struct {
   unsigned exponent_bits, fraction_bits;
   int bias;
   bool infinities; /* the largest exponent field is for infinities and NaN; else only its largest fraction is NaN */
   bool saturates;
   uint16_t largest; /* finite code */
} formats[SMALL_FORMATS] = {
    [SMALL_E4M3] = {4, 3, 7, false, true, 0x7e},
    [SMALL_E5M2] = {5, 2, 15, true, true, 0x7b},
    [SMALL_BF16] = {8, 7, 127, true, false, 0x7f7f},
};

static unsigned sign_bit(enum small_format format)
{
   return 1u << (formats[format].exponent_bits + formats[format].fraction_bits);
}

double small_value(enum small_format format, uint16_t code)
{
   const unsigned fractions = 1u << formats[format].fraction_bits, fields = 1u << formats[format].exponent_bits;
   const unsigned fraction = code % fractions, field = code / fractions % fields;
   const double sign = code & sign_bit(format) ? -1 : 1;

   if (field == fields - 1 && (formats[format].infinities || fraction == fractions - 1)) {
      return formats[format].infinities && fraction == 0 ? sign * INFINITY : NAN;
   }
   const double significand = (field > 0) + (double)fraction / fractions;
   return sign * ldexp(significand, (field > 0 ? (int)field : 1) - formats[format].bias);
}

uint16_t small_code(enum small_format format, double value)
{
   const unsigned sign = signbit(value) ? sign_bit(format) : 0, largest = formats[format].largest;
   const double magnitude = fabs(value);
   unsigned below = 0, above = largest;

   if (isnan(value)) {
      return (uint16_t)(sign | (sign_bit(format) - 1));
   }
   if (magnitude >= small_value(format, (uint16_t)largest)) {
      const double step = small_value(format, (uint16_t)largest) - small_value(format, (uint16_t)(largest - 1));
      const bool over = magnitude >= small_value(format, (uint16_t)largest) + step / 2;

      return (uint16_t)(sign | (over && !formats[format].saturates ? largest + 1 : largest));
   }
   /* Values grow with their codes, so a search finds the last code whose value is not above `magnitude`. */
   while (above - below > 1) {
      const unsigned middle = (below + above) / 2;

      *(small_value(format, (uint16_t)middle) <= magnitude ? &below : &above) = middle;
   }
   const double down = magnitude - small_value(format, (uint16_t)below),
                up = small_value(format, (uint16_t)above) - magnitude;
   return (uint16_t)(sign | (down < up || (down == up && below % 2 == 0) ? below : above));
}
