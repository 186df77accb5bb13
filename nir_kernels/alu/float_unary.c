/* SPDX-License-Identifier: MIT
 *
 * float/: functions of one value, selections and conversions; half-precision sequences.
 *
 * Each function's step is x = f(x) and x = x + a, with operands that keep x where f is steep enough to tell a wrong
 * answer and flat enough that errors in the last place die out.
 */
#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include <math.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

#define PI 3.14159265358979323846

/* In NIR and, in double precision, on the host; x is the value, s the step. */
#ifdef BENCH_WITH_NIR
#define STEP(name, nir)                                                                                                \
   static nir_def *build_##name(nir_builder *b, const struct bench_nir_step *s)                                        \
   {                                                                                                                   \
      nir_def *x = s->value;                                                                                           \
      if (s->operation) {                                                                                              \
         x = (nir);                                                                                                    \
      }                                                                                                                \
      return nir_fadd(b, x, s->operands[s->index % 2]);                                                                \
   }
#else
#define STEP(name, nir)
#endif
#define FUNCTION(name, type, nir, host)                                                                                \
   STEP(name, nir)                                                                                                     \
   static uint64_t host_##name(const struct bench_host_step *s)                                                        \
   {                                                                                                                   \
      double x = bench_number(type, bench_own(s));                                                                     \
      const double a = bench_number(type, bench_operand(s, s->index % 2));                                             \
      const double k = bench_number(type, bench_operand(s, 2 + s->index % 2));                                         \
      (void)k;                                                                                                         \
      if (s->operation) {                                                                                              \
         x = bench_number(type, bench_word(type, (host)));                                                             \
      }                                                                                                                \
      return bench_word(type, x + a);                                                                                  \
   }
#define K s->operands[2 + s->index % 2]
FUNCTION(rint32, BENCH_F32, nir_fround_even(b, x), rint(x))
FUNCTION(trunc32, BENCH_F32, nir_ftrunc(b, x), trunc(x))
FUNCTION(rcp16, BENCH_F16, nir_frcp(b, x), 1 / x)
FUNCTION(rcp32, BENCH_F32, nir_frcp(b, x), 1 / x)
FUNCTION(rsqrt16, BENCH_F16, nir_frsq(b, x), 1 / sqrt(x))
FUNCTION(rsqrt32, BENCH_F32, nir_frsq(b, x), 1 / sqrt(x))
FUNCTION(exp2_16, BENCH_F16, nir_fexp2(b, x), exp2(x))
FUNCTION(exp2_32, BENCH_F32, nir_fexp2(b, x), exp2(x))
FUNCTION(log2_16, BENCH_F16, nir_flog2(b, x), log2(x))
FUNCTION(log2_32, BENCH_F32, nir_flog2(b, x), log2(x))
FUNCTION(div16, BENCH_F16, nir_fdiv(b, K, x), k / x)
FUNCTION(sqrt16, BENCH_F16, nir_fsqrt(b, x), sqrt(x))
FUNCTION(sin16, BENCH_F16, nir_fsin(b, x), sin(x))

static uint64_t host_sinpi16(const struct bench_host_step *s)
{
   const double x = bench_number(BENCH_F16, bench_own(s)), a = bench_number(BENCH_F16, bench_operand(s, s->index % 2));

   return bench_word(BENCH_F16, sin((x + a) * PI));
}

static double own(enum bench_type type, const struct bench_host_step *s)
{
   return bench_number(type, bench_own(s));
}

static double operand(enum bench_type type, const struct bench_host_step *s, unsigned i)
{
   return bench_number(type, bench_operand(s, i));
}

static uint64_t host_max(const struct bench_host_step *s)
{
   return bench_single_word(fmax(own(BENCH_F32, s), operand(BENCH_F32, s, s->index % BENCH_OPERANDS)));
}

static uint64_t host_min(const struct bench_host_step *s)
{
   return bench_single_word(fmin(own(BENCH_F32, s), operand(BENCH_F32, s, s->index % BENCH_OPERANDS)));
}

static uint64_t select_of(enum bench_type type, const struct bench_host_step *s)
{
   return bench_operand(s, own(type, s) < operand(type, s, s->index % 2 == 0 ? 0 : 3) ? 1 : 2);
}

static uint64_t host_select16(const struct bench_host_step *s)
{
   return select_of(BENCH_F16, s);
}

static uint64_t host_select32(const struct bench_host_step *s)
{
   return select_of(BENCH_F32, s);
}

static uint64_t host_median(const struct bench_host_step *s)
{
   const double x = own(BENCH_F16, s), a = operand(BENCH_F16, s, s->index % 2),
                b = operand(BENCH_F16, s, 2 + s->index % 2);

   return bench_word(BENCH_F16, fmax(fmin(x, a), fmin(fmax(x, a), b)));
}

