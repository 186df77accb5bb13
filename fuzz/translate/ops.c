/* SPDX-License-Identifier: MIT
 *
 * The OpenCL C operations of each NIR op. Invariant: if NIR determines the result of an op, the operations give it, or
 * one of their guards is raised.
 */
#include "fuzz/translate/ops.h"

#include <stdio.h>
#include <string.h>

#include "util/array.h"

/* "@1": where the first source has one bit, which is a boolean. C counts shifts of 8 and 16 bits modulo 32. Ops that
 * are not here have no translation: approximations, bitfield_reverse. */
static const struct {
   const char *nir, *opencl;
} rows[] = {
    {"iadd", "ua ub add"},
    {"isub", "ua ub sub"},
    {"imul", "ua ub mul"},
    {"iand", "ua ub and"},
    {"ior", "ua ub or"},
    {"ixor", "ua ub xor"},
    {"inot", "ua inv"},
    {"inot@1", "ua lnot"},
    {"ineg", "ua neg"},
    {"iabs", "ia abs"},
    {"isign", "ia i#-1 max i#1 min"},
    {"imin", "ia ib min"},
    {"imax", "ia ib max"},
    {"umin", "ua ub min"},
    {"umax", "ua ub max"},
    {"ishl", "ua ub shl"},
    {"ishl@8", "ua ub !cast:us u#m !and shl"},
    {"ishl@16", "ua ub !cast:us u#m !and shl"},
    {"ishr", "ia ub shr"},
    {"ishr@8", "ia ub !cast:is i#m !and shr"},
    {"ishr@16", "ia ub !cast:is i#m !and shr"},
    {"ushr", "ua ub shr"},
    {"ushr@8", "ua ub !cast:us u#m !and shr"},
    {"ushr@16", "ua ub !cast:us u#m !and shr"},
    {"ieq", "ua ub eq"},
    {"ine", "ua ub ne"},
    {"ilt", "ia ib lt"},
    {"ige", "ia ib ge"},
    {"ult", "ua ub lt"},
    {"uge", "ua ub ge"},
    {"bcsel", "ua ub uc choose"},
    {"iadd_sat", "ia ib add_sat"},
    {"isub_sat", "ia ib sub_sat"},
    {"uadd_sat", "ua ub add_sat"},
    {"usub_sat", "ua ub sub_sat"},
    {"ihadd", "ia ib hadd"},
    {"irhadd", "ia ib rhadd"},
    {"uhadd", "ua ub hadd"},
    {"urhadd", "ua ub rhadd"},
    {"imul_high", "ia ib mul_hi"},
    {"umul_high", "ua ub mul_hi"},
    {"imul_2x32_64", "ia cast:i64 ib cast:i64 mul"},
    {"umul_2x32_64", "ua cast:u64 ub cast:u64 mul"},
    {"udiv", "ua ub div"},
    {"idiv", "ia ib div"},
    {"umod", "ua ub mod"},
    {"irem", "ia ib mod"},
    {"imod", "ia ib mod ia ib mod ib xor i#0 lt ia ib mod i#0 ne and ib i#0 choose add"},
    {"uadd_carry", "ua ub add ua lt cast:u32"},
    {"usub_borrow", "ua ub lt cast:u32"},
    {"bit_count", "ua popcount cast:i32"},
    {"find_lsb", "ua u#0 eq i32#-1 ua ctz cast:i32 choose"},
    {"ufind_msb", "i32#m ua clz cast:i32 sub"},
    {"ifind_msb", "i32#m ia ia i#m shr xor clz sub"},
    {"ubitfield_extract", "ua ub shr u#1 uc shl u#1 sub and"},
    {"ibitfield_extract", "ua u#w uc sub ub sub shl cast:is i#w ic sub shr"},
    {"bitfield_insert", "ua ub uc shl u#1 ud shl u#1 sub uc shl bitselect"},
    {"extract_u8", "ua ub u#8 !mul shr u#255 and"},
    {"extract_i8", "ua ub u#8 !mul shr cast:i8 cast:is"},
    {"extract_u16", "ua ub u#16 !mul shr u#65535 and"},
    {"extract_i16", "ua ub u#16 !mul shr cast:i16 cast:is"},
    {"urol", "ua ub !cast:us rotate"},
    {"uror", "ua ub !cast:us !neg rotate"},
    {"i2i8", "ia cast:ir"},
    {"i2i16", "ia cast:ir"},
    {"i2i32", "ia cast:ir"},
    {"i2i64", "ia cast:ir"},
    {"u2u8", "ua cast:ur"},
    {"u2u16", "ua cast:ur"},
    {"u2u32", "ua cast:ur"},
    {"u2u64", "ua cast:ur"},
    {"b2i8", "ua cast:ur"},
    {"b2i16", "ua cast:ur"},
    {"b2i32", "ua cast:ur"},
    {"b2i64", "ua cast:ur"},
    {"i2f16", "ia cast:fr"},
    {"i2f32", "ia cast:fr"},
    {"u2f16", "ua cast:fr"},
    {"u2f32", "ua cast:fr"},
    {"f2i8", "fa cast:ir"},
    {"f2i16", "fa cast:ir"},
    {"f2i32", "fa cast:ir"},
    {"f2i64", "fa cast:ir"},
    {"f2u8", "fa cast:ur"},
    {"f2u16", "fa cast:ur"},
    {"f2u32", "fa cast:ur"},
    {"f2u64", "fa cast:ur"},
    {"b2f16", "ua f16#1 f16#0 choose"},
    {"b2f32", "ua f32#1 f32#0 choose"},
    {"f2f16", "fa cast:fr"},
    {"f2f16_rtz", "fa convert_rtz:fr"},
    {"f2f16_rtne", "fa convert_rte:fr"},
    {"f2f32", "fa cast:fr"},
    {"fadd", "fa fb real_add"},
    {"fsub", "fa fb real_sub"},
    {"fmul", "fa fb real_mul"},
    {"ffma", "fa fb fc fma"},
    {"fneg", "fa real_neg"},
    {"fabs", "fa fabs"},
    {"fsat", "fa f#0 fmax f#1 fmin"},
    {"fmin", "fa fb fmin"},
    {"fmax", "fa fb fmax"},
    {"ffloor", "fa floor"},
    {"fceil", "fa ceil"},
    {"ftrunc", "fa trunc"},
    {"fround_even", "fa rint"},
    {"ffract", "fa fa floor real_sub"},
    {"fsign", "fa sign"},
    {"feq", "fa fb eq"},
    {"fneu", "fa fb ne"},
    {"flt", "fa fb lt"},
    {"fge", "fa fb ge"},
    {"slt", "fa fb lt f#1 f#0 choose"},
    {"sge", "fa fb ge f#1 f#0 choose"},
    {"seq", "fa fb eq f#1 f#0 choose"},
    {"sne", "fa fb ne f#1 f#0 choose"},
    {"fisfinite", "fa isfinite"},
    {"pack_64_2x32_split", "ub ua upsample:u64"},
    {"pack_32_2x16_split", "ub ua upsample:u32"},
    {"pack_32_4x8_split", "ud uc upsample:u16 ub ua upsample:u16 upsample:u32"},
    {"pack_64_2x32", "ua1 ua0 upsample:u64"},
    {"pack_64_4x16", "ua3 ua2 upsample:u32 ua1 ua0 upsample:u32 upsample:u64"},
    {"pack_32_2x16", "ua1 ua0 upsample:u32"},
    {"pack_32_4x8", "ua3 ua2 upsample:u16 ua1 ua0 upsample:u16 upsample:u32"},
    {"pack_half_2x16_split", "fb cast:f16 as:u16 fa cast:f16 as:u16 upsample:u32"},
    {"unpack_64_2x32_split_x", "ua cast:u32"},
    {"unpack_64_2x32_split_y", "ua u#32 shr cast:u32"},
    {"unpack_32_2x16_split_x", "ua cast:u16"},
    {"unpack_32_2x16_split_y", "ua u#16 shr cast:u16"},
    {"unpack_64_2x32", "ua u#c shr cast:ur"},
    {"unpack_64_4x16", "ua u#c shr cast:ur"},
    {"unpack_32_2x16", "ua u#c shr cast:ur"},
    {"unpack_32_4x8", "ua u#c shr cast:ur"},
    {"unpack_half_2x16_split_x", "ua cast:u16 as:f16 cast:f32"},
    {"unpack_half_2x16_split_y", "ua u#16 shr cast:u16 as:f16 cast:f32"},
    {"mov", "ua"},
};

#define ROWS ARRAY_COUNT(rows)

static const char *find(const char *name)
{
   for (unsigned i = 0; i < ROWS; i++) {
      if (strcmp(rows[i].nir, name) == 0) {
         return rows[i].opencl;
      }
   }
   return NULL;
}

const char *translate_op(const char *name, unsigned bits)
{
   char sized[48];

   snprintf(sized, sizeof(sized), "%s@%u", name, bits);
   const char *special = find(sized);
   return special != NULL ? special : find(name);
}

const char *translate_op_name(unsigned row)
{
   return row < ROWS ? rows[row].nir : NULL;
}
