/* SPDX-License-Identifier: MIT
 *
 * float/: what the compiler makes of OpenCL C's functions. The kernels are in source_float.cl and source_precise.cl.
 *
 * Each step is x = f(x) and x = x + a, with operands that keep x where f is steep enough to tell a wrong answer and
 * flat enough that errors in the last place die out.
 */
#include <math.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

#define PI 3.14159265358979323846

/* FUNCTION of x and b, in double precision, then rounded. */
#define HOST(name, function)                                                                                           \
   static uint64_t host_##name(const struct bench_host_step *step)                                                     \
   {                                                                                                                   \
      double x = bench_single(bench_own(step));                                                                        \
      const double a = bench_single(bench_operand(step, step->index % 2));                                             \
      const double b = bench_single(bench_operand(step, 2 + step->index % 2));                                         \
      (void)b;                                                                                                         \
      if (step->operation) {                                                                                           \
         x = (float)(function);                                                                                        \
      }                                                                                                                \
      return bench_single_word(x + a);                                                                                 \
   }
HOST(fract, x - floor(x))
HOST(round, round(x))
HOST(div, b / x)
HOST(recip, 1 / x)
HOST(sqrt, sqrt(x))
HOST(rsqrt, 1 / sqrt(x))
HOST(sin, sin(x))
HOST(cos, cos(x))
HOST(exp, exp(x))
HOST(log, log(x))
HOST(exp2, exp2(x))
HOST(log2, log2(x))
HOST(exp10, pow(10, x))
HOST(log10, log10(x))

/* x = f(x + a): with a companion the values of the latency programs would leave the range in which the function is
 * flat. */
static uint64_t host_sinpi(const struct bench_host_step *step)
{
   const double x = bench_single(bench_own(step)), a = bench_single(bench_operand(step, step->index % 2));

   return bench_single_word(sin((float)(x + a) * PI));
}

static uint64_t host_frexp(const struct bench_host_step *step)
{
   float x = bench_single(bench_own(step));
   int exponent;

   if (step->operation) {
      x = frexpf(x, &exponent);
      x += (float)exponent;
   }
   return bench_single_word(x + bench_single(bench_operand(step, step->index % 2)));
}

static uint64_t host_median(const struct bench_host_step *step)
{
   const float x = bench_single(bench_own(step)), a = bench_single(bench_operand(step, step->index % 2)),
               b = bench_single(bench_operand(step, 2 + step->index % 2));

   return bench_single_word(fmaxf(fminf(x, a), fminf(fmaxf(x, a), b)));
}

/* Operands whose bits, as numbers, need more than 32 bits to the left of the point; the low bits of x change. */
static void prepare_to_i64(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
         inputs->operands[i].lane[lane] = bench_single_word(0x1p40) | (inputs->operands[i].lane[lane] & 0x7fffff);
         inputs->first[i].lane[lane] = bench_single_word(0x1p41) | (inputs->first[i].lane[lane] & 0x7fffff);
      }
   }
}

static uint64_t host_to_i64(const struct bench_host_step *step)
{
   uint32_t x = (uint32_t)bench_own(step);

   if (step->operation) {
      const uint64_t whole = (uint64_t)(int64_t)bench_single(x);

      x = (uint32_t)(whole ^ whole >> 32) & 0x7fffff;
   }
   return x ^ bench_operand(step, step->index % 2);
}

