/* SPDX-License-Identifier: MIT
 *
 * int/: 16-bit and wide arithmetic, bit operations, minimum and maximum.
 */
#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

/* In NIR, and on the host in `type`: x is the value; a, c are two operands; WITH is the companion of x and a. */
#ifdef BENCH_WITH_NIR
#define NIR(name, nir, with)                                                                                           \
   static nir_def *build_##name(nir_builder *b, const struct bench_nir_step *s)                                        \
   {                                                                                                                   \
      nir_def *x = s->value, *a = s->operands[s->index % 2], *c = s->operands[2 + s->index % 2];                       \
      (void)a, (void)c;                                                                                                \
      if (s->operation) {                                                                                              \
         x = (nir);                                                                                                    \
      }                                                                                                                \
      return (with);                                                                                                   \
   }
#else
#define NIR(name, nir, with)
#endif
#define HOST(name, type, host, with)                                                                                   \
   static uint64_t host_##name(const struct bench_host_step *s)                                                        \
   {                                                                                                                   \
      type x = (type)bench_own(s);                                                                                     \
      const type a = (type)bench_operand(s, s->index % 2), c = (type)bench_operand(s, 2 + s->index % 2);               \
      (void)a, (void)c;                                                                                                \
      if (s->operation) {                                                                                              \
         x = (type)(host);                                                                                             \
      }                                                                                                                \
      return (type)(with);                                                                                             \
   }
#define XOR nir_ixor(b, x, a)

static uint32_t reverse(uint32_t x)
{
   uint32_t reversed = 0;

   for (unsigned bit = 0; bit < 32; bit++) {
      reversed |= (x >> bit & 1) << (31 - bit);
   }
   return reversed;
}

static uint32_t interleave(uint32_t even, uint32_t odd)
{
   uint32_t bits = 0;

   for (unsigned bit = 0; bit < 16; bit++) {
      bits |= (even >> bit & 1) << 2 * bit | (odd >> bit & 1) << (2 * bit + 1);
   }
   return bits;
}

static uint32_t saturate(int64_t x)
{
   return (uint32_t)(int32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}

NIR(iadd16, nir_iadd(b, x, a), x)
HOST(iadd16, uint16_t, (uint32_t)x + a, x)
NIR(imul16, nir_imul(b, x, a), x)
HOST(imul16, uint16_t, (uint32_t)x *a, x)
NIR(imad16, nir_iadd(b, nir_imul(b, x, a), c), x)
HOST(imad16, uint16_t, (uint32_t)x *a + c, x)
HOST(imul16_wide, uint32_t, (x & 0xffff) * (a & 0xffff), x)
HOST(imad16_wide, uint32_t, (x & 0xffff) * (a & 0xffff) + c, x)
NIR(imad32, nir_iadd(b, nir_imul(b, x, a), c), x)
HOST(imad32, uint32_t, x *a + c, x)
NIR(imul_hi32, nir_umul_high(b, x, a), XOR)
HOST(imul_hi32, uint32_t, (uint64_t)x *a >> 32, x ^ a)

static uint64_t host_imul_wide(const struct bench_host_step *s)
{
   const uint64_t x = bench_own(s), a = bench_operand(s, s->index % 2), wide = x * a;

   return s->operation ? (uint32_t)(wide ^ wide >> 32) : x ^ a;
}

NIR(iadd_sat, nir_iadd_sat(b, x, a), x)
HOST(iadd_sat, uint32_t, saturate((int64_t)(int32_t)x + (int32_t)a), x)
NIR(extract, nir_ubitfield_extract_imm(b, x, 5, 20), XOR)
HOST(extract, uint32_t, x >> 5 & 0xfffff, x ^ a)
NIR(bitrev, nir_bitfield_reverse(b, x), XOR)
HOST(bitrev, uint32_t, reverse(x), x ^ a)
NIR(bitrev16, nir_u2u16(b, nir_ushr_imm(b, nir_bitfield_reverse(b, nir_u2u32(b, x)), 16)), XOR)
HOST(bitrev16, uint16_t, reverse(x) >> 16, x ^ a)
NIR(popcount, nir_bit_count(b, x), XOR)
HOST(popcount, uint32_t, __builtin_popcount(x), x ^ a)
NIR(interleave, nir_interleave_agx(b, nir_u2u16(b, x), nir_u2u16(b, a)), x)
HOST(interleave, uint32_t, interleave(x, a), x)

static uint64_t host_max(const struct bench_host_step *s)
{
   const uint64_t x = bench_own(s), y = bench_operand(s, s->index % BENCH_OPERANDS);
   return x > y ? x : y;
}

static uint64_t host_min(const struct bench_host_step *s)
{
   const uint64_t x = bench_own(s), y = bench_operand(s, s->index % BENCH_OPERANDS);
   return x < y ? x : y;
}

static uint64_t host_select(const struct bench_host_step *s)
{
   return bench_operand(s, bench_own(s) < bench_operand(s, s->index % 2 == 0 ? 0 : 3) ? 1 : 2);
}

/* bfi: value & ~(0xff << s) | (k & 0xff) << s, of which s counts 7 bits. */
static uint64_t host_insert(const struct bench_host_step *s)
{
   const uint64_t shift = bench_operand(s, 2 + s->index / 2 % 2) & 0x7f, k = bench_operand(s, s->index % 2) & 0xff;
   const uint64_t mask = shift < 32 ? UINT64_C(0xff) << shift : 0;

   return (uint32_t)((bench_own(s) & ~mask) | (shift < 32 ? k << shift : 0));
}

/* Odd factors: a product of even ones would soon be 0. */
static void prepare_factors(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      inputs->operands[0].lane[lane] |= 1;
      inputs->operands[1].lane[lane] |= 1;
      for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
         inputs->first[c].lane[lane] |= 1;
      }
   }
}

