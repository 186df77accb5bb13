/* SPDX-License-Identifier: MIT
 *
 * What Mesa never emits, or only with more around it, in assembly: shuffles, quad ballots and scans, matrix products,
 * the two parts of the sine.
 */
#include <math.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/half.h"

#define PI 3.14159265358979323846
#define XOR_OWN "xor r[4 + c], r[4 + c], r[8 + i % 4]"

static uint64_t with_own(const struct bench_host_step *s, uint64_t x)
{
   return x ^ bench_operand(s, s->index % BENCH_OPERANDS);
}

static uint64_t lane_of(const struct bench_host_step *s, unsigned lane)
{
   return s->operation ? s->value->lane[lane] : bench_own(s);
}

static uint64_t host_broadcast(const struct bench_host_step *s)
{
   return with_own(s, lane_of(s, (s->index * 7 + 3) % 32));
}

static uint64_t host_rotate(const struct bench_host_step *s)
{
   return s->value->lane[(s->lane - 1 - s->index % 31) % 32];
}

static uint64_t host_quad_broadcast(const struct bench_host_step *s)
{
   return with_own(s, lane_of(s, (s->lane & ~3u) + s->index % 4));
}

static uint64_t host_quad_rotate(const struct bench_host_step *s)
{
   return s->value->lane[(s->lane & ~3u) + (s->lane - 1 - s->index % 3) % 4];
}

static uint64_t host_quad_down(const struct bench_host_step *s)
{
   return with_own(s, lane_of(s, s->lane % 4 == 3 ? s->lane : s->lane + 1));
}

static uint64_t host_quad_xor(const struct bench_host_step *s)
{
   return with_own(s, lane_of(s, s->lane ^ 1));
}

/* Operands 0 and 1 are lanes of the quad: the same in all quads, or each its own. */
static void prepare_lanes(struct bench_inputs *inputs, unsigned group)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      for (unsigned i = 0; i < 2; i++) {
         inputs->operands[i].lane[lane] = inputs->operands[i].lane[lane & ~(group - 1)] % 4;
      }
   }
}

static void prepare_same(struct bench_inputs *inputs)
{
   prepare_lanes(inputs, BENCH_LANES);
}

static void prepare_different(struct bench_inputs *inputs)
{
   prepare_lanes(inputs, 4);
}

static uint64_t host_quad_random(const struct bench_host_step *s)
{
   const uint64_t x = lane_of(s, (s->lane & ~3u) + (unsigned)bench_operand(s, s->index % 2));

   return x ^ bench_operand(s, 2 + s->index % 2);
}

/* The quad's lanes whose value equals operand 0, or is not 0. */
static uint64_t quad_mask(const struct bench_host_step *s, bool equal)
{
   uint64_t mask = 0;

   for (unsigned i = 0; i < 4; i++) {
      const unsigned lane = (s->lane & ~3u) + i;
      const bool set = equal ? s->value->lane[lane] == s->operands[0].lane[lane] : s->value->lane[lane] != 0;

      mask |= (uint64_t)set << i;
   }
   return s->operation ? mask : bench_own(s);
}

static uint64_t host_quad_nonzero(const struct bench_host_step *s)
{
   return with_own(s, quad_mask(s, false));
}

static uint64_t host_quad_equal(const struct bench_host_step *s)
{
   return quad_mask(s, true) ^ bench_operand(s, 1 + s->index % 3);
}

/* Numbers, neither NaN nor denormal, whatever the lowest four bits. */
static void prepare_numbers(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
         inputs->operands[i].lane[lane] = (inputs->operands[i].lane[lane] & 0x7ffff0) | 0x3f800000;
         inputs->first[i].lane[lane] = inputs->operands[i].lane[lane];
      }
   }
}

/* Lanes that a scan goes through: a quad, or all. */
struct scanned {
   unsigned count;
   double number[BENCH_LANES];
   uint32_t integer[BENCH_LANES];
};

static void scan(struct scanned *lanes, bool product, bool inclusive)
{
   double number = product;
   uint32_t integer = 0;

   for (unsigned i = 0; i < lanes->count; i++) {
      const double all = (float)(product ? number * lanes->number[i] : number + lanes->number[i]);
      const uint32_t sum = integer + lanes->integer[i];

      lanes->number[i] = inclusive ? all : number;
      lanes->integer[i] = inclusive ? sum : integer;
      number = all;
      integer = sum;
   }
}

