/* SPDX-License-Identifier: MIT
 *
 * OpenCL's conversions as the interpreter sees them before Mesa lowers them: to integers and floats, with saturation
 * and a rounding mode. Invariant: no result depends on the host's rounding mode, except for rint() and fma(), which
 * run in the default mode.
 */
#include <float.h>
#include <math.h>

#include "fuzz/nir/interpreter.h"

_Static_assert(LDBL_MANT_DIG >= 64, "a long double holds every ulong");

/* Returns the exact value to convert. */
static long double number_of(nir_const_value value, const nir_intrinsic_instr *intr)
{
   const unsigned bits = intr->src[0].ssa->bit_size;

   switch (nir_alu_type_get_base_type(nir_intrinsic_src_type(intr))) {
   case nir_type_float:
      return (long double)nir_const_value_as_float(value, bits);
   case nir_type_int:
      return (long double)nir_const_value_as_int(value, bits);
   default:
      return (long double)nir_const_value_as_uint(value, bits);
   }
}

/* Rounds a number to an integer by the rounding mode; without one to the nearest, ties to even. */
static long double round_number(long double value, nir_rounding_mode mode)
{
   switch (mode) {
   case nir_rounding_mode_rtz:
      return truncl(value);
   case nir_rounding_mode_ru:
      return ceill(value);
   case nir_rounding_mode_rd:
      return floorl(value);
   default:
      return rintl(value); /* the host is in its default mode */
   }
}

/* Returns the bits of the half or float to which a number is rounded. */
static uint64_t to_float(long double value, const nir_intrinsic_instr *intr, unsigned bits)
{
   const int stored = bits == 16 ? 10 : 23, least = bits == 16 ? -14 : -126;
   const uint64_t sign = (uint64_t)(signbit(value) != 0) << (bits - 1);
   const uint64_t infinity = ((UINT64_C(1) << ((int)bits - 1 - stored)) - 1) << stored;
   const nir_rounding_mode mode = nir_intrinsic_rounding_mode(intr);
   int exponent = 0;

   if (isnan(value)) {
      return infinity | UINT64_C(1) << (stored - 1);
   }
   if (isinf(value) || value == 0) {
      return sign | (value == 0 ? 0 : infinity);
   }
   (void)frexpl(value, &exponent);
   exponent = MAX2(exponent - 1, least);
   /* In units of the last place. 2^(stored + 1) carries into the exponent; without the leading bit the number is
    * denormal. */
   const uint64_t units = (uint64_t)fabsl(round_number(ldexpl(value, stored - exponent), mode));
   const uint64_t result = ((uint64_t)((int64_t)exponent - least) << stored) + units;
   const bool finite = mode == nir_rounding_mode_rtz || (mode == nir_rounding_mode_ru && sign != 0) ||
                       (mode == nir_rounding_mode_rd && sign == 0);
   return sign | (result < infinity ? result : finite ? infinity - 1 : infinity);
}

/* Converts a float to an integer as OpenCL C defines it. Returns false if it is out of range and not saturated. */
static bool float_to_int(double value, const nir_intrinsic_instr *intr, bool is_signed, unsigned bits, uint64_t *result)
{
   const double most = ldexp(1, (int)bits - (is_signed ? 1 : 0)), least = is_signed ? -most : 0;
   const nir_rounding_mode mode = nir_intrinsic_rounding_mode(intr);
   const double rounded =
       (double)round_number((long double)value, mode == nir_rounding_mode_undef ? nir_rounding_mode_rtz : mode);

   const bool fits = rounded >= least && rounded < most;
   if (isnan(value)) {
      *result = 0;
   } else if (rounded >= most) {
      *result = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
   } else if (rounded < least) {
      *result = is_signed ? UINT64_C(1) << (bits - 1) : 0;
   } else {
      *result = rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
   }
   return fits || nir_intrinsic_saturate(intr);
}

static uint64_t int_to_int(nir_const_value value, const nir_intrinsic_instr *intr, bool is_signed, unsigned bits)
{
   const unsigned from_bits = intr->src[0].ssa->bit_size;
   const bool from_signed = nir_alu_type_get_base_type(nir_intrinsic_src_type(intr)) == nir_type_int;
   const uint64_t most = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
   const int64_t number = nir_const_value_as_int(value, from_bits);
   const uint64_t result = from_signed ? (uint64_t)number : nir_const_value_as_uint(value, from_bits);

   if (nir_intrinsic_saturate(intr) && from_signed && number < 0) {
      return (uint64_t)(is_signed ? MAX2(number, -(int64_t)most - 1) : 0);
   }
   return nir_intrinsic_saturate(intr) ? MIN2(result, most) : result;
}

void fuzz_convert(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   struct lanes *lanes = fuzz_define(run, &intr->def);
   const unsigned bits = intr->def.bit_size, components = intr->def.num_components;
   const nir_alu_type to = nir_alu_type_get_base_type(nir_intrinsic_dest_type(intr));
   const bool from_float = nir_alu_type_get_base_type(nir_intrinsic_src_type(intr)) == nir_type_float;
   const bool is_signed = to == nir_type_int;

   if (to == nir_type_float && bits > 32) {
      fuzz_fail(run, "a conversion to double");
   }
   FOREACH_LANE(lane, mask)
   {
      for (unsigned i = 0; i < components; i++) {
         const nir_const_value value = fuzz_lane_value(run, intr->src[0], lane)[i];
         bool defined = true;
         uint64_t result = 0;
         if (to == nir_type_float) {
            result = to_float(number_of(value, intr), intr, bits);
         } else if (from_float) {
            defined = float_to_int(nir_const_value_as_float(value, intr->src[0].ssa->bit_size), intr, is_signed, bits,
                                   &result);
         } else {
            result = int_to_int(value, intr, is_signed, bits);
         }
         lanes->values[lane * components + i] =
             nir_const_value_for_raw_uint(bits == 64 ? result : result & ((UINT64_C(1) << bits) - 1), bits);
         lanes->certainty[lane * components + i] =
             defined ? fuzz_lanes(run, intr->src[0])->certainty[lane * components + i] : (uint8_t)FUZZ_UNDEFINED;
      }
   }
}
