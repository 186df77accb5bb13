/* SPDX-License-Identifier: MIT
 *
 * int/: what the compiler makes of OpenCL C's integer operations and functions. The kernels are in source_int.cl.
 */
#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

/* x = OPERATION of x, a and b, then x = COMPANION of x and a, cut to the type. */
#define HOST(name, type, operation_, companion_)                                                                       \
   static uint64_t host_##name(const struct bench_host_step *step)                                                     \
   {                                                                                                                   \
      type x = (type)bench_own(step);                                                                                  \
      const type a = (type)bench_operand(step, step->index % 2);                                                       \
      const type b = (type)bench_operand(step, 2 + step->index % 2);                                                   \
      (void)a, (void)b;                                                                                                \
      if (step->operation) {                                                                                           \
         x = (type)(operation_);                                                                                       \
      }                                                                                                                \
      return (type)(companion_);                                                                                       \
   }
HOST(mad_hi16, uint16_t, ((uint32_t)x * a >> 16) + b, x)
HOST(xor_add32, uint32_t, (x ^ a) + b, x)
HOST(insert_add32, uint32_t, ((x & 0xfffff00f) | (x & 0xff) << 4) + b, x)
HOST(rotate32, uint32_t, a % 32 == 0 ? x : x << a % 32 | x >> (32 - a % 32), x)
HOST(rhadd16, uint16_t, ((uint32_t)x + a + 1) >> 1, x)
HOST(rhadd32, uint32_t, ((uint64_t)x + a + 1) >> 1, x)
HOST(clz32, uint32_t, x == 0 ? 32 : __builtin_clz(x), x ^ a)
HOST(shl32, uint32_t, x << a % 32, x ^ a)
HOST(shr32, uint32_t, x >> a % 32, x ^ a)
HOST(abs_diff32, uint32_t, x > a ? x - a : a - x, x)
HOST(mad_hi32, uint32_t, ((uint64_t)x * a >> 32) + b, x)
HOST(add_32_32, uint64_t, (uint64_t)(uint32_t)(x ^ x >> 32) + (uint32_t)a, x)
HOST(add_64_32, uint64_t, x + (uint32_t)a, x)
HOST(add_64_64, uint64_t, x + a, x)
HOST(mul_64_64, uint64_t, x *a, x)
HOST(mad_32_64, uint64_t, (uint64_t)((uint32_t)(x ^ x >> 32) * (uint32_t)a) + b, x)
HOST(mad_32_wide, uint64_t, (uint64_t)(uint32_t)(x ^ x >> 32) * (uint32_t)a + b, x)
HOST(mad_64_64, uint64_t, x *a + b, x)
HOST(mul_hi_64, uint64_t, (uint64_t)((unsigned __int128)x *a >> 64) ^ b, x)

/* Odd factors: a product of even ones would soon be 0. */
static void prepare_factors(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      inputs->operands[0].lane[lane] |= 1;
      inputs->operands[1].lane[lane] |= 1;
   }
}

/* clang-format off */
#define INT(name_, what, type, chain_, throughput, latency, row, sequence_, companion_)                                \
   {"int", name_, what,                                                                                                \
    BENCH_SOURCE(((const struct bench_chain){type, .prepare = prepare_factors, .host = host_##chain_}),                \
                 "source_int", #chain_, throughput, latency),                                                          \
    .codegen = {.sequence = sequence_, .companion = companion_, .slack = 1}, .reference = "int/" row}
#define INT64(name_, what, chain_, throughput, latency, row, sequence_)                                                \
   {"int", name_, what,                                                                                                \
    BENCH_SOURCE_WIDE(((const struct bench_chain){BENCH_U64, .prepare = prepare_factors, .host = host_##chain_}),      \
                      "source_int", #chain_, throughput, latency),                                                     \
    .codegen = {.sequence = sequence_}, .reference = "int/" row}

static const struct benchmark benchmarks[] = {
   INT("mad-hi16", "mad_hi() of 16 bits", BENCH_U16, mad_hi16, 8, 16, "IMADHI16", "iadd, imul", NULL),
   {"int", "bitwise-add32", "exclusive or, then add",
    BENCH_SOURCE(((const struct bench_chain){BENCH_U32, .prepare = prepare_factors, .host = host_xor_add32}), "source_int",
                 "xor_add32", 16, 32),
    .codegen = {.sequence = "iadd, xor", .slack = 1}, .reference = "int/BITWISE32 + ADD32"},
   INT("bitinsert-add32", "insert its own low 8 bits at a constant place, then add", BENCH_U32, insert_add32, 16, 32,
       "BITINSERT32 + ADD32", "2 and, 2 iadd, or", NULL),
   INT("rotate32", "rotate()", BENCH_U32, rotate32, 16, 32, "BITROTATE32", "or, shl, shr", NULL),
   INT("rhadd16", "rhadd(): the mean, rounded up", BENCH_U16, rhadd16, 8, 16, "RHADD16", "iadd, or, shr, xor", NULL),
   INT("rhadd32", "rhadd(): the mean, rounded up", BENCH_U32, rhadd32, 8, 16, "RHADD32", "iadd, or, shr, xor", NULL),
   INT("clz32", "clz(): leading zeros", BENCH_U32, clz32, 16, 32, "CLZ32", "ffs, iadd", "xor"),
   INT("lshift32", "shift left by what is not known", BENCH_U32, shl32, 16, 32, "LSHIFT32", "shl", "xor"),
   INT("rshift32", "shift right by what is not known", BENCH_U32, shr32, 16, 32, "RSHIFT32", "shr", "xor"),
   INT("absdiff32", "abs_diff()", BENCH_U32, abs_diff32, 16, 32, "ABSDIFF32", "csel, 2 iadd", NULL),
   INT("mad-hi32", "mad_hi()", BENCH_U32, mad_hi32, 16, 32, "IMADHI32", "iadd, imul", NULL),
   INT64("iadd-32-32-64", "32 + 32 bits to 64, of the sum's folded words", add_32_32, 8, 16, "IADD(32+32=64)", "iadd, mov, xor"),
   INT64("iadd-64-32-64", "64 + 32 bits", add_64_32, 16, 32, "IADD(64+32=64)", "iadd"),
   INT64("iadd64", "64 + 64 bits", add_64_64, 16, 32, "IADD(64+64=64)", "iadd"),
   INT64("imul64", "64 x 64 bits, low half", mul_64_64, 8, 16, "IMUL(64x64=64)", "2 imadd, imul"),
   INT64("imad-32-32-32-64", "32 x 32 bits, low half, + 64, of the sum's folded words", mad_32_64, 8, 16, "IMAD((32x32=32)+64)",
         "iadd, imul, mov, xor"),
   INT64("imad-32-32-64-64", "32 x 32 bits to 64, + 64, of the sum's folded words", mad_32_wide, 8, 16, "IMAD((32x32=64)+64)",
         "iadd, imul, xor"),
   INT64("imad64", "64 x 64 bits + 64", mad_64_64, 8, 16, "IMAD((64x64=64)+64)", "iadd, 2 imadd, imul"),
   INT64("imul-hi64", "64 x 64 bits, high half, and an exclusive or", mul_hi_64, 4, 8, "IMULHI64", "12 iadd, 6 imul, 18 mov, 2 xor"),
};
/* clang-format on */

const struct bench_group bench_int_source = BENCH_GROUP(benchmarks);