/* Float steps are x = result * a + k. The exclusive one's companion holds a scan, too. */
static uint64_t host_scan(const struct bench_host_step *s, unsigned count, enum bench_type type, bool product,
                          bool inclusive)
{
   const unsigned place = s->lane % count, times = (s->operation ? 1u : 0u) + (inclusive ? 0u : 1u);
   struct scanned lanes = {.count = count};

   for (unsigned i = 0; i < count; i++) {
      lanes.integer[i] = (uint32_t)s->value->lane[s->lane - place + i];
      lanes.number[i] = bench_single(lanes.integer[i]);
   }
   for (unsigned i = 0; i < times; i++) {
      scan(&lanes, product, inclusive);
   }
   if (type == BENCH_U32) {
      return with_own(s, lanes.integer[place]);
   }
   return bench_single_word(lanes.number[place] * bench_single(bench_operand(s, 0)) +
                            bench_single(bench_operand(s, 1)));
}
#define SCAN(name, ...)                                                                                                \
   static uint64_t host_##name(const struct bench_host_step *s)                                                        \
   {                                                                                                                   \
      return host_scan(s, __VA_ARGS__);                                                                                \
   }
SCAN(quad_esum_f32, 4, BENCH_F32, false, false)
SCAN(quad_isum_f32, 4, BENCH_F32, false, true)
SCAN(quad_eprod_f32, 4, BENCH_F32, true, false)
SCAN(quad_iprod_f32, 4, BENCH_F32, true, true)
SCAN(quad_esum_i32, 4, BENCH_U32, false, false)
SCAN(quad_isum_i32, 4, BENCH_U32, false, true)
SCAN(simd_isum_f32, BENCH_LANES, BENCH_F32, false, true)
SCAN(simd_iprod_f32, BENCH_LANES, BENCH_F32, true, true)
SCAN(simd_isum_i32, BENCH_LANES, BENCH_U32, false, true)

/* spec/isa.md 4.8: a lane holds two neighbouring elements of each matrix. */
static unsigned matrix_row(unsigned lane)
{
   return (lane >> 4) * 4 + (lane >> 1) % 4;
}

static unsigned matrix_column(unsigned lane)
{
   return (lane >> 3) % 2 * 4 + lane % 2 * 2;
}

static double element(const struct bench_lanes *matrix, bool half, unsigned row, unsigned column)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      if (matrix_row(lane) == row && matrix_column(lane) == (column & ~1u)) {
         const uint64_t pair = matrix->lane[lane] >> (column % 2 * (half ? 16 : 32));
         return half ? bench_half_value((uint16_t)pair) : (double)bench_single(pair & UINT32_MAX);
      }
   }
   return NAN;
}

/* sum += A * B, where B is operand 1 and 2 in turn. All numbers are small whole ones: no sum is rounded. */
static uint64_t host_matrix(const struct bench_host_step *s, bool half)
{
   const unsigned row = matrix_row(s->lane);
   uint64_t pair = 0;

   for (unsigned i = 0; i < 2; i++) {
      const unsigned column = matrix_column(s->lane) + i;
      double sum = element(s->value, half, row, column);

      for (unsigned k = 0; k < 8; k++) {
         sum += element(&s->operands[0], half, row, k) * element(&s->operands[1 + s->index % 2], half, k, column);
      }
      pair |= (half ? bench_half(sum) : bench_single_word(sum)) << (half ? 16 : 32) * i;
   }
   return pair;
}

static uint64_t host_matrix16(const struct bench_host_step *s)
{
   return host_matrix(s, true);
}

static uint64_t host_matrix32(const struct bench_host_step *s)
{
   return host_matrix(s, false);
}

/* A pair of numbers out of -1, 0 and 1, times sign. */
static uint64_t small_pair(uint64_t random, bool half, double sign)
{
   const double a = sign * ((double)(random % 3) - 1), b = sign * ((double)(random / 3 % 3) - 1);

   return half ? (uint64_t)bench_half(b) << 16 | bench_half(a) : bench_single_word(b) << 32 | bench_single_word(a);
}

