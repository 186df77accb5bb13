/* SPDX-License-Identifier: MIT
 *
 * epilogue-bias-N and epilogue-gelu-N: the two kernels that gemm-fused-N does without, over an N x N matrix of floats.
 * Their figure counts the operations of the GEMM of that size, as the GEMM's own does: so times add up as
 * 1 / TFLOP/s of the three kernels, and compare with that of the fused one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/matrix/gemm.h"

struct epilogue {
   unsigned n;
   bool gelu; /* else the bias, which follows the matrix in the input */
};

/* A thread does four neighbouring elements. */
static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct epilogue *epilogue = benchmark->data;
   const float factor = (float)GEMM_GELU;
   struct matrix_text text;
   uint32_t bits;

   (void)variant;
   if (!matrix_text_begin(&text)) {
      return NULL;
   }
   fputs(AGX_BEGIN("epilogue") AGX_LOAD_WORDS, text.file);
   if (epilogue->gelu) {
      memcpy(&bits, &factor, sizeof(bits));
      fprintf(text.file,
              "   ldimm    r12, 0x%x\n"
              ".rept 4, i\n"
              "   fmul     r8, r[4 + i], r12\n   exp2     r8, r8\n   fadd     r8, r8, 1.0\n   rcp      r8, r8\n"
              "   fmul     r[4 + i], r[4 + i], r8\n"
              ".endr\n",
              bits);
   } else {
      fprintf(text.file,
              "   ldimm    r12, %u\n   and      r8, r3, r12\n   ldimm    r12, %u\n   iadd     r8, r8, r12\n"
              "   load     r8_r9_r10_r11, du0, r8, i32, xyzw, a\n   wait     a\n"
              ".rept 4, i\n   fadd     r[4 + i], r[4 + i], r[8 + i]\n.endr\n",
              epilogue->n - 1, epilogue->n * epilogue->n);
   }
   fputs("   store    r4_r5_r6_r7, du2, r3, i32, xyzw, a\n" AGX_END, text.file);
   return matrix_text_end(&text);
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->output, 0, io->output_bytes);
   for (size_t i = 0; i < io->input_bytes / sizeof(float); i++) {
      const float value = (float)matrix_small(io->seed, i, 64) / 8;

      memcpy(io->input + i * sizeof(value), &value, sizeof(value));
   }
}

static double figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                     const uint8_t *output, char *why, size_t why_size)
{
   const struct epilogue *epilogue = benchmark->data;
   const size_t elements = (size_t)epilogue->n * epilogue->n;

   (void)metric;
   for (size_t i = 0; i < elements; i++) {
      float x, bias, got;

      memcpy(&x, io->input + i * sizeof(x), sizeof(x));
      memcpy(&bias, io->input + (elements + i % epilogue->n) * sizeof(bias), sizeof(bias));
      memcpy(&got, output + i * sizeof(got), sizeof(got));
      const double wanted = epilogue->gelu ? (double)x / (1 + exp2(GEMM_GELU * (double)x)) : (double)x + (double)bias;
      if (!(fabs((double)got - wanted) <= (epilogue->gelu ? 1e-5 * fabs(wanted) + 1e-30 : 0))) {
         snprintf(why, why_size, "element %zu is %g, expected %g", i, (double)got, wanted);
         return NAN;
      }
   }
   return 0;
}

/* clang-format off */
#define ROW(name_, what, size, gelu_)                                                                                  \
   {"matrix", "epilogue-" name_ "-" #size, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_DISPATCH,               \
    .scale = BENCH_SCALE_THREADS, .text = make_text, .data = &(const struct epilogue){size, gelu_},                    \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .dispatch = {256, (size) * (size) / 1024, 1}, .work = 2.0 * (size) * (size) * (size) / 1000, .work_unit = "TFLOP/s",   \
    .variants = {[BENCH_DISPATCH] = {4, 1, 4}},                                                                        \
    .codegen = {(gelu_) ? "rcp" : "fadd", (gelu_) ? ISA_OP_RCP : ISA_OP_FADD, 32, BENCH_ANY, 1, .whole_program = true},\
    .input_stride = 16, .input_bytes_min = 4u * (size) * (size) + 4u * (size), .output_stride = 16, .fill = fill,      \
    .figure = figure},
#define SIZE(size)                                                                                                     \
   ROW("bias", "a bias for each column added; the operations counted are those of the GEMM", size, false)              \
   ROW("gelu", "GELU of each element; the operations counted are those of the GEMM", size, true)

static const struct benchmark benchmarks[] = {SIZE(64) SIZE(128) SIZE(256) SIZE(512) SIZE(1024)};
/* clang-format on */

const struct bench_group bench_matrix_epilogue = BENCH_GROUP(benchmarks);
