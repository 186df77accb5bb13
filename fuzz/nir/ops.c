/* SPDX-License-Identifier: MIT
 *
 * The table of operations. Invariant: it names NIR's ops, and everything else about them comes from Mesa's own
 * description of its ops.
 */
#include "fuzz/nir/ops.h"

#include <string.h>

#define ALL 0
#define INT 8 | 16 | 32 | 64
#define BOOL 1 | INT
#define INEXACT 0x80000000

/* Widths 0: as in Mesa's description. */
static const struct {
   const char *name;
   unsigned widths;
} table[] = {
    {"iadd", INT},
    {"isub", INT},
    {"imul", INT},
    {"iand", BOOL},
    {"ior", BOOL},
    {"ixor", BOOL},
    {"inot", BOOL},
    {"ineg", INT},
    {"iabs", INT},
    {"isign", INT},
    {"imin", INT},
    {"imax", INT},
    {"umin", INT},
    {"umax", INT},
    {"ishl", INT},
    {"ishr", INT},
    {"ushr", INT},
    {"ieq", BOOL},
    {"ine", BOOL},
    {"ilt", INT},
    {"ige", INT},
    {"ult", INT},
    {"uge", INT},
    {"bcsel", BOOL},
    {"iadd_sat", INT},
    {"isub_sat", INT},
    {"uadd_sat", INT},
    {"usub_sat", INT},
    {"ihadd", INT},
    {"irhadd", INT},
    {"uhadd", INT},
    {"urhadd", INT},
    {"imul_high", INT},
    {"umul_high", INT},
    {"imul_2x32_64", ALL},
    {"umul_2x32_64", ALL},
    {"udiv", INT},
    {"idiv", INT},
    {"umod", INT},
    {"imod", INT},
    {"irem", INT},
    {"uadd_carry", 32},
    {"usub_borrow", 32},
    {"bit_count", INT},
    {"bitfield_reverse", 32},
    {"find_lsb", INT},
    {"ufind_msb", INT},
    {"ifind_msb", 32},
    {"ubitfield_extract", 32},
    {"ibitfield_extract", 32},
    {"bitfield_insert", 32},
    {"extract_u8", 32 | 64},
    {"extract_i8", 32 | 64},
    {"extract_u16", 32 | 64},
    {"extract_i16", 32 | 64},
    {"urol", INT},
    {"uror", INT},
    {"i2i8", 16 | 32 | 64},
    {"i2i16", 8 | 32 | 64},
    {"i2i32", 8 | 16 | 64},
    {"i2i64", 8 | 16 | 32},
    {"u2u8", 16 | 32 | 64},
    {"u2u16", 8 | 32 | 64},
    {"u2u32", 8 | 16 | 64},
    {"u2u64", 8 | 16 | 32},
    {"b2i8", 1},
    {"b2i16", 1},
    {"b2i32", 1},
    {"b2i64", 1},
    {"i2f16", INT},
    {"i2f32", INT},
    {"u2f16", INT},
    {"u2f32", INT},
    {"f2i8", 16 | 32},
    {"f2i16", 16 | 32},
    {"f2i32", 16 | 32},
    {"f2i64", 16 | 32},
    {"f2u8", 16 | 32},
    {"f2u16", 16 | 32},
    {"f2u32", 16 | 32},
    {"f2u64", 16 | 32},
    {"b2f16", 1},
    {"b2f32", 1},
    {"f2f16", 32},
    {"f2f16_rtz", 32},
    {"f2f16_rtne", 32},
    {"f2f32", 16},
    {"fadd", 16 | 32},
    {"fsub", 16 | 32},
    {"fmul", 16 | 32},
    {"ffma", 16 | 32},
    {"fneg", 16 | 32},
    {"fabs", 16 | 32},
    {"fsat", 16 | 32},
    {"fmin", 16 | 32},
    {"fmax", 16 | 32},
    {"ffloor", 16 | 32},
    {"fceil", 16 | 32},
    {"ftrunc", 16 | 32},
    {"fround_even", 16 | 32},
    {"ffract", 16 | 32},
    {"fsign", 16 | 32},
    {"feq", 16 | 32},
    {"fneu", 16 | 32},
    {"flt", 16 | 32},
    {"fge", 16 | 32},
    {"slt", 32},
    {"sge", 32},
    {"seq", 32},
    {"sne", 32},
    {"fisfinite", 16 | 32},
    {"pack_64_2x32_split", ALL},
    {"pack_32_2x16_split", ALL},
    {"pack_32_4x8_split", ALL},
    {"pack_64_2x32", ALL},
    {"pack_64_4x16", ALL},
    {"pack_32_2x16", ALL},
    {"pack_32_4x8", ALL},
    {"pack_half_2x16_split", ALL},
    {"unpack_64_2x32_split_x", ALL},
    {"unpack_64_2x32_split_y", ALL},
    {"unpack_32_2x16_split_x", ALL},
    {"unpack_32_2x16_split_y", ALL},
    {"unpack_64_2x32", ALL},
    {"unpack_64_4x16", ALL},
    {"unpack_32_2x16", ALL},
    {"unpack_32_4x8", ALL},
    {"unpack_half_2x16_split_x", ALL},
    {"unpack_half_2x16_split_y", ALL},
    {"vec2", INT},
    {"vec3", INT},
    {"vec4", INT},
    {"mov", INT},
    {"frcp", INEXACT | 16 | 32},
    {"frsq", INEXACT | 16 | 32},
    {"fsqrt", INEXACT | 16 | 32},
    {"fexp2", INEXACT | 16 | 32},
    {"flog2", INEXACT | 16 | 32},
    {"fpow", INEXACT | 16 | 32},
    {"fdiv", INEXACT | 16 | 32},
    {"flrp", INEXACT | 16 | 32},
};