/* In half precision sums must stay small: B is taken away again every other step. */
static void prepare_matrices(struct bench_inputs *inputs, bool half)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      const uint64_t random = inputs->operands[1].lane[lane] >> 1;

      inputs->operands[0].lane[lane] = small_pair(inputs->operands[0].lane[lane], half, 1);
      inputs->operands[1].lane[lane] = small_pair(random, half, 1);
      inputs->operands[2].lane[lane] = small_pair(half ? random : inputs->operands[2].lane[lane], half, -1);
      for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
         inputs->first[c].lane[lane] = small_pair(inputs->first[c].lane[lane], half, 1);
      }
   }
}

static void prepare_matrix16(struct bench_inputs *inputs)
{
   prepare_matrices(inputs, true);
}

static void prepare_matrix32(struct bench_inputs *inputs)
{
   prepare_matrices(inputs, false);
}

/* spec/isa.md 3.4. */
static uint64_t host_sin_pt_1(const struct bench_host_step *s)
{
   double x = bench_single(bench_own(s));

   if (s->operation) {
      x = x <= 1 ? x : x <= 3 ? 2 - x : x - 4;
   }
   return bench_single_word((float)x + (double)bench_single(bench_operand(s, s->index % 2)));
}

static uint64_t host_sin_pt_2(const struct bench_host_step *s)
{
   double x = bench_single(bench_own(s));

   if (s->operation) {
      x = x == 0 ? PI / 2 : sin(PI / 2 * x) / x;
   }
   return bench_single_word((float)x + (double)bench_single(bench_operand(s, s->index % 2)));
}

/* clang-format off */
#define CHAIN(...) ((const struct bench_chain){__VA_ARGS__})
#define ADD_OWN "fadd r[4 + c], r[4 + c], r[8 + i % 2]"
#define SHUFFLE(group_, name_, what, text, host_, registers_, row)                                                     \
   {group_, name_, what,                                                                                               \
    BENCH_CHAIN(CHAIN(BENCH_U32, .agx = "shuffle r[4 + c], r[4 + c], " text, .host = host_), 16, 32),                  \
    .codegen = {"shuffle", ISA_OP_SHUFFLE, 32, registers_, 1}, .reference = group_ "/" row}
#define SHUFFLE_OWN(group_, name_, what, text, own, prepare_, host_, registers_, row)                                  \
   {group_, name_, what,                                                                                               \
    BENCH_CHAIN(CHAIN(BENCH_U32, .prepare = prepare_, .agx = "shuffle r[4 + c], r[4 + c], " text,                      \
                      .agx_companion = own, .host = host_), 16, 32),                                                   \
    .codegen = {"shuffle", ISA_OP_SHUFFLE, 32, registers_, 1, .companions = 1, .no_shadow = true},                     \
    .reference = group_ "/" row}
#define BALLOT(name_, what, text, own, prepare_, host_, op_, registers_, row)                                          \
   {"quad", name_, what,                                                                                               \
    BENCH_CHAIN(CHAIN(BENCH_U32, .prepare = prepare_, .agx = "ballot r[4 + c], r[4 + c], " text, .agx_companion = own, \
                      .host = host_), 16, 32),                                                                         \
    .codegen = {"ballot", op_, 32, registers_, 1, .companions = 1, .no_shadow = true}, .reference = "quad/" row}
#define MAD_OWN "ffma r[4 + c], r[4 + c], r8, r9"
/* The published latency is of scans that follow each other: a scan in the companion, so that what one takes longer when
 * something else reads it does not count. */
#define EXCLUSIVE(name_, what, type, own, companion_, operation, host_, row, ...)                                      \
   {"quad", name_, what,                                                                                               \
    BENCH_CHAIN(CHAIN(type, .operands = {__VA_ARGS__}, .tolerance = type == BENCH_F32 ? 1e-5 : 0,                      \
                      .agx = "quad r[4 + c], r[4 + c], prefix, " operation,                                            \
                      .agx_companion = "quad r[4 + c], r[4 + c], prefix, " operation "\n" own, .host = host_), 8, 8),  \
    .codegen = {.sequence = "quad", .companion = companion_, .no_shadow = true, .listed = true},                       \
    .reference = "quad/" row}