/* One addend is positive, one negative. */
static void prepare_signs(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      inputs->operands[0].lane[lane] &= INT32_MAX;
      inputs->operands[1].lane[lane] |= UINT32_C(1) << 31;
   }
}

/* ---- NIR, in agx-compile alone ---- */

#ifdef BENCH_WITH_NIR
static nir_def *fold(nir_builder *b, nir_def *wide)
{
   return nir_ixor(b, nir_unpack_64_2x32_split_x(b, wide), nir_unpack_64_2x32_split_y(b, wide));
}

/* The companion takes part in both halves. */
static nir_def *build_imul_wide(nir_builder *b, const struct bench_nir_step *s)
{
   nir_def *a = s->operands[s->index % 2];

   return s->operation ? fold(b, nir_umul_2x32_64(b, s->value, a)) : nir_ixor(b, s->value, a);
}

/* The four operands in turn: with fewer the compiler would drop steps. */
static nir_def *build_max(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_umax(b, s->value, s->operands[s->index % BENCH_OPERANDS]);
}

static nir_def *build_min(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_umin(b, s->value, s->operands[s->index % BENCH_OPERANDS]);
}

static nir_def *build_select(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_bcsel(b, nir_ult(b, s->value, s->operands[s->index % 2 == 0 ? 0 : 3]), s->operands[1], s->operands[2]);
}
#endif

