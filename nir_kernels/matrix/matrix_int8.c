/* SPDX-License-Identifier: MIT
 *
 * The rows gemm-int8-blocked-*: D = A B of 8-bit integers with sums of 32 bits, by integer multiply-adds, for M1 and M2
 * have no dot-product instruction. A lies in rows and B in columns (it is given transposed), so that four steps along K
 * are one word. A thread computes 4 x 4 elements; each step of four along K takes 8 words, 48 shifts and 64 imadd.
 *
 * Factors are all of -128 to 127 and every sum is exact. The check is D x = A (B x) in 64-bit integers for two random
 * x: a wrong D passes with a probability below 2^-38 (Freivalds).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/matrix/gemm.h"

#define SIDE 4u   /* rows and columns of D that a thread computes, and factors in a word */
#define PROBES 2u /* vectors x of the check */
#define PROBE_MAX 0x7ffff

struct int8_gemm {
   unsigned m, n, k; /* multiples of SIDE */
};

enum {
   ROW = 3,
   COLUMN = 4,
   TEMPORARY = 5,
   LIMIT = 8,
   STEP = 9,
   BASE_A = 10,
   BASE_B = 12,
   WORDS_A = 16,
   WORDS_B = 20,
   FACTORS_A = 24, /* two a register */
   FACTORS_B = 32,
   SUMS = 40
};

/* A word's four factors, each into a half register with its sign. */
static void put_factors(FILE *file, unsigned to, unsigned word)
{
   for (unsigned i = 0; i < SIDE; i++) {
      const char *half = i / 2 ? "h" : "l";

      if (i % 2 == 0) {
         fprintf(file, "   shl      r%ul, r%u%s, 8\n   asr      r%ul, r%ul, 8\n", to + i / 2, word, half, to + i / 2,
                 to + i / 2);
      } else {
         fprintf(file, "   asr      r%uh, r%u%s, 8\n", to + i / 2, word, half);
      }
   }
}

static void put_step(FILE *file, unsigned words_a_row)
{
   for (unsigned i = 0; i < SIDE; i++) {
      fprintf(file, "   load     r%u, dr%u, %u.zx, i32, x, a\n   load     r%u, dr%u, %u.zx, i32, x, b\n", WORDS_A + i,
              BASE_A, i * words_a_row, WORDS_B + i, BASE_B, i * words_a_row);
   }
   fputs("   wait     a\n   wait     b\n", file);
   for (unsigned i = 0; i < SIDE; i++) {
      put_factors(file, FACTORS_A + 2 * i, WORDS_A + i);
      put_factors(file, FACTORS_B + 2 * i, WORDS_B + i);
   }
   for (unsigned k = 0; k < SIDE; k++) {
      for (unsigned i = 0; i < SIDE; i++) {
         for (unsigned j = 0; j < SIDE; j++) {
            const unsigned sum = SUMS + i * SIDE + j;

            fprintf(file, "   imadd    r%u, r%u%c.sx, r%u%c.sx, r%u\n", sum, FACTORS_A + 2 * i + k / 2, "lh"[k % 2],
                    FACTORS_B + 2 * j + k / 2, "lh"[k % 2], sum);
         }
      }
   }
}

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct int8_gemm *gemm = benchmark->data;
   const unsigned blocks = gemm->m / SIDE * (gemm->n / SIDE);
   struct matrix_text text;

   (void)variant;
   if (!matrix_text_begin(&text)) {
      return NULL;
   }
   FILE *file = text.file;
   fputs(benchmark->large ? AGX_BEGIN_PART("gemm_int8") : AGX_BEGIN("gemm_int8"), file);
   gemm_put_minimum(file, 2, blocks - 1, TEMPORARY); /* threads beyond the last compute its block, too */
   gemm_put_divide(file, ROW, COLUMN, 2, gemm->n / SIDE);
   fprintf(file, "   shl      r%u, r%u, 2\n   shl      r%u, r%u, 2\n   ldimm    r%u, 0\n", ROW, ROW, COLUMN, COLUMN,
           STEP);
   gemm_put_address(file, BASE_A, 0, ROW, gemm->k, STEP, 1, 0, TEMPORARY);
   gemm_put_address(file, BASE_B, 0, COLUMN, gemm->k, STEP, 1, (size_t)gemm->m * gemm->k, TEMPORARY);
   for (unsigned i = 0; i < SIDE * SIDE; i++) {
      fprintf(file, "   ldimm    r%u, 0\n", SUMS + i);
   }
   fprintf(file, "   ldimm    r%u, %u\n", STEP, SIDE);
   gemm_put_loop(file, gemm->k / SIDE, LIMIT);
   put_step(file, gemm->k / SIDE);
   fprintf(file, "   iadd     dr%u, dr%u, r%u\n   iadd     dr%u, dr%u, r%u\n", BASE_A, BASE_A, STEP, BASE_B, BASE_B,
           STEP);
   gemm_put_loop_end(file, LIMIT);
   for (unsigned i = 0; i < SIDE; i++) {
      const unsigned sum = SUMS + i * SIDE;

      gemm_put_address(file, BASE_A, 2, ROW, 4 * (size_t)gemm->n, COLUMN, 4, 0, TEMPORARY);
      fprintf(file, "   store    r%u_r%u_r%u_r%u, dr%u, 0, i32, xyzw, a\n   iadd     r%u, r%u, 1\n", sum, sum + 1,
              sum + 2, sum + 3, BASE_A, ROW, ROW);
   }
   fputs(AGX_END, file);
   return matrix_text_end(&text);
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct int8_gemm *gemm = benchmark->data;
   const size_t count = (size_t)(gemm->m + gemm->n) * gemm->k;

   memset(io->output, 0xff, io->output_bytes);
   for (size_t i = 0; i < count; i++) {
      const int value = matrix_small(io->seed, i, 128);

      io->input[i] = (uint8_t)(value == 128 ? -128 : value);
   }
}