/* Reductions of all lanes with interleaved chains. In simd_reduce.c Mesa orders the chains. */
#define INCLUSIVE(group_, name_, what, type, own, companion_, operation, with, repeat, host_, row, ...)                \
   {group_, name_, what,                                                                                               \
    BENCH_CHAIN(CHAIN(type, .operands = {__VA_ARGS__}, .tolerance = type == BENCH_F32 ? 1e-5 : 0,                      \
                      .agx = group_ " r[20 + c], r[4 + c], prefix, " operation "\n" with                               \
                             " r[4 + c], r[20 + c], r[4 + c]",                                                         \
                      .agx_companion = own, .host = host_), repeat, repeat),                                           \
    .codegen = {.sequence = with ", " group_, .companion = companion_, .no_shadow = true, .listed = true},             \
    .reference = group_ "/" row}
#define SINE(name_, what, mnemonic, op_, host_, row, ...)                                                              \
   {"float", name_, what,                                                                                              \
    BENCH_CHAIN(CHAIN(BENCH_F32, .operands = {__VA_ARGS__}, .tolerance = 1e-5, .agx = mnemonic " r[4 + c], r[4 + c]",  \
                      .agx_companion = ADD_OWN, .host = host_), 16, 32),                                               \
    .codegen = {mnemonic, op_, 32, 1, 1, .companions = 1}, .reference = "float/" row}

