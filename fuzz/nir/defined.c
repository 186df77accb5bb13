/* SPDX-License-Identifier: MIT
 *
 * Which results NIR determines. Invariant: a determined result is the same for every correct compiler and every device
 * that flushes denormals of f32 and keeps those of f16.
 */
#include "fuzz/nir/defined.h"

#include <math.h>
#include <string.h>

#include "util/half_float.h"

#include "fuzz/nir/ops.h"

static double float_of(const nir_const_value *value, unsigned bits)
{
   return bits == 16 ? (double)_mesa_half_to_float(value->u16) : bits == 32 ? (double)value->f32 : value->f64;
}

static bool is_denormal(const nir_const_value *value, unsigned bits)
{
   return bits == 32 && (value->u32 & 0x7f800000) == 0 && (value->u32 & 0x7fffff) != 0;
}

static int64_t signed_of(const nir_const_value *value, unsigned bits)
{
   return nir_const_value_as_int(*value, bits);
}

/* Whether a float fits the range of an integer of `bits` bits. */
static bool in_range(double value, unsigned bits, bool is_signed)
{
   const double limit = ldexp(1.0, (int)bits - (is_signed ? 1 : 0));

   return !isnan(value) && trunc(value) < limit && trunc(value) >= (is_signed ? -limit : 0.0);
}

static bool field_fits(int64_t offset, int64_t count)
{
   return offset >= 0 && count >= 0 && offset + count <= 32;
}

static bool division_defined(const nir_const_value *const *sources, unsigned bits, bool is_signed)
{
   const int64_t divisor = signed_of(sources[1], bits);
   const int64_t least = bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));

   return divisor != 0 && !(is_signed && divisor == -1 && signed_of(sources[0], bits) == least);
}

bool fuzz_close(nir_op op, bool exact, const nir_const_value *const *sources, const unsigned *bits)
{
   /* Compilers may assume that there is no NaN, no infinity, and no sign of zero. */
   for (unsigned i = 0; !exact && i < nir_op_infos[op].num_inputs; i++) {
      if (fuzz_op_reads_float(op, i) && !isfinite(float_of(sources[i], bits[i]))) {
         return false;
      }
   }
   for (unsigned i = 0; fuzz_op_inexact(op) && i < nir_op_infos[op].num_inputs; i++) {
      const double value = float_of(sources[i], bits[i]);
      const bool zero = value == 0.0 && (op == nir_op_fsqrt || op == nir_op_fexp2 || op == nir_op_flrp);
      /* The reciprocal of a large number is close to 0 on every device; integer divisions contain such reciprocals. */
      const double most = op == nir_op_frcp && bits[i] == 32 ? 0x1p64 : 16.0;
      const bool small = fabs(value) >= 0.0625 && fabs(value) <= most;
      const bool negative =
          value < 0 && (op == nir_op_fsqrt || op == nir_op_frsq || op == nir_op_flog2 || (op == nir_op_fpow && i == 0));
      if ((!zero && !small) || negative) {
         return false;
      }
   }
   return true;
}