#define CHAIN(name, function, tolerance_, ...)                                                                         \
   static const struct bench_chain name = {                                                                            \
       BENCH_F32, {__VA_ARGS__}, .tolerance = (tolerance_), .host = host_##function};
static const struct bench_chain to_i64 = {BENCH_U32, .prepare = prepare_to_i64, .host = host_to_i64};
CHAIN(fract32, fract, 0, 0.375, 1.8125)
CHAIN(frexp32, frexp, 0, 0.375, 1.8125)
CHAIN(round32, round, 0, 0.75, -1.25)
CHAIN(median32, median, 0, 1.5, 1.25, 1.75, 1.375)
CHAIN(div32, div, 1e-6, 1.5, 2.5, 1.25, 0.8)
CHAIN(recip32, recip, 1e-6, 1.5, 2.5)
CHAIN(sqrt32, sqrt, 1e-6, 1.5, 2.5)
CHAIN(rsqrt32, rsqrt, 1e-6, 0.5, 1.5)
CHAIN(sin32, sin, 1e-5, 0.6, 0.9)
CHAIN(cos32, cos, 1e-5, -0.6, -0.9)
static const struct bench_chain sinpi32 = {
    BENCH_F32, {-0.5, -0.45}, .tolerance = 2e-5, .prepare = bench_prepare_sinpi, .host = host_sinpi};
CHAIN(exp32, exp, 1e-5, -2, -2.5)
CHAIN(log32, log, 1e-5, 4, 6)
CHAIN(exp2_32, exp2, 1e-5, -2, -2.5)
CHAIN(log2_32, log2, 1e-5, 4, 6)
CHAIN(exp10_32, exp10, 1e-5, -1.5, -2)
CHAIN(log10_32, log10, 1e-5, 4, 6)

/* clang-format off */
#define FAST(name_, what, chain_, throughput, latency, row, sequence_)                                                 \
   {"float", name_, what, BENCH_SOURCE(chain_, "source_float", #chain_, throughput, latency),                          \
    .codegen = {.sequence = sequence_, .companion = "fadd"}, .reference = "float/" row}
#define PRECISE(name_, what, chain_, throughput, latency, row, sequence_)                                              \
   {"float", name_, what ", full precision", BENCH_SOURCE(chain_, "source_precise", #chain_, throughput, latency),     \
    .codegen = {.sequence = sequence_, .companion = "fadd"}, .reference = "float/Precise " row}

static const struct benchmark benchmarks[] = {
   {"float", "to-i64", "convert single precision to a 64-bit integer, and fold its words",
    BENCH_SOURCE(to_i64, "source_float", "to_i64", 8, 16),
    .codegen = {.sequence = "and, 5 csel, 2 f_to_u32, fadd, 2 fmul, 3 iadd, 2 trunc, xor", .companion = "xor"}, .reference = "float/CONVERT(F->I64)"},
   FAST("fract32", "x - floor(x)", fract32, 16, 32, "FRACT32", "fadd, floor"),
   FAST("frexp32", "frexp(), mantissa and exponent added up", frexp32, 4, 8, "FREXP", "3 and, asr, 8 csel, 2 fadd, 2 iadd, 3 or, s32_to_f | 3 and, asr, 9 csel, 3 fadd, 2 iadd, 3 or, s32_to_f"),
   FAST("round32", "round(): halves away from zero", round32, 8, 16, "ROUND_INF", "3 csel, 3 fadd, trunc"),
   {"float", "median32", "the middle one of three", BENCH_SOURCE(median32, "source_float", "median32", 8, 16),
    .codegen = {.sequence = "4 csel, 3 fadd"}, .reference = "float/FMEDIAN32"},
   FAST("div32", "native_divide()", div32, 16, 32, "DIV32", "csel, 2 ffma, fmul, rcp"),
   FAST("sqrt32", "native_sqrt()", sqrt32, 16, 32, "SQRT32", "fmul, rsqrts"),
   FAST("sin32", "native_sin()", sin32, 8, 16, "SIN32", "fadd, floor, 3 fmul, sinc, sinr"),
   FAST("cos32", "native_cos()", cos32, 8, 16, "COS32", "2 fadd, floor, 3 fmul, sinc, sinr"),
   {"float", "sinpi32", "native_sin() of pi (x + a)", BENCH_SOURCE(sinpi32, "source_float", "sinpi32", 8, 16),
    .codegen = {.sequence = "2 fadd, floor, 4 fmul, sinc, sinr"}, .reference = "float/SINPI32"},
   FAST("exp32", "native_exp()", exp32, 16, 32, "EXPE_32", "exp2, fmul"),
   FAST("log32", "native_log()", log32, 16, 32, "LOGE_32", "fmul, log2"),
   FAST("exp10-32", "native_exp10()", exp10_32, 16, 32, "EXP10_32", "exp2, fmul"),
   FAST("log10-32", "native_log10()", log10_32, 16, 32, "LOG10_32", "fmul, log2"),
   {"float", "precise-rsqrt32", "rsqrt(), full precision", BENCH_SOURCE(rsqrt32, "source_precise", "rsqrt32", 8, 16),
    .codegen = {"rsqrt", ISA_OP_RSQRT, 32, 1, 1, .companions = 1}, .reference = "float/Precise RSQRT32"},
   PRECISE("libclc-exp2-32", "exp2()", exp2_32, 4, 8, "EXP2_32", "3 csel, f_to_s32, 6 fadd, 5 ffma, 5 fmul, imadd, rcp, rint"),
   PRECISE("libclc-log2-32", "log2()", log2_32, 4, 8, "LOG2_32", "5 and, 6 csel, 8 fadd, 8 ffma, 8 fmul, 3 iadd, 2 load, mov, 3 or, rcp, s32_to_f, 2 shr, 2 wait"),
   PRECISE("precise-recip32", "1 / x", recip32, 8, 16, "RECIP32", "csel, 2 ffma, rcp"),
   PRECISE("precise-div32", "b / x", div32, 8, 16, "DIV32", "csel, 2 ffma, fmul, rcp"),
   PRECISE("precise-sqrt32", "sqrt()", sqrt32, 8, 16, "SQRT32", "fmul, rsqrts"),
   PRECISE("precise-sin32", "sin()", sin32, 2, 2, "SIN32", "18 and, asr, bfeil, 43 csel, else, 4 extr, f_to_s32, 24 fadd, 33 ffma, 2 ffs, 9 fmul, 32 iadd, if, 8 imadd, 8 imul, jmp_none, 11 or, pop_exec, 7 shl, 10 shr, trunc, 6 xor | 13 and, asr, bfeil, 46 csel, else, 4 extr, f_to_s32, 25 fadd, 33 ffma, 2 ffs, 9 fmul, 29 iadd, if, 8 imadd, 8 imul, jmp_none, 11 or, pop_exec, 7 shl, 10 shr, trunc, 6 xor | 13 and, asr, bfeil, 46 csel, else, 4 extr, f_to_s32, 25 fadd, 33 ffma, 2 ffs, 9 fmul, 30 iadd, if, 8 imadd, 8 imul, jmp_none, 11 or, pop_exec, 7 shl, 10 shr, trunc, 6 xor"),
   {"float", "precise-sinpi32", "sinpi() of x + a, full precision",
    BENCH_SOURCE(sinpi32, "source_precise", "sinpi32", 2, 4),
    .codegen = {.sequence = "2 and, 9 csel, f_to_s32, 5 fadd, 9 ffma, 4 fmul, s32_to_f, 3 xor | "
                            "2 and, 9 csel, f_to_s32, 6 fadd, 9 ffma, 4 fmul, s32_to_f, 3 xor"},
    .reference = "float/Precise SINPI32"},
};
/* clang-format on */

const struct bench_group bench_float_source = BENCH_GROUP(benchmarks);
