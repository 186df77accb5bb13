/* SPDX-License-Identifier: MIT
 *
 * simd/ and quad/: reductions, prefix scans, and reads of lanes whose number the compiler does not know.
 *
 * Integer steps exclusive-or each lane's own operand into the result, so that lanes have different values. Float steps
 * are x = result * a + k: rounding errors shrink, so that the order of the sum does not matter.
 */
#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

enum kind { REDUCE, EXCLUSIVE, INCLUSIVE };
enum op { FADD, FMUL, IADD, IMUL, XOR };
#define SIMD 32
#define QUAD 4

struct collect {
   enum bench_type type;
   enum op op;
   unsigned lanes;
   enum kind kind;
};

static bool is_float(const struct collect *collect)
{
   return collect->type == BENCH_F16 || collect->type == BENCH_F32;
}

/* ---- NIR, in agx-compile alone ---- */

#ifdef BENCH_WITH_NIR
static const nir_op nir_ops[] = {
    [FADD] = nir_op_fadd, [FMUL] = nir_op_fmul, [IADD] = nir_op_iadd, [IMUL] = nir_op_imul, [XOR] = nir_op_ixor};

static nir_def *build_collect(nir_builder *b, const struct bench_nir_step *s, const struct collect *collect)
{
   nir_def *x = s->value;

   if (s->operation && collect->kind == REDUCE) {
      x = nir_reduce(b, x, .reduction_op = nir_ops[collect->op],
                     .cluster_size = collect->lanes == SIMD ? 0 : collect->lanes);
   } else if (s->operation && collect->kind == EXCLUSIVE) {
      x = nir_exclusive_scan(b, x, .reduction_op = nir_ops[collect->op]);
   } else if (s->operation) {
      x = nir_inclusive_scan(b, x, .reduction_op = nir_ops[collect->op]);
   }
   return is_float(collect) ? nir_ffma(b, x, s->operands[0], s->operands[1])
                            : nir_ixor(b, x, s->operands[s->index % BENCH_OPERANDS]);
}

static nir_def *build_random(nir_builder *b, const struct bench_nir_step *s)
{
   nir_def *x = s->operation ? nir_shuffle(b, s->value, s->operands[s->index % 2]) : s->value;

   return nir_ixor(b, x, s->operands[2 + s->index % 2]);
}

#define STEP(name)                                                                                                     \
   static nir_def *build_##name(nir_builder *b, const struct bench_nir_step *s)                                        \
   {                                                                                                                   \
      return build_collect(b, s, &collect_##name);                                                                     \
   }
#else
#define STEP(name)
#endif

/* ---- The host ---- */

static uint64_t combine(const struct collect *collect, uint64_t x, uint64_t y)
{
   const enum bench_type type = collect->type;

   switch (collect->op) {
   case FADD:
      return bench_word(type, bench_number(type, x) + bench_number(type, y));
   case FMUL:
      return bench_word(type, bench_number(type, x) * bench_number(type, y));
   case IADD:
      return x + y;
   case IMUL:
      return x * y;
   default:
      return x ^ y;
   }
}

static uint64_t host_collect(const struct bench_host_step *s, const struct collect *collect)
{
   const enum bench_type type = collect->type;
   const unsigned from = s->lane & ~(collect->lanes - 1);
   const unsigned to = collect->kind == REDUCE      ? from + collect->lanes
                       : collect->kind == EXCLUSIVE ? s->lane
                                                    : s->lane + 1;
   uint64_t x = is_float(collect) ? bench_word(type, collect->op == FMUL) : collect->op == IMUL ? 1 : 0;

   for (unsigned lane = from; s->operation && lane < to; lane++) {
      x = combine(collect, x, s->value->lane[lane]);
   }
   x = s->operation ? x : bench_own(s);
   if (is_float(collect)) {
      return bench_word(type, bench_number(type, x) * bench_number(type, bench_operand(s, 0)) +
                                  bench_number(type, bench_operand(s, 1)));
   }
   x ^= bench_operand(s, s->index % BENCH_OPERANDS);
   return type == BENCH_U16 ? (uint16_t)x : (uint32_t)x;
}

/* Float chains start at k: a product of 32 numbers up to 2 would overflow. */
static void prepare_floats(struct bench_inputs *inputs)
{
   for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
      inputs->first[c] = inputs->operands[1];
   }
}

