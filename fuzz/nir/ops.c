/* SPDX-License-Identifier: MIT
 *
 * The table of operations. Invariant: it names NIR's ops, and everything else about them comes from Mesa's own
 * description of its ops.
 */
#include "fuzz/nir/ops.h"

#include <string.h>

#include "fuzz/nir/program.h"

/* Facts of an op: the widths that it leaves open (0: none), and */
#define INT 8 | 16 | 32 | 64
#define BOOL 1 | INT
#define WIDTHS 0xff
#define INEXACT 0x100 /* its result is an approximation */
#define MOVES 0x200   /* it moves bits of its first operand, or of its first two, without looking at them */
#define MOVES_2 0x400
#define UNCHANGED 0x800 /* its result consists of unchanged bits of operands, or extends one */

/* `opencl` is what fuzz_op_in_opencl() returns. "@1": where the first source has one bit, which is a boolean. C counts
 * shifts of 8 and 16 bits modulo 32. NULL: approximations, what gathers, bitfield_reverse. */
static const struct {
   const char *name;
   unsigned facts;
   const char *opencl;
} table[] = {
    {"iadd", INT, "ua ub add"},
    {"isub", INT, "ua ub sub"},
    {"imul", INT, "ua ub mul"},
    {"iand", BOOL, "ua ub and"},
    {"ior", BOOL, "ua ub or"},
    {"ixor", BOOL, "ua ub xor"},
    {"inot", BOOL | MOVES, "ua inv"},
    {"ineg", INT, "ua neg"},
    {"iabs", INT, "ia abs"},
    {"isign", INT, "ia i#-1 max i#1 min"},
    {"imin", INT, "ia ib min"},
    {"imax", INT, "ia ib max"},
    {"umin", INT, "ua ub min"},
    {"umax", INT, "ua ub max"},
    {"ishl", INT | MOVES, "ua ub shl"},
    {"ishr", INT | MOVES, "ia ub shr"},
    {"ushr", INT | MOVES, "ua ub shr"},
    {"ieq", BOOL, "ua ub eq"},
    {"ine", BOOL, "ua ub ne"},
    {"ilt", INT, "ia ib lt"},
    {"ige", INT, "ia ib ge"},
    {"ult", INT, "ua ub lt"},
    {"uge", INT, "ua ub ge"},
    {"bcsel", BOOL, "ua ub uc choose"},
    {"iadd_sat", INT, "ia ib add_sat"},
    {"isub_sat", INT, "ia ib sub_sat"},
    {"uadd_sat", INT, "ua ub add_sat"},
    {"usub_sat", INT, "ua ub sub_sat"},
    {"ihadd", INT, "ia ib hadd"},
    {"irhadd", INT, "ia ib rhadd"},
    {"uhadd", INT, "ua ub hadd"},
    {"urhadd", INT, "ua ub rhadd"},
    {"imul_high", INT, "ia ib mul_hi"},
    {"umul_high", INT, "ua ub mul_hi"},
    {"imul_2x32_64", 0, "ia cast:i64 ib cast:i64 mul"},
    {"umul_2x32_64", 0, "ua cast:u64 ub cast:u64 mul"},
    {"udiv", INT, "ua ub div"},
    {"idiv", INT, "ia ib div"},
    {"umod", INT, "ua ub mod"},
    {"imod", INT, "ia ib mod ia ib mod ib xor i#0 lt ia ib mod i#0 ne and ib i#0 choose add"},
    {"irem", INT, "ia ib mod"},
    {"uadd_carry", 32, "ua ub add ua lt cast:u32"},
    {"usub_borrow", 32, "ua ub lt cast:u32"},
    {"bit_count", INT, "ua popcount cast:i32"},
    {"bitfield_reverse", 32, NULL},
    {"find_lsb", INT, "ua u#0 eq i32#-1 ua ctz cast:i32 choose"},
    {"ufind_msb", INT, "i32#m ua clz cast:i32 sub"},
    {"ifind_msb", 32, "i32#m ia ia i#m shr xor clz sub"},
    {"ubitfield_extract", 32, "ua ub shr u#1 uc shl u#1 sub and"},
    {"ibitfield_extract", 32, "ua u#w uc sub ub sub shl cast:is i#w ic sub shr"},
    {"bitfield_insert", 32, "ua ub uc shl u#1 ud shl u#1 sub uc shl bitselect"},
    {"extract_u8", 32 | 64 | MOVES, "ua ub u#8 !mul shr u#255 and"},
    {"extract_i8", 32 | 64 | MOVES, "ua ub u#8 !mul shr cast:i8 cast:is"},
    {"extract_u16", 32 | 64 | MOVES, "ua ub u#16 !mul shr u#65535 and"},
    {"extract_i16", 32 | 64 | MOVES, "ua ub u#16 !mul shr cast:i16 cast:is"},
    {"urol", INT, "ua ub !cast:us rotate"},
    {"uror", INT, "ua ub !cast:us !neg rotate"},
    {"i2i8", 16 | 32 | 64 | MOVES, "ia cast:ir"},
    {"i2i16", 8 | 32 | 64 | MOVES | UNCHANGED, "ia cast:ir"},
    {"i2i32", 8 | 16 | 64 | MOVES | UNCHANGED, "ia cast:ir"},
    {"i2i64", 8 | 16 | 32 | MOVES | UNCHANGED, "ia cast:ir"},
    {"u2u8", 16 | 32 | 64 | MOVES, "ua cast:ur"},
    {"u2u16", 8 | 32 | 64 | MOVES | UNCHANGED, "ua cast:ur"},
    {"u2u32", 8 | 16 | 64 | MOVES | UNCHANGED, "ua cast:ur"},
    {"u2u64", 8 | 16 | 32 | MOVES | UNCHANGED, "ua cast:ur"},
    {"b2i8", 1, "ua cast:ur"},
    {"b2i16", 1, "ua cast:ur"},
    {"b2i32", 1, "ua cast:ur"},
    {"b2i64", 1, "ua cast:ur"},
    {"i2f16", INT, "ia cast:fr"},
    {"i2f32", INT, "ia cast:fr"},
    {"u2f16", INT, "ua cast:fr"},
    {"u2f32", INT, "ua cast:fr"},
    {"f2i8", 16 | 32, "fa cast:ir"},
    {"f2i16", 16 | 32, "fa cast:ir"},
    {"f2i32", 16 | 32, "fa cast:ir"},
    {"f2i64", 16 | 32, "fa cast:ir"},
    {"f2u8", 16 | 32, "fa cast:ur"},
    {"f2u16", 16 | 32, "fa cast:ur"},
    {"f2u32", 16 | 32, "fa cast:ur"},
    {"f2u64", 16 | 32, "fa cast:ur"},
    {"b2f16", 1, "ua f16#1 f16#0 choose"},
    {"b2f32", 1, "ua f32#1 f32#0 choose"},
    {"f2f16", 32, "fa cast:fr"},
    {"f2f16_rtz", 32, "fa convert_rtz:fr"},
    {"f2f16_rtne", 32, "fa convert_rte:fr"},
    {"f2f32", 16, "fa cast:fr"},
    {"fadd", 16 | 32, "fa fb real_add"},
    {"fsub", 16 | 32, "fa fb real_sub"},
    {"fmul", 16 | 32, "fa fb real_mul"},
    {"ffma", 16 | 32, "fa fb fc fma"},
    {"fneg", 16 | 32, "fa real_neg"},
    {"fabs", 16 | 32, "fa fabs"},
    {"fsat", 16 | 32, "fa f#0 fmax f#1 fmin"},
    {"fmin", 16 | 32, "fa fb fmin"},
    {"fmax", 16 | 32, "fa fb fmax"},
    {"ffloor", 16 | 32, "fa floor"},
    {"fceil", 16 | 32, "fa ceil"},
    {"ftrunc", 16 | 32, "fa trunc"},
    {"fround_even", 16 | 32, "fa rint"},
    {"ffract", 16 | 32, "fa fa floor real_sub"},
    {"fsign", 16 | 32, "fa sign"},
    {"feq", 16 | 32, "fa fb eq"},
    {"fneu", 16 | 32, "fa fb ne"},
    {"flt", 16 | 32, "fa fb lt"},
    {"fge", 16 | 32, "fa fb ge"},
    {"slt", 32, "fa fb lt f#1 f#0 choose"},
    {"sge", 32, "fa fb ge f#1 f#0 choose"},
    {"seq", 32, "fa fb eq f#1 f#0 choose"},
    {"sne", 32, "fa fb ne f#1 f#0 choose"},
    {"fisfinite", 16 | 32, "fa isfinite"},
    {"pack_64_2x32_split", MOVES_2 | UNCHANGED, "ub ua upsample:u64"},
    {"pack_32_2x16_split", MOVES_2 | UNCHANGED, "ub ua upsample:u32"},
    {"pack_32_4x8_split", 0, "ud uc upsample:u16 ub ua upsample:u16 upsample:u32"},
    {"pack_64_2x32", MOVES | UNCHANGED, "ua1 ua0 upsample:u64"},
    {"pack_64_4x16", MOVES | UNCHANGED, "ua3 ua2 upsample:u32 ua1 ua0 upsample:u32 upsample:u64"},
    {"pack_32_2x16", MOVES | UNCHANGED, "ua1 ua0 upsample:u32"},
    {"pack_32_4x8", MOVES, "ua3 ua2 upsample:u16 ua1 ua0 upsample:u16 upsample:u32"},
    {"pack_half_2x16_split", 0, "fb cast:f16 as:u16 fa cast:f16 as:u16 upsample:u32"},
    {"unpack_64_2x32_split_x", MOVES | UNCHANGED, "ua cast:u32"},
    {"unpack_64_2x32_split_y", MOVES | UNCHANGED, "ua u#32 shr cast:u32"},
    {"unpack_32_2x16_split_x", MOVES | UNCHANGED, "ua cast:u16"},
    {"unpack_32_2x16_split_y", MOVES | UNCHANGED, "ua u#16 shr cast:u16"},
    {"unpack_64_2x32", MOVES | UNCHANGED, "ua u#c shr cast:ur"},
    {"unpack_64_4x16", MOVES | UNCHANGED, "ua u#c shr cast:ur"},
    {"unpack_32_2x16", MOVES | UNCHANGED, "ua u#c shr cast:ur"},
    {"unpack_32_4x8", MOVES, "ua u#c shr cast:ur"},
    {"unpack_half_2x16_split_x", 0, "ua cast:u16 as:f16 cast:f32"},
    {"unpack_half_2x16_split_y", 0, "ua u#16 shr cast:u16 as:f16 cast:f32"},
    {"vec2", INT | UNCHANGED, NULL},
    {"vec3", INT | UNCHANGED, NULL},
    {"vec4", INT | UNCHANGED, NULL},
    {"mov", INT | MOVES | UNCHANGED, "ua"},
    {"frcp", INEXACT | 16 | 32, NULL},
    {"frsq", INEXACT | 16 | 32, NULL},
    {"fsqrt", INEXACT | 16 | 32, NULL},
    {"fexp2", INEXACT | 16 | 32, NULL},
    {"flog2", INEXACT | 16 | 32, NULL},
    {"fpow", INEXACT | 16 | 32, NULL},
    {"fdiv", INEXACT | 16 | 32, NULL},
    {"flrp", INEXACT | 16 | 32, NULL},
    {"inot@1", 0, "ua lnot"},
    {"ishl@8", 0, "ua ub !cast:us u#m !and shl"},
    {"ishl@16", 0, "ua ub !cast:us u#m !and shl"},
    {"ishr@8", 0, "ia ub !cast:is i#m !and shr"},
    {"ishr@16", 0, "ia ub !cast:is i#m !and shr"},
    {"ushr@8", 0, "ua ub !cast:us u#m !and shr"},
    {"ushr@16", 0, "ua ub !cast:us u#m !and shr"},
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

static unsigned facts_of(nir_op op)
{
   make_known();
   return known.row[op] == 0 ? 0 : table[known.row[op] - 1].facts;
}

unsigned fuzz_op_widths(nir_op op)
{
   return facts_of(op) & WIDTHS;
}

bool fuzz_op_inexact(nir_op op)
{
   return (facts_of(op) & INEXACT) != 0;
}

unsigned fuzz_op_moves(nir_op op)
{
   const unsigned facts = facts_of(op);

   return (facts & MOVES_2) != 0 ? 2 : (facts & MOVES) != 0 ? 1 : 0;
}

bool fuzz_op_unchanged(nir_op op)
{
   return (facts_of(op) & UNCHANGED) != 0;
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

bool fuzz_op_reads_float(nir_op op, unsigned source)
{
   return nir_alu_type_get_base_type(nir_op_infos[op].input_types[source]) == nir_type_float;
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

static const char *find_in_opencl(const char *name)
{
   for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
      if (strcmp(table[i].name, name) == 0) {
         return table[i].opencl;
      }
   }
   return NULL;
}

const char *fuzz_op_in_opencl(const char *name, unsigned bits)
{
   char sized[48];

   snprintf(sized, sizeof(sized), "%s@%u", name, bits);
   const char *special = find_in_opencl(sized);
   return special != NULL ? special : find_in_opencl(name);
}

const char *fuzz_op_row(unsigned row)
{
   return row < ARRAY_SIZE(table) ? table[row].name : NULL;
}