static const struct benchmark benchmarks[] = {
   SINE("sin-pt-1", "first part of the sine: quadrants", "sinr", ISA_OP_SIN_PT_1, host_sin_pt_1, "SIN_PT_1", 1.25, 2),
   SINE("sin-pt-2", "second part of the sine: sin(pi/2 x) / x", "sinc", ISA_OP_SIN_PT_2, host_sin_pt_2, "SIN_PT_2",
        -0.8, -1.2),
   SHUFFLE_OWN("simd", "broadcast32", "read one lane", "(i * 7 + 3) % 32", XOR_OWN, NULL, host_broadcast, 1,
               "BROADCAST32"),
   SHUFFLE("simd", "rotate32", "rotate lanes up", "1 + i % 31, up, rotate", host_rotate, 1, "SHUFFLE_ROTATE32"),
   {"simd", "matmul8x8-f16", "8x8 matrix product and sum, half precision",
    BENCH_CHAIN(CHAIN(BENCH_U32, .prepare = prepare_matrix16, .host = host_matrix16,
                      .agx = "simd_matrix_fmadd16 r[4 + c]l_r[4 + c]h, r8l_r8h, r[9 + i % 2]l_r[9 + i % 2]h, "
                             "r[4 + c]l_r[4 + c]h"), 4, 8),
    .codegen = {"simd_matrix_fmadd16", ISA_OP_MATRIX, 16, 3, 1}, .reference = "simd/MATMUL<8x8xF16>"},
   {"simd", "matmul8x8-f32", "8x8 matrix product and sum, single precision",
    BENCH_CHAIN_OF(2, CHAIN(BENCH_U64, .prepare = prepare_matrix32, .host = host_matrix32,
                      .agx = "simd_matrix_fmadd32 r[4 + 2 * c]_r[5 + 2 * c], r12_r13, "
                             "r[14 + i % 2 * 2]_r[15 + i % 2 * 2], r[4 + 2 * c]_r[5 + 2 * c]"), 4, 8),
    .codegen = {"simd_matrix_fmadd32", ISA_OP_MATRIX, 32, 3, 1}, .reference = "simd/MATMUL<8x8xF32>"},
   SHUFFLE_OWN("quad", "broadcast32", "read one lane of the quad", "i % 4, quad", XOR_OWN, NULL, host_quad_broadcast, 1,
               "BROADCAST32"),
   SHUFFLE("quad", "rotate32", "rotate the quad's lanes up", "1 + i % 3, quad, up, rotate", host_quad_rotate, 1,
           "SHUFFLE_ROTATE32"),
   SHUFFLE_OWN("quad", "down32", "the next lane's value; the last keeps its own", "1, quad, down", XOR_OWN, NULL,
               host_quad_down, 1, "SHUFFLE_DOWNUP32"),
   {"quad", "xor32", "the pair's other lane",
    BENCH_CHAIN(CHAIN(BENCH_U32, .agx = "shuffle r[4 + c], r[4 + c], 1, quad, xor", .agx_companion = XOR_OWN,
                      .host = host_quad_xor), 16, 32),
    .codegen = {"shuffle", ISA_OP_SHUFFLE, 32, 1, 1, .companions = 1, .no_shadow = true}},
   SHUFFLE_OWN("quad", "random-same32", "a lane that is not known, the same in all quads", "r[8 + i % 2]l, quad",
               "xor r[4 + c], r[4 + c], r[10 + i % 2]", prepare_same, host_quad_random, 2, "SHUFFLE_RANDOM_SAME32"),
   SHUFFLE_OWN("quad", "random-diff32", "a lane that is not known, each quad another", "r[8 + i % 2]l, quad",
               "xor r[4 + c], r[4 + c], r[10 + i % 2]", prepare_different, host_quad_random, 2, "SHUFFLE_RANDOM_DIFF32"),
   EXCLUSIVE("prefix-esum-f32", "sum of the quad's lanes before", BENCH_F32, MAD_OWN, "ffma, quad", "fadd",
             host_quad_esum_f32, "PREFIX_ESUM<F32>", 0.125, 1),
   INCLUSIVE("quad", "prefix-isum-f32", "sum up to the lane", BENCH_F32, MAD_OWN, "ffma", "fadd", "fadd", 8,
             host_quad_isum_f32, "PREFIX_ISUM<F32>", 0.125, 1),
   EXCLUSIVE("prefix-esum-i32", "sum of the quad's lanes before", BENCH_U32, XOR_OWN, "quad, xor", "iadd",
             host_quad_esum_i32, "PREFIX_ESUM<I32>", 0),
   INCLUSIVE("quad", "prefix-isum-i32", "sum up to the lane", BENCH_U32, XOR_OWN, "xor", "iadd", "iadd", 8,
             host_quad_isum_i32, "PREFIX_ISUM<I32>", 0),
   EXCLUSIVE("prefix-eprod-f32", "product of the quad's lanes before", BENCH_F32, MAD_OWN, "ffma, quad", "fmul",
             host_quad_eprod_f32, "PREFIX_EPROD<F32>", 0.125, 1),
   INCLUSIVE("quad", "prefix-iprod-f32", "product up to the lane", BENCH_F32, MAD_OWN, "ffma", "fmul", "fmul", 8,
             host_quad_iprod_f32, "PREFIX_IPROD<F32>", 0.125, 1),
   INCLUSIVE("simd", "prefix-isum-f32-agx", "sum up to the lane, four chains in turn", BENCH_F32, MAD_OWN, "ffma", "fadd",
             "fadd", 4, host_simd_isum_f32, "PREFIX_ISUM<F32>", 0.015625, 1),
   INCLUSIVE("simd", "prefix-isum-i32-agx", "sum up to the lane, four chains in turn", BENCH_U32, XOR_OWN, "xor", "iadd",
             "iadd", 4, host_simd_isum_i32, "PREFIX_ISUM<I32>", 0),
   INCLUSIVE("simd", "prefix-iprod-f32-agx", "product up to the lane, four chains in turn", BENCH_F32, MAD_OWN, "ffma",
             "fmul", "fmul", 4, host_simd_iprod_f32, "PREFIX_IPROD<F32>", 0.015625, 0.96),
   BALLOT("ballot-nonzero", "the quad's lanes that are not 0", "0, ine, quad", XOR_OWN, NULL, host_quad_nonzero,
          ISA_OP_ICMP_BALLOT, 1, "BALLOT"),
   BALLOT("ballot", "compare and collect the quad's answers", "r8, ieq, quad", "xor r[4 + c], r[4 + c], r[9 + i % 3]",
          NULL, host_quad_equal, ISA_OP_ICMP_BALLOT, 2, "ICMP_BALLOT"),
   BALLOT("fcmp-ballot", "compare numbers and collect the quad's answers", "r8, feq, quad",
          "xor r[4 + c], r[4 + c], r[9 + i % 3]", prepare_numbers, host_quad_equal, ISA_OP_FCMP_BALLOT, 2,
          "FCMP_BALLOT"),
};
/* clang-format on */

const struct bench_group bench_cross_agx = BENCH_GROUP(benchmarks);
