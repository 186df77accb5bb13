/* SPDX-License-Identifier: MIT
 *
 * OpenCL's conversions as the interpreter sees them before Mesa lowers them: to integers and floats, with saturation
 * and a rounding mode. Invariant: a number that is out of range and not saturated is undetermined.
 */
#include "util/u_math.h"

#include "fuzz/nir/interpreter.h"
#include "fuzz/opencl/number/number.h"

static uint8_t base_of(struct interpreter *run, nir_alu_type type, unsigned bits)
{
   const nir_alu_type base = nir_alu_type_get_base_type(type);

   if (bits < 8 || (base == nir_type_float && bits > 32)) {
      fuzz_fail(run, "a conversion of a boolean or a double");
   }
   return base == nir_type_float ? (uint8_t)(bits == 16 ? OCL_HALF : OCL_FLOAT)
                                 : (uint8_t)(2 * util_logbase2(bits / 8) + (base == nir_type_int ? 0 : 1));
}

void fuzz_convert(struct interpreter *run, const nir_intrinsic_instr *intr, lane_mask mask)
{
   static const enum ocl_rounding modes[] = {[nir_rounding_mode_undef] = OCL_BY_TYPE,
                                             [nir_rounding_mode_rtne] = OCL_TO_EVEN,
                                             [nir_rounding_mode_ru] = OCL_UP,
                                             [nir_rounding_mode_rd] = OCL_DOWN,
                                             [nir_rounding_mode_rtz] = OCL_TO_ZERO};
   const unsigned bits = intr->src[0].ssa->bit_size, components = intr->def.num_components;
   const uint8_t to = base_of(run, nir_intrinsic_dest_type(intr), intr->def.bit_size);
   const uint8_t from = base_of(run, nir_intrinsic_src_type(intr), bits);
   const bool may_overflow = ocl_real(from) && !ocl_real(to) && !nir_intrinsic_saturate(intr);
   const enum ocl_rounding mode = modes[nir_intrinsic_rounding_mode(intr)];
   struct lanes *lanes = fuzz_define(run, &intr->def);

   FOREACH_LANE(lane, mask)
   {
      for (unsigned at = lane * components; at < (lane + 1) * components; at++) {
         const uint64_t value = nir_const_value_as_uint(fuzz_lanes(run, intr->src[0])->values[at], bits);
         const bool undefined = may_overflow && !ocl_in_range(to, ocl_round(ocl_real_value(from, value),
                                                                            mode == OCL_BY_TYPE ? OCL_TO_ZERO : mode));
         lanes->values[at] = nir_const_value_for_raw_uint(
             ocl_convert(to, from, value, mode, nir_intrinsic_saturate(intr)), intr->def.bit_size);
         lanes->certainty[at] = undefined ? (uint8_t)FUZZ_UNDEFINED : fuzz_lanes(run, intr->src[0])->certainty[at];
      }
   }
}