#define FUNCTIONS(name, ...)                                                                                           \
   static const struct collect collect_##name = {__VA_ARGS__};                                                         \
   STEP(name)                                                                                                          \
   static uint64_t host_##name(const struct bench_host_step *s)                                                        \
   {                                                                                                                   \
      return host_collect(s, &collect_##name);                                                                         \
   }
#define INTEGER(name, type, ...)                                                                                       \
   FUNCTIONS(name, type, __VA_ARGS__)                                                                                  \
   static const struct bench_chain name = {type, .build = BENCH_NIR(build_##name), .host = host_##name};
#define FLOAT(name, type, a, k, tolerance_, ...)                                                                       \
   FUNCTIONS(name, type, __VA_ARGS__)                                                                                  \
   static const struct bench_chain name = {type,                                                                       \
                                           {a, k},                                                                     \
                                           .tolerance = tolerance_,                                                    \
                                           .prepare = prepare_floats,                                                  \
                                           .build = BENCH_NIR(build_##name),                                           \
                                           .host = host_##name};
FLOAT(sum_f16, BENCH_F16, 0.015625, 1, 2e-2, FADD, SIMD, REDUCE)
FLOAT(sum_f32, BENCH_F32, 0.015625, 1, 1e-5, FADD, SIMD, REDUCE)
INTEGER(sum_i16, BENCH_U16, IADD, SIMD, REDUCE)
INTEGER(sum_i32, BENCH_U32, IADD, SIMD, REDUCE)
FLOAT(product_f16, BENCH_F16, 0.015625, 0.96, 2e-2, FMUL, SIMD, REDUCE)
FLOAT(product_f32, BENCH_F32, 0.015625, 0.96, 1e-5, FMUL, SIMD, REDUCE)
INTEGER(product_i16, BENCH_U16, IMUL, SIMD, REDUCE)
INTEGER(product_i32, BENCH_U32, IMUL, SIMD, REDUCE)
INTEGER(xor_16, BENCH_U16, XOR, SIMD, REDUCE)
INTEGER(xor_32, BENCH_U32, XOR, SIMD, REDUCE)
FLOAT(esum_f32, BENCH_F32, 0.015625, 1, 1e-5, FADD, SIMD, EXCLUSIVE)
FLOAT(isum_f32, BENCH_F32, 0.015625, 1, 1e-5, FADD, SIMD, INCLUSIVE)
INTEGER(esum_i32, BENCH_U32, IADD, SIMD, EXCLUSIVE)
INTEGER(isum_i32, BENCH_U32, IADD, SIMD, INCLUSIVE)
FLOAT(eprod_f32, BENCH_F32, 0.015625, 0.96, 1e-5, FMUL, SIMD, EXCLUSIVE)
FLOAT(iprod_f32, BENCH_F32, 0.015625, 0.96, 1e-5, FMUL, SIMD, INCLUSIVE)
FLOAT(quad_sum_f16, BENCH_F16, 0.125, 1, 2e-2, FADD, QUAD, REDUCE)
FLOAT(quad_sum_f32, BENCH_F32, 0.125, 1, 1e-5, FADD, QUAD, REDUCE)
INTEGER(quad_sum_i16, BENCH_U16, IADD, QUAD, REDUCE)
INTEGER(quad_sum_i32, BENCH_U32, IADD, QUAD, REDUCE)
FLOAT(quad_product_f16, BENCH_F16, 0.125, 0.96, 2e-2, FMUL, QUAD, REDUCE)
FLOAT(quad_product_f32, BENCH_F32, 0.125, 0.96, 1e-5, FMUL, QUAD, REDUCE)
INTEGER(quad_product_i16, BENCH_U16, IMUL, QUAD, REDUCE)
INTEGER(quad_product_i32, BENCH_U32, IMUL, QUAD, REDUCE)
INTEGER(quad_xor_16, BENCH_U16, XOR, QUAD, REDUCE)
INTEGER(quad_xor_32, BENCH_U32, XOR, QUAD, REDUCE)

/* Lane numbers in operands 0 and 1: the same for all lanes, or each its own. */
static void prepare_same(struct bench_inputs *inputs)
{
   for (unsigned i = 0; i < 2; i++) {
      const uint64_t index = inputs->operands[i].lane[0] % BENCH_LANES;

      for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
         inputs->operands[i].lane[lane] = index;
      }
   }
}

static void prepare_different(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      inputs->operands[0].lane[lane] %= BENCH_LANES;
      inputs->operands[1].lane[lane] %= BENCH_LANES;
   }
}

static uint64_t host_random(const struct bench_host_step *s)
{
   const uint64_t x = s->operation ? s->value->lane[bench_operand(s, s->index % 2)] : bench_own(s);

   return x ^ bench_operand(s, 2 + s->index % 2);
}

static const struct bench_chain random_same = {BENCH_U32, .prepare = prepare_same, .build = BENCH_NIR(build_random),
                                               .host = host_random};
static const struct bench_chain random_different = {BENCH_U32, .prepare = prepare_different,
                                                    .build = BENCH_NIR(build_random), .host = host_random};

/* clang-format off */
#define ONE(group_, name_, what, chain_, instruction_, op_, bits_, row)                                                \
   {group_, name_, what, BENCH_CHAIN(chain_, 8, 8),                                                                    \
    .codegen = {instruction_, op_, bits_, 1, 1, .companions = 1, .no_shadow = true}, .reference = group_ "/" row}
/* The source's inclusive scans: the exclusive one, then the operation with the own value (spec/isa.md 4.7b). Mesa puts
 * the latter right behind; cross_agx.c has them without that. */
#define MORE(group_, name_, what, chain_, sequence_, companion_, row)                                                  \
   {group_, name_, what, BENCH_CHAIN(chain_, 4, 4),                                                                    \
    .codegen = {.sequence = sequence_, .companion = companion_, .no_shadow = true},                                    \
    .reference = group_ "/" row}
#define LONG(repeat, slack_, group_, name_, what, chain_, sequence_, companion_, row)                                  \
   {group_, name_, what, BENCH_CHAIN(chain_, repeat, repeat),                                                          \
    .codegen = {.sequence = sequence_, .companion = companion_, .slack = slack_}, .reference = group_ "/" row}
/* No reduction multiplies integers: what Mesa makes of it. */
#define SIMD_PRODUCT                                                                                                   \
   "12 and, andn2, ballot, 54 csel, else, 6 ffs, 33 iadd, if, 10 imul, 2 jmp_none, 2 ldimm, 62 mov, pop_exec, shl, "   \
   "60 shuffle, 5 xor"
#define QUAD_PRODUCT                                                                                                   \
   "9 and, andn2, ballot, 21 csel, else, 3 ffs, 15 iadd, if, 4 imul, jmp_none, 2 ldimm, 26 mov, pop_exec, 2 shl, "     \
   "24 shuffle, 2 xor"
#define REDUCTION(group_, name_, what, chain_, bits_, row)                                                             \
   ONE(group_, name_, what ", of all lanes", chain_, group_, ISA_OP_REDUCE, bits_, row)

static const struct benchmark benchmarks[] = {
   REDUCTION("simd", "sum-f16", "sum, half precision", sum_f16, 16, "SUM<F16>"),
   REDUCTION("simd", "sum-f32", "sum, single precision", sum_f32, 32, "SUM<F32>"),
   REDUCTION("simd", "sum-i16", "sum, 16 bits", sum_i16, 16, "SUM<I16>"),
   REDUCTION("simd", "sum-i32", "sum", sum_i32, 32, "SUM<I32>"),
   REDUCTION("simd", "product-f16", "product, half precision", product_f16, 16, "PRODUCT<F16>"),
   REDUCTION("simd", "product-f32", "product, single precision", product_f32, 32, "PRODUCT<F32>"),
   REDUCTION("simd", "bitwise16", "exclusive or, 16 bits", xor_16, 16, "BITWISE_REDUCE16"),
   REDUCTION("simd", "bitwise32", "exclusive or", xor_32, 32, "BITWISE_REDUCE32"),
   ONE("simd", "prefix-esum-f32", "sum of the lanes before", esum_f32, "simd", ISA_OP_PREFIX, 32, "PREFIX_ESUM<F32>"),
   MORE("simd", "prefix-isum-f32", "sum up to the lane", isum_f32, "fadd, simd", "ffma", "PREFIX_ISUM<F32>"),
   ONE("simd", "prefix-esum-i32", "sum of the lanes before", esum_i32, "simd", ISA_OP_PREFIX, 32, "PREFIX_ESUM<I32>"),
   MORE("simd", "prefix-isum-i32", "sum up to the lane", isum_i32, "iadd, simd", "xor", "PREFIX_ISUM<I32>"),
   ONE("simd", "prefix-eprod-f32", "product of the lanes before", eprod_f32, "simd", ISA_OP_PREFIX, 32,
       "PREFIX_EPROD<F32>"),
   MORE("simd", "prefix-iprod-f32", "product up to the lane", iprod_f32, "fmul, simd", "ffma", "PREFIX_IPROD<F32>"),
   LONG(4, 4, "simd", "shuffle-random-same32", "read a lane that is not known, the same for all", random_same,
        "3 csel, 4 mov, 4 shuffle", "xor", "SHUFFLE_RANDOM_SAME32"),
   LONG(4, 4, "simd", "shuffle-random-diff32", "read any lane, each another", random_different,
        "3 csel, 4 mov, 4 shuffle", "xor", "SHUFFLE_RANDOM_DIFF32"),
   LONG(1, 2, "simd", "product-i16", "product of all lanes, 16 bits", product_i16,
        SIMD_PRODUCT, "xor", "PRODUCT<I16>"),
   LONG(1, 2, "simd", "product-i32", "product of all lanes", product_i32,
        SIMD_PRODUCT, "xor", "PRODUCT<I32>"),
   REDUCTION("quad", "sum-f16", "sum, half precision", quad_sum_f16, 16, "SUM<F16>"),
   REDUCTION("quad", "sum-f32", "sum, single precision", quad_sum_f32, 32, "SUM<F32>"),
   REDUCTION("quad", "sum-i16", "sum, 16 bits", quad_sum_i16, 16, "SUM<I16>"),
   REDUCTION("quad", "sum-i32", "sum", quad_sum_i32, 32, "SUM<I32>"),
   REDUCTION("quad", "product-f16", "product, half precision", quad_product_f16, 16, "PRODUCT<F16>"),
   REDUCTION("quad", "product-f32", "product, single precision", quad_product_f32, 32, "PRODUCT<F32>"),
   REDUCTION("quad", "bitwise16", "exclusive or, 16 bits", quad_xor_16, 16, "BITWISE_REDUCE16"),
   REDUCTION("quad", "bitwise32", "exclusive or", quad_xor_32, 32, "BITWISE_REDUCE32"),
   LONG(2, 2, "quad", "product-i16", "product of the quad, 16 bits", quad_product_i16,
        QUAD_PRODUCT, "xor", "PRODUCT<I16>"),
   LONG(2, 2, "quad", "product-i32", "product of the quad", quad_product_i32,
        QUAD_PRODUCT, "xor", "PRODUCT<I32>"),
};
/* clang-format on */

const struct bench_group bench_simd_reduce = BENCH_GROUP(benchmarks);