/* bx and abx: B x and A (B x). */
static void expect_product(const struct int8_gemm *gemm, const int8_t *a, const int64_t *x, int64_t *bx, int64_t *abx)
{
   const int8_t *b = a + (size_t)gemm->m * gemm->k;

   memset(bx, 0, gemm->k * sizeof(*bx));
   for (unsigned j = 0; j < gemm->n; j++) {
      for (unsigned k = 0; k < gemm->k; k++) {
         bx[k] += b[(size_t)j * gemm->k + k] * x[j];
      }
   }
   for (unsigned i = 0; i < gemm->m; i++) {
      abx[i] = 0;
      for (unsigned k = 0; k < gemm->k; k++) {
         abx[i] += a[(size_t)i * gemm->k + k] * bx[k];
      }
   }
}

static bool row_is_right(const struct int8_gemm *gemm, const uint8_t *row, const int64_t *x, int64_t wanted)
{
   int64_t sum = 0;

   for (unsigned j = 0; j < gemm->n; j++) {
      int32_t element;

      memcpy(&element, row + j * sizeof(element), sizeof(element));
      sum += element * x[j];
   }
   return sum == wanted;
}

static double figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                     const uint8_t *output, char *why, size_t why_size)
{
   const struct int8_gemm *gemm = benchmark->data;
   int64_t *x = calloc((size_t)gemm->n + gemm->k + gemm->m, sizeof(*x));
   bool right = true;

   (void)metric;
   if (x == NULL) {
      snprintf(why, why_size, "out of memory");
      return NAN;
   }
   int64_t *bx = x + gemm->n, *abx = bx + gemm->k;
   for (unsigned probe = 0; right && probe < PROBES; probe++) {
      for (unsigned j = 0; j < gemm->n; j++) {
         x[j] = matrix_small(io->seed + probe + 7, j, PROBE_MAX);
      }
      expect_product(gemm, (const int8_t *)io->input, x, bx, abx);
      for (unsigned i = 0; right && i < gemm->m; i++) {
         right = row_is_right(gemm, output + (size_t)i * gemm->n * 4, x, abx[i]);
         if (!right) {
            snprintf(why, why_size, "row %u of D is wrong", i);
         }
      }
   }
   free(x);
   return right ? 0 : NAN;
}

/* clang-format off */
#define THREADS(m, n) ((m) / SIDE * ((n) / SIDE))
/* More multiply-adds than LARGE take a virtual device minutes, and may be too long for one command on hardware. */
#define LARGE 0x1p27
#define ROWS(name_, m, n, k)                                                                                           \
   {"matrix", "gemm-int8-blocked-" name_, "D = A B in 8-bit integers, sums of 32 bits, by imadd; B transposed",        \
    .file = __FILE_NAME__, .metrics = 1u << BENCH_DISPATCH, .scale = BENCH_SCALE_ITERATIONS, .text = make_text,        \
    .data = &(const struct int8_gemm){m, n, k}, .large = (double)(m) * (n) * (k) > LARGE,                              \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, (double)(m) * (n) * (k) > LARGE ? BENCH_FIRST : BENCH_ITERATIONS},        \
    .argument_count = 3, .dispatch = {256, (THREADS(m, n) + 255) / 256, 1}, .work = 2.0 * (m) * (n) * (k) / 1000,      \
    .work_unit = "TOP/s", .variants = {[BENCH_DISPATCH] = {64, 1, 64}},                                                \
    .codegen = {"imadd", ISA_OP_IMADD, .registers = BENCH_ANY, .per_operation = 1},                                    \
    .input_bytes_min = ((m) + (n)) * (k), .output_bytes_min = 4u * (m) * (n), .fill = fill, .figure = figure},

static const struct benchmark benchmarks[] = {
   ROWS("64", 64, 64, 64)
   ROWS("256", 256, 256, 256)
   ROWS("512", 512, 512, 512)
   ROWS("1024", 1024, 1024, 1024)
   ROWS("36x52x100", 36, 52, 100)
};
/* clang-format on */

const struct bench_group bench_matrix_int8 = BENCH_GROUP(benchmarks);