/* clang-format off */
#define PLAIN(name_, what, type, name_of, prepare_, instruction_, op_, bits_, registers_, row)                         \
   {"int", name_, what,                                                                                                \
    BENCH_CHAIN(((const struct bench_chain){type, .prepare = prepare_, .build = BENCH_NIR(build_##name_of),                       \
                                            .host = host_##name_of}), 16, 32),                                         \
    .codegen = {instruction_, op_, bits_, registers_, 1}, .reference = "int/" row}
#define WITH_XOR(name_, what, name_of, instruction_, op_, bits_, registers_, row)                                      \
   {"int", name_, what,                                                                                                \
    BENCH_CHAIN(((const struct bench_chain){BENCH_U32, .build = BENCH_NIR(build_##name_of), .host = host_##name_of}), 16, 32),    \
    .codegen = {instruction_, op_, bits_, registers_, 1, .companions = 1}, .reference = "int/" row}
#define AGX(name_, what, name_of, text, instruction_, op_, registers_, row)                                            \
   {"int", name_, what,                                                                                                \
    BENCH_CHAIN(((const struct bench_chain){BENCH_U32, .prepare = prepare_factors, .agx = text,                        \
                                            .host = host_##name_of}), 16, 32),                                         \
    .codegen = {instruction_, op_, 32, registers_, 1}, .reference = "int/" row}

static const struct benchmark benchmarks[] = {
   PLAIN("iadd16", "add, 16 bits", BENCH_U16, iadd16, NULL, "iadd", ISA_OP_IADD, 16, 2, "IADD16"),
   PLAIN("imul16", "multiply, 16 bits", BENCH_U16, imul16, prepare_factors, "imadd", ISA_OP_IMADD, 16, 2, "IMUL16"),
   PLAIN("imad16", "multiply and add, 16 bits", BENCH_U16, imad16, NULL, "imadd", ISA_OP_IMADD, 16, 3, "IMAD16"),
   AGX("imul-16-16-32", "multiply 16 bits to 32", imul16_wide, "imadd r[4 + c], r[4 + c]l, r[8 + i % 2]l, 0",
       "imadd", ISA_OP_IMADD, 2, "IMUL(16x16=32)"),
   AGX("imad-16-16-32-32", "multiply 16 bits to 32, and add", imad16_wide,
       "imadd r[4 + c], r[4 + c]l, r[8 + i % 2]l, r[10 + i % 2]", "imadd", ISA_OP_IMADD, 3, "IMAD((16x16=32)+32)"),
   PLAIN("imad32", "multiply and add", BENCH_U32, imad32, NULL, "imadd", ISA_OP_IMADD, 32, 3, "IMAD32"),
   WITH_XOR("imul-hi32", "multiply, high half of the product", imul_hi32, "imadd", ISA_OP_IMADD, 64, 2, "IMULHI32"),
   WITH_XOR("imul-32-32-64", "multiply 32 bits to 64", imul_wide, "imadd", ISA_OP_IMADD, 64, 2, "IMUL(32x32=64)"),
   PLAIN("iadd-sat32", "add, signed and saturating", BENCH_U32, iadd_sat, prepare_signs, "iadd", ISA_OP_IADD, 32, 2,
         "IADDSAT32"),
   WITH_XOR("bitextract32", "extract 20 bits from a constant place", extract, "bfeil", ISA_OP_BFEIL, 32, 1,
            "BITEXTRACT32"),
   {"int", "bitinsert32", "insert 8 bits at a place that is not known",
    BENCH_CHAIN(((const struct bench_chain){BENCH_U32, .host = host_insert,
                   .agx = "bfi r[4 + c], r[4 + c], r[8 + i % 2], r[10 + i / 2 % 2], 8"}), 16, 32),
    .codegen = {"bfi", ISA_OP_BFI, 32, 3, 1}, .reference = "int/BITINSERT32"},
   WITH_XOR("bitrev32", "reverse the bits", bitrev, "bitrev", ISA_OP_BITREV, 32, 1, "BITREV32"),
   {"int", "bitrev16", "reverse the bits of 16",
    BENCH_CHAIN(((const struct bench_chain){BENCH_U16, .build = BENCH_NIR(build_bitrev16), .host = host_bitrev16}), 16, 32),
    .codegen = {.sequence = "bitrev, mov", .companion = "xor"}, .reference = "int/BITREV16"},
   PLAIN("interleave16", "interleave the bits of two halves", BENCH_U32, interleave, NULL, "intl", ISA_OP_INTL, 32, 2,
         "BITINTERLEAVE16"),
   WITH_XOR("popcount32", "count the ones", popcount, "popcnt", ISA_OP_POPCOUNT, 32, 1, "POPCOUNT32"),
   PLAIN("imax32", "the greater one, unsigned", BENCH_U32, max, NULL, "icmpsel", ISA_OP_ICMPSEL, 32, 4, "IMAX32"),
   PLAIN("imin32", "the lesser one, unsigned", BENCH_U32, min, NULL, "icmpsel", ISA_OP_ICMPSEL, 32, 4, "IMIN32"),
   PLAIN("icmpsel16", "compare and select", BENCH_U16, select, NULL, "icmpsel", ISA_OP_ICMPSEL, 16, 4, "ICMPSEL16"),
};
/* clang-format on */

const struct bench_group bench_int_more = BENCH_GROUP(benchmarks);
