/* SPDX-License-Identifier: MIT
 *
 * float/: addition, multiplication and fused multiply-add in single and half precision.
 *
 * Two operands take turns, chosen so that values stay near where they begin: x + 0.5 - 0.4375, x * 1.25 * 0.8. No
 * value becomes denormal, which the hardware flushes in single precision.
 */
#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include <math.h>
#include <string.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/half.h"

static float single(uint64_t word)
{
   return bench_single(word);
}

static uint64_t single_word(float value)
{
   return bench_single_word(value);
}

static double half(uint64_t word)
{
   return bench_half_value((uint16_t)word);
}

/* The operands of this step: one of the first two; one of the last two. */
static uint64_t second(const struct bench_host_step *step)
{
   return bench_operand(step, step->index % 2);
}

static uint64_t third(const struct bench_host_step *step)
{
   return bench_operand(step, 2 + step->index % 2);
}

static uint64_t host_fadd32(const struct bench_host_step *step)
{
   return single_word(single(bench_own(step)) + single(second(step)));
}

/* A double holds half-precision sums and products exactly before they are rounded: these values lie within a few
 * binades. */
static uint64_t host_fadd16(const struct bench_host_step *step)
{
   return bench_half(half(bench_own(step)) + half(second(step)));
}

static uint64_t host_fmul32(const struct bench_host_step *step)
{
   return single_word(single(bench_own(step)) * single(second(step)));
}

static uint64_t host_fmul16(const struct bench_host_step *step)
{
   return bench_half(half(bench_own(step)) * half(second(step)));
}

static uint64_t host_ffma32(const struct bench_host_step *step)
{
   return single_word(fmaf(single(bench_own(step)), single(second(step)), single(third(step))));
}

static uint64_t host_ffma16(const struct bench_host_step *step)
{
   return bench_half(half(bench_own(step)) * half(second(step)) + half(third(step)));
}

/* ---- NIR, in agx-compile alone ---- */

#ifdef BENCH_WITH_NIR
static nir_def *build_fadd(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_fadd(b, step->value, step->operands[step->index % 2]);
}

static nir_def *build_fmul(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_fmul(b, step->value, step->operands[step->index % 2]);
}

static nir_def *build_ffma(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_ffma(b, step->value, step->operands[step->index % 2], step->operands[2 + step->index % 2]);
}
#endif

#define ADD                                                                                                            \
   {                                                                                                                   \
      0.5, -0.4375                                                                                                     \
   }
#define MUL                                                                                                            \
   {                                                                                                                   \
      1.25, 0.8                                                                                                        \
   }
#define FMA                                                                                                            \
   {                                                                                                                   \
      1.25, 0.8, 0.5, -0.4375                                                                                          \
   }

/* clang-format off */
static const struct bench_chain fadd32 = {BENCH_F32, ADD, .build = BENCH_NIR(build_fadd), .host = host_fadd32};
static const struct bench_chain fmul32 = {BENCH_F32, MUL, .build = BENCH_NIR(build_fmul), .host = host_fmul32};
static const struct bench_chain ffma32 = {BENCH_F32, FMA, .build = BENCH_NIR(build_ffma), .host = host_ffma32};
static const struct bench_chain fadd16 = {BENCH_F16, ADD, .build = BENCH_NIR(build_fadd), .host = host_fadd16};
static const struct bench_chain fmul16 = {BENCH_F16, MUL, .build = BENCH_NIR(build_fmul), .host = host_fmul16};
static const struct bench_chain ffma16 = {BENCH_F16, FMA, .build = BENCH_NIR(build_ffma), .host = host_ffma16};

static const struct benchmark benchmarks[] = {
   {"float", "fadd32", "add, single precision", BENCH_CHAIN(fadd32, 16, 32),
    .codegen = {"fadd", ISA_OP_FADD, 32, 2, 1}, .reference = "float/FADD32"},
   {"float", "fmul32", "multiply, single precision", BENCH_CHAIN(fmul32, 16, 32),
    .codegen = {"fmul", ISA_OP_FMUL, 32, 2, 1}, .reference = "float/FMUL32"},
   {"float", "ffma32", "fused multiply-add, single precision", BENCH_CHAIN(ffma32, 16, 32),
    .codegen = {"ffma", ISA_OP_FFMA, 32, 3, 1}, .reference = "float/FFMA32"},
   {"float", "fadd16", "add, half precision", BENCH_CHAIN(fadd16, 16, 32),
    .codegen = {"hadd", ISA_OP_HADD, 16, 2, 1}, .reference = "float/FADD16"},
   {"float", "fmul16", "multiply, half precision", BENCH_CHAIN(fmul16, 16, 32),
    .codegen = {"hmul", ISA_OP_HMUL, 16, 2, 1}, .reference = "float/FMUL16"},
   {"float", "ffma16", "fused multiply-add, half precision", BENCH_CHAIN(ffma16, 16, 32),
    .codegen = {"hfma", ISA_OP_HFMA, 16, 3, 1}, .reference = "float/FFMA16"},
};
/* clang-format on */

const struct bench_group bench_float = BENCH_GROUP(benchmarks);