bool fuzz_defined(nir_op op, const nir_const_value *const *sources, const unsigned *bits, unsigned result_bits)
{
   const nir_op_info *info = &nir_op_infos[op];

   for (unsigned i = 0; i < info->num_inputs; i++) {
      if (fuzz_op_reads_float(op, i) && is_denormal(sources[i], bits[i])) {
         return false;
      }
   }
   switch (op) {
   case nir_op_amul: /* by definition it does not overflow, and neither does the address of which it is a part */
      return nir_const_value_as_uint(*sources[0], bits[0]) < 0x8000 &&
             nir_const_value_as_uint(*sources[1], bits[1]) < 0x8000;
   case nir_op_ffract:
      return isfinite(float_of(sources[0], bits[0]));
   case nir_op_udiv:
   case nir_op_umod:
      return division_defined(sources, bits[0], false);
   case nir_op_idiv:
   case nir_op_imod:
   case nir_op_irem:
      return division_defined(sources, bits[0], true);
   case nir_op_ubitfield_extract:
   case nir_op_ibitfield_extract:
      return field_fits(sources[1]->i32, sources[2]->i32);
   case nir_op_bitfield_insert:
      return field_fits(sources[2]->i32, sources[3]->i32);
   case nir_op_f2i8:
   case nir_op_f2i16:
   case nir_op_f2i32:
   case nir_op_f2i64:
      return in_range(float_of(sources[0], bits[0]), result_bits, true);
   case nir_op_f2u8:
   case nir_op_f2u16:
   case nir_op_f2u32:
   case nir_op_f2u64:
      return in_range(float_of(sources[0], bits[0]), result_bits, false);
   case nir_op_fsat: /* NaN may become 0 or NaN */
   case nir_op_fsign:
   case nir_op_fmin:
   case nir_op_fmax:
   case nir_op_fmin_agx:
   case nir_op_fmax_agx:
      for (unsigned i = 0; i < info->num_inputs; i++) {
         if (isnan(float_of(sources[i], bits[i]))) {
            return false;
         }
      }
      return true;
   default:
      return true;
   }
}

/* Whether the op copies bits unchanged. */
static bool moves_bits(nir_op op)
{
   return op == nir_op_mov || op == nir_op_bcsel || nir_op_is_vec(op);
}

/* Whether a small change of an operand changes the result little. */
static bool continuous(nir_op op)
{
   switch (op) {
   case nir_op_fadd:
   case nir_op_fsub:
   case nir_op_fmul:
   case nir_op_ffma:
   case nir_op_fneg:
   case nir_op_fabs:
   case nir_op_fsat:
   case nir_op_fmin:
   case nir_op_fmax:
   case nir_op_fmin_agx:
   case nir_op_fmax_agx:
   case nir_op_f2f32:
   case nir_op_f2f16:
      return true;
   default:
      return false;
   }
}

enum fuzz_certainty fuzz_certainty_of(nir_op op, bool exact, enum fuzz_certainty sources, const nir_const_value *result,
                                      unsigned result_bits)
{
   const nir_op_info *info = &nir_op_infos[op];
   const bool makes_float = nir_alu_type_get_base_type(info->output_type) == nir_type_float;
   const bool of_float = info->num_inputs != 0 && fuzz_op_reads_float(op, 0);

   if (sources == FUZZ_UNDEFINED || sources == FUZZ_DERIVED) {
      return sources;
   }
   if (sources == FUZZ_CLOSE) {
      const bool lost = continuous(op) && !isfinite(float_of(result, result_bits));
      return (moves_bits(op) || continuous(op)) && !lost ? FUZZ_CLOSE : FUZZ_DERIVED;
   }
   if (makes_float && (!exact || fuzz_op_inexact(op))) {
      return isfinite(float_of(result, result_bits)) ? FUZZ_CLOSE : FUZZ_DERIVED;
   }
   if (sources == FUZZ_ANY_NAN && !of_float) {
      return moves_bits(op) ? FUZZ_ANY_NAN : FUZZ_UNDEFINED;
   }
   if (nir_alu_type_get_base_type(info->output_type) == nir_type_float && isnan(float_of(result, result_bits))) {
      return FUZZ_ANY_NAN;
   }
   /* The product may have been denormal before it was rounded, and may have been flushed. */
   if (nir_alu_type_get_base_type(info->output_type) == nir_type_float && result_bits == 32 &&
       (result->u32 & 0x7fffffff) == 0x00800000 && info->num_inputs > 1 && of_float) {
      return FUZZ_UNDEFINED;
   }
   if (op == nir_op_pack_half_2x16_split || op == nir_op_pack_half_2x16) {
      const bool nan = (result->u32 & 0x7fff) > 0x7c00 || (result->u32 >> 16 & 0x7fff) > 0x7c00;
      return nan ? FUZZ_UNDEFINED : FUZZ_EXACT;
   }
   return FUZZ_EXACT;
}