/* The bits of numbers about 2^22, of which the integer takes the lower mantissa's place. */
static void prepare_convert(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
         inputs->operands[i].lane[lane] = bench_single_word(0x1p22) | (inputs->operands[i].lane[lane] & 0x3fffff);
         inputs->first[i].lane[lane] = bench_single_word(0x1p21) | (inputs->first[i].lane[lane] & 0x3fffff);
      }
   }
}

static uint64_t host_convert(const struct bench_host_step *s)
{
   const uint64_t x = s->operation ? (uint32_t)(int32_t)bench_single(bench_own(s)) : bench_own(s);

   return x ^ bench_operand(s, s->index % BENCH_OPERANDS);
}

/* ---- NIR, in agx-compile alone ---- */

#ifdef BENCH_WITH_NIR
/* x = f(x + a): with a companion the values of the latency programs would leave the range in which the function is
 * flat. */
static nir_def *build_sinpi16(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_fsin(b, nir_fmul_imm(b, nir_fadd(b, s->value, s->operands[s->index % 2]), PI));
}

/* The four operands in turn: with fewer the compiler would drop steps. */
static nir_def *build_max(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_fmax_agx(b, s->value, s->operands[s->index % BENCH_OPERANDS]);
}

static nir_def *build_min(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_fmin_agx(b, s->value, s->operands[s->index % BENCH_OPERANDS]);
}

/* x = x < a ? b : c, and in the next step with d for a. */
static nir_def *build_select(nir_builder *b, const struct bench_nir_step *s)
{
   return nir_bcsel(b, nir_flt(b, s->value, s->operands[s->index % 2 == 0 ? 0 : 3]), s->operands[1], s->operands[2]);
}

static nir_def *build_median(nir_builder *b, const struct bench_nir_step *s)
{
   nir_def *x = s->value, *a = s->operands[s->index % 2];

   return nir_fmax(b, nir_fmin(b, x, a), nir_fmin(b, nir_fmax(b, x, a), K));
}

static nir_def *build_convert(nir_builder *b, const struct bench_nir_step *s)
{
   nir_def *x = s->operation ? nir_f2i32(b, s->value) : s->value;

   return nir_ixor(b, x, s->operands[s->index % BENCH_OPERANDS]);
}
#endif

