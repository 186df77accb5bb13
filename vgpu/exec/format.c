/* SPDX-License-Identifier: MIT
 *
 * Memory formats: one element to a number and back. All arithmetic is in double, which is exact for every format here.
 */
#include "vgpu/exec/format.h"

#include <math.h>

#include "vgpu/exec/half.h"

#define SMALL_LEAST (-14) /* exponents of the 11- and 10-bit floats */
#define SMALL_GREATEST 15

static double unpack_small(uint32_t bits, int precision)
{
   uint32_t mantissa = bits & ((1u << (precision - 1)) - 1), exponent = bits >> (precision - 1) & 31;
   if (exponent == 31) {
      return mantissa ? NAN : INFINITY;
   }
   return exponent ? ldexp(mantissa + (1u << (precision - 1)), (int)exponent - 15 - (precision - 1))
                   : ldexp(mantissa, SMALL_LEAST - (precision - 1));
}

/* The hardware looks a code up in a table of 12-bit values (applegpu's test of all 256 codes on an M1). */
#define SRGB_STEPS 4095

static double from_srgb(uint8_t code)
{
   double c = code / 255.0, linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
   return nearbyint(linear * SRGB_STEPS) / SRGB_STEPS;
}

static double to_srgb(double c)
{
   return c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

double vgpu_unpack(enum isa_format format, uint32_t word, unsigned component)
{
   static const struct {
      uint8_t at, bits;
   } rgb10a2[4] = {{0, 10}, {10, 10}, {20, 10}, {30, 2}};
   static const uint8_t small_at[3] = {0, 11, 22}, small_precision[3] = {7, 7, 6};

   switch (format) {
   case ISA_FORMAT_U8NORM:
      return (uint8_t)word / 255.0;
   case ISA_FORMAT_S8NORM:
      return fmax((int8_t)word, -127) / 127;
   case ISA_FORMAT_U16NORM:
      return (uint16_t)word / 65535.0;
   case ISA_FORMAT_S16NORM:
      return fmax((int16_t)word, -32767) / 32767;
   case ISA_FORMAT_SRGBA8:
      return component == 3 ? (uint8_t)word / 255.0 : from_srgb((uint8_t)word);
   case ISA_FORMAT_RGB10A2: {
      uint32_t most = (1u << rgb10a2[component].bits) - 1;
      return (double)(word >> rgb10a2[component].at & most) / most;
   }
   case ISA_FORMAT_RG11B10F:
   case ISA_FORMAT_RG11B10F_RTZ:
      return unpack_small(word >> small_at[component] & ((32u << (small_precision[component] - 1)) - 1),
                          small_precision[component]);
   case ISA_FORMAT_RGB9E5:
   case ISA_FORMAT_RGB9E5_RTZ:
      return ldexp(word >> 9 * component & 511, (int)(word >> 27) - 15 - 9);
   default:
      return word;
   }
}

/* To nearest even after clamping; NaN gives 0, in signed formats too. */
static uint32_t pack_norm(double value, double least, double scale)
{
   value = isnan(value) ? 0 : fmin(fmax(value, least), 1);
   return (uint32_t)(int32_t)nearbyint(value * scale);
}

static uint32_t pack_small(double value, int precision, bool toward_zero)
{
   if (value < 0) {
      return 0;
   }
   return vgpu_round_float(value, precision, SMALL_LEAST, SMALL_GREATEST, toward_zero);
}

/* The shared exponent is that of the largest component, after rounding. */
static uint32_t pack_rgb9e5(const double *value, bool toward_zero)
{
   double c[3], largest = 0;
   for (unsigned i = 0; i < 3; i++) {
      c[i] = value[i] > 0 ? fmin(value[i], 511.0 / 512 * 65536) : 0;
      largest = fmax(largest, c[i]);
   }
   int exponent;
   frexp(largest, &exponent); /* largest < 2^exponent */
   exponent = largest > 0 && exponent > -15 ? exponent : -15;
   double (*round)(double) = toward_zero ? floor : nearbyint;
   if (round(ldexp(largest, 9 - exponent)) == 512) {
      exponent++;
   }
   uint32_t word = (uint32_t)(exponent + 15) << 27;
   for (unsigned i = 0; i < 3; i++) {
      word |= (uint32_t)round(ldexp(c[i], 9 - exponent)) << 9 * i;
   }
   return word;
}

uint32_t vgpu_pack(enum isa_format format, const double *value, unsigned component)
{
   switch (format) {
   case ISA_FORMAT_U8NORM:
      return pack_norm(value[0], 0, 255);
   case ISA_FORMAT_S8NORM:
      return pack_norm(value[0], -1, 127);
   case ISA_FORMAT_U16NORM:
      return pack_norm(value[0], 0, 65535);
   case ISA_FORMAT_S16NORM:
      return pack_norm(value[0], -1, 32767);
   case ISA_FORMAT_SRGBA8:
      return pack_norm(component == 3 || !(value[0] > 0) ? value[0] : to_srgb(fmin(value[0], 1)), 0, 255);
   case ISA_FORMAT_RGB10A2:
      return pack_norm(value[0], 0, 1023) | pack_norm(value[1], 0, 1023) << 10 | pack_norm(value[2], 0, 1023) << 20 |
             pack_norm(value[3], 0, 3) << 30;
   case ISA_FORMAT_RG11B10F:
   case ISA_FORMAT_RG11B10F_RTZ: {
      bool toward_zero = format == ISA_FORMAT_RG11B10F_RTZ;
      return pack_small(value[0], 7, toward_zero) | pack_small(value[1], 7, toward_zero) << 11 |
             pack_small(value[2], 6, toward_zero) << 22;
   }
   case ISA_FORMAT_RGB9E5:
   case ISA_FORMAT_RGB9E5_RTZ:
      return pack_rgb9e5(value, format == ISA_FORMAT_RGB9E5_RTZ);
   default:
      return (uint32_t)value[0];
   }
}