/* Indices of the table by op, 0: none; and the ops in the table's order. Built on the first call. */
static struct {
   bool made;
   uint16_t row[nir_num_opcodes];
   nir_op ops[ARRAY_SIZE(table)];
   unsigned count;
} known;

static void make_known(void)
{
   if (known.made) {
      return;
   }
   for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
      for (unsigned op = 0; op < nir_num_opcodes; op++) {
         if (strcmp(nir_op_infos[op].name, table[i].name) == 0) {
            known.row[op] = (uint16_t)(i + 1);
            known.ops[known.count++] = (nir_op)op;
         }
      }
   }
   known.made = true;
}

unsigned fuzz_op_count(void)
{
   make_known();
   return known.count;
}

nir_op fuzz_op(unsigned index)
{
   return known.ops[index];
}

bool fuzz_op_allowed(nir_op op)
{
   make_known();
   return known.row[op] != 0;
}

static nir_alu_type type_of(nir_op op, int source)
{
   return source < 0 ? nir_op_infos[op].output_type : nir_op_infos[op].input_types[source];
}

unsigned fuzz_op_widths(nir_op op)
{
   make_known();
   return known.row[op] == 0 ? 0 : table[known.row[op] - 1].widths & ~INEXACT;
}

bool fuzz_op_inexact(nir_op op)
{
   make_known();
   return known.row[op] != 0 && (table[known.row[op] - 1].widths & INEXACT) != 0;
}

bool fuzz_op_takes_width(nir_op op, unsigned open)
{
   const unsigned widths = fuzz_op_widths(op);

   return widths == 0 || open == 0 || (widths & open) != 0;
}

unsigned fuzz_op_bits(nir_op op, int source, unsigned open)
{
   const unsigned bits = nir_alu_type_get_type_size(type_of(op, source));

   return bits != 0 ? bits : open;
}

unsigned fuzz_op_components(nir_op op, int source)
{
   const unsigned components = source < 0 ? nir_op_infos[op].output_size : nir_op_infos[op].input_sizes[source];

   return components != 0 ? components : 1;
}

bool fuzz_op_constant_source(nir_op op, unsigned source, unsigned bits, uint64_t *bound)
{
   if (source != 1) {
      return false;
   }
   switch (op) {
   case nir_op_extract_u8:
   case nir_op_extract_i8:
      *bound = bits / 8;
      return true;
   case nir_op_extract_u16:
   case nir_op_extract_i16:
      *bound = bits / 16;
      return true;
   default:
      return false;
   }
}

uint64_t fuzz_op_count_bound(nir_op op, unsigned source, unsigned bits)
{
   switch (op) {
   case nir_op_ishl:
   case nir_op_ishr:
   case nir_op_ushr:
   case nir_op_urol:
   case nir_op_uror:
      return source == 1 ? bits : 0;
   case nir_op_ubitfield_extract:
   case nir_op_ibitfield_extract:
      return source >= 1 ? bits / 2 + 1 : 0;
   case nir_op_bitfield_insert:
      return source >= 2 ? bits / 2 + 1 : 0;
   default:
      return 0;
   }
}