#define F(type_, name, tolerance_, ...)                                                                                \
   static const struct bench_chain name = {type_,                                                                      \
                                           {__VA_ARGS__},                                                              \
                                           .tolerance = (tolerance_),                                                  \
                                           .inexact = true,                                                            \
                                           .build = BENCH_NIR(build_##name),                                           \
                                           .host = host_##name};
F(BENCH_F32, rint32, 0, 0.75, -1.25)
F(BENCH_F32, trunc32, 0, 1.75, -0.5)
F(BENCH_F16, rcp16, 4e-3, 1.5, 2.5)
F(BENCH_F32, rcp32, 1e-6, 1.5, 2.5)
F(BENCH_F16, rsqrt16, 4e-3, 0.5, 1.5)
F(BENCH_F32, rsqrt32, 1e-6, 0.5, 1.5)
F(BENCH_F16, exp2_16, 4e-3, -2, -2.5)
F(BENCH_F32, exp2_32, 1e-5, -2, -2.5)
F(BENCH_F16, log2_16, 4e-3, 4, 6)
F(BENCH_F32, log2_32, 1e-5, 4, 6)
F(BENCH_F16, div16, 4e-3, 1.5, 2.5, 1.25, 0.8)
F(BENCH_F16, sqrt16, 4e-3, 1.5, 2.5)
F(BENCH_F16, sin16, 2e-2, 0.6, 0.9)
static const struct bench_chain sinpi16 = {BENCH_F16,
                                           {-0.5, -0.45},
                                           .tolerance = 5e-2,
                                           .inexact = true,
                                           .prepare = bench_prepare_sinpi16,
                                           .build = BENCH_NIR(build_sinpi16),
                                           .host = host_sinpi16};
static const struct bench_chain max32 = {
    BENCH_F32, {1.5, 1.25, 1.75, 1.375}, .build = BENCH_NIR(build_max), .host = host_max};
static const struct bench_chain min32 = {
    BENCH_F32, {1.5, 1.25, 1.75, 1.375}, .build = BENCH_NIR(build_min), .host = host_min};
static const struct bench_chain select16 = {
    BENCH_F16, {1.5, 1.25, 1.75, 1.375}, .build = BENCH_NIR(build_select), .host = host_select16};
static const struct bench_chain select32 = {
    BENCH_F32, {1.5, 1.25, 1.75, 1.375}, .build = BENCH_NIR(build_select), .host = host_select32};
static const struct bench_chain median16 = {
    BENCH_F16, {1.5, 1.25, 1.75, 1.375}, .build = BENCH_NIR(build_median), .host = host_median};
static const struct bench_chain convert = {BENCH_U32, .prepare = prepare_convert, .build = BENCH_NIR(build_convert),
                                           .host = host_convert};

/* clang-format off */
#define UNARY(name_, what, chain_, instruction_, op_, bits_, row)                                                      \
   {"float", name_, what, BENCH_CHAIN(chain_, 16, 32),                                                                 \
    .codegen = {instruction_, op_, bits_, 1, 1, .companions = 1}, .reference = "float/" row}
#define SEQUENCE(name_, what, chain_, repeat, row, sequence_, companion_)                                              \
   {"float", name_, what, BENCH_CHAIN(chain_, repeat, 2 * (repeat)),                                                   \
    .codegen = {.sequence = sequence_, .companion = companion_}, .reference = "float/" row}

static const struct benchmark benchmarks[] = {
   UNARY("to-i32", "convert single precision to an integer", convert, "convert", ISA_OP_CONVERT, 32, "CONVERT(F->I32)"),
   UNARY("rint32", "round to the nearest integer", rint32, "rint", ISA_OP_RINT, 32, "RINT32"),
   UNARY("trunc32", "round towards zero", trunc32, "trunc", ISA_OP_TRUNC, 32, "TRUNC32"),
   UNARY("rcp16", "reciprocal", rcp16, "rcp", ISA_OP_RCP, 16, "RECIP16"),
   UNARY("rcp32", "reciprocal", rcp32, "rcp", ISA_OP_RCP, 32, "RECIP32"),
   UNARY("rsqrt16", "reciprocal square root", rsqrt16, "rsqrt", ISA_OP_RSQRT, 16, "RSQRT16"),
   UNARY("rsqrt32", "reciprocal square root", rsqrt32, "rsqrt", ISA_OP_RSQRT, 32, "RSQRT32"),
   UNARY("exp2-16", "power of 2", exp2_16, "exp2", ISA_OP_EXP2, 16, "EXP2_16"),
   UNARY("log2-16", "logarithm to the base 2", log2_16, "log2", ISA_OP_LOG2, 16, "LOG2_16"),
   UNARY("exp2-32", "power of 2", exp2_32, "exp2", ISA_OP_EXP2, 32, "EXP2_32"),
   UNARY("log2-32", "logarithm to the base 2", log2_32, "log2", ISA_OP_LOG2, 32, "LOG2_32"),
   /* The source lists these two among instructions, with the figures of the fast ones. */
   UNARY("precise-exp2-32", "power of 2: Apple's full precision is this instruction, too", exp2_32, "exp2", ISA_OP_EXP2, 32,
         "Precise EXP2_32"),
   UNARY("precise-log2-32", "logarithm to the base 2: Apple's full precision is this instruction, too", log2_32, "log2",
         ISA_OP_LOG2, 32, "Precise LOG2_32"),
   {"float", "fmax32", "the greater one", BENCH_CHAIN(max32, 16, 32),
    .codegen = {"fcmpsel", ISA_OP_FCMPSEL, 32, 4, 1}, .reference = "float/FMAX32"},
   {"float", "fmin32", "the lesser one", BENCH_CHAIN(min32, 16, 32),
    .codegen = {"fcmpsel", ISA_OP_FCMPSEL, 32, 4, 1}, .reference = "float/FMIN32"},
   {"float", "fcmpsel16", "compare and select", BENCH_CHAIN(select16, 16, 32),
    .codegen = {"fcmpsel", ISA_OP_FCMPSEL, 16, 4, 1}, .reference = "float/FCMPSEL16"},
   {"float", "fcmpsel32", "compare and select", BENCH_CHAIN(select32, 16, 32),
    .codegen = {"fcmpsel", ISA_OP_FCMPSEL, 32, 4, 1}, .reference = "float/FCMPSEL32"},
   SEQUENCE("median16", "the middle one of three", median16, 8, "FMEDIAN16", "4 csel", NULL),
   SEQUENCE("div16", "divide", div16, 16, "DIV16", "-1 hadd, hfma, rcp", "hadd"),
   SEQUENCE("sqrt16", "square root", sqrt16, 16, "SQRT16", "fmul, rsqrts", "hadd"),
   SEQUENCE("sin16", "sine", sin16, 8, "SIN16", "floor, fmul, hadd, 2 hmul, sinc, sinr", "hadd"),
   SEQUENCE("sinpi16", "sine of pi (x + a)", sinpi16, 8, "SINPI16", "floor, fmul, 2 hadd, 2 hmul, sinc, sinr", NULL),
};
/* clang-format on */

const struct bench_group bench_float_unary = BENCH_GROUP(benchmarks);
