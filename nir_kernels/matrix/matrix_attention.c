/* SPDX-License-Identifier: MIT
 *
 * Attention of one head: O = softmax(Q K^T / 8) V, with 64 columns in Q, K and V. attention-flash-N is one kernel,
 * which keeps a running maximum and sum of each row and never stores the scores. attention-softmax-N is the middle
 * kernel of the decomposed way; the others are gemm-mixed-local-NxNx64 and gemm-mixed-local-Nx64xN of matrix_gemm.c.
 * The figures of flash and softmax count the operations of both products, so that times compare.
 *
 * K is stored transposed, as 64 x N, for all of them. Invariant: answers are compared with a host reference in f64,
 * within what the rounding of a weight to f16 explains.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/half.h"
#include "nir_kernels/matrix/gemm.h"

#define DEPTH 64u   /* columns of Q, K and V */
#define SCALE 0.125 /* 1 / sqrt(DEPTH) */
#define LOG2_E 1.4426950408889634
#define TOLERANCE 1e-3 /* of the largest value: weights have 11 bits, half of one is 0.5e-3 */
#define ROWS_COMPARED 64u

#define BLOCKS_I 2u /* 8 x 8 blocks of queries that a simdgroup computes */
#define BLOCKS_J 4u /* of keys in the loop's body */
#define BLOCKS_D (DEPTH / MATRIX_SIZE)

struct attention {
   unsigned n; /* queries, and keys */
   bool flash; /* else the softmax alone: n x n floats become halves */
};

/* ---- Flash ---- */

enum {
   ROW = 3,
   COLUMN = 4,
   TILE = 5,
   TEMPORARY = 6,
   CONSTANT = 9,
   LIMIT = 10,
   STEP_K = 11,
   BASE_Q = 12,
   BASE_K = 14,
   BASE_V = 16,
   STEP_V = 18,
   MOST = 20,             /* largest score of a row so far; one for each block of queries */
   SUM = MOST + BLOCKS_I, /* the lane's part of the sum of weights */
   FACTOR = SUM + BLOCKS_I,
   QUERIES = 26,
   OUTPUT = QUERIES + BLOCKS_I * BLOCKS_D,
   SCORES = OUTPUT + 2 * BLOCKS_I * BLOCKS_D,
   WEIGHTS = SCORES + 2 * BLOCKS_I * BLOCKS_J,
   LOADED = WEIGHTS + BLOCKS_I * BLOCKS_J, /* two sets of BLOCKS_D */
};
_Static_assert(FACTOR + 1 <= QUERIES, "registers overlap");

static unsigned output_of(unsigned i, unsigned d)
{
   return OUTPUT + 2 * (i * BLOCKS_D + d);
}

static unsigned score_of(unsigned i, unsigned j)
{
   return SCORES + 2 * (i * BLOCKS_J + j);
}

static void put_load(FILE *file, unsigned to, unsigned base, unsigned word, char slot)
{
   fprintf(file, "   load     r%u, dr%u, %u.zx, i32, x, %c\n", to, base, word, slot);
}

static void put_flash_setup(const struct attention *attention, FILE *file)
{
   const size_t matrix = (size_t)attention->n * DEPTH * 2;
   const float constant = (float)(SCALE * LOG2_E);
   uint32_t bits;

   memcpy(&bits, &constant, sizeof(bits));
   gemm_put_lane(file, ROW, COLUMN, TEMPORARY);
   fprintf(file, "   shr      r%u, r2, 5\n   imul     r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n", TILE, TILE, TILE,
           BLOCKS_I * MATRIX_SIZE, TILE, TILE, ROW);
   gemm_put_address(file, BASE_Q, 0, TILE, DEPTH * 2, COLUMN, 2, 0, TEMPORARY);
   gemm_put_address(file, BASE_K, 0, ROW, attention->n * 2, COLUMN, 2, matrix, TEMPORARY);
   gemm_put_address(file, BASE_V, 0, ROW, DEPTH * 2, COLUMN, 2, 2 * matrix, TEMPORARY);
   for (unsigned i = 0; i < BLOCKS_I; i++) {
      for (unsigned d = 0; d < BLOCKS_D; d++) {
         put_load(file, QUERIES + i * BLOCKS_D + d, BASE_Q, i * MATRIX_SIZE * DEPTH / 2 + d * MATRIX_SIZE / 2, 'a');
      }
   }
   for (unsigned r = OUTPUT; r < SCORES; r++) {
      fprintf(file, "   ldimm    r%u, 0\n", r);
   }
   for (unsigned i = 0; i < BLOCKS_I; i++) {
      fprintf(file, "   ldimm    r%u, 0xff800000\n   ldimm    r%u, 0\n", MOST + i, SUM + i); /* minus infinity */
   }
   fprintf(file, "   ldimm    r%u, 0x%x\n   ldimm    r%u, %u\n   ldimm    r%u, %u\n   wait     a\n", CONSTANT, bits,
           STEP_K, BLOCKS_J * MATRIX_SIZE * 2, STEP_V, BLOCKS_J * MATRIX_SIZE * DEPTH * 2);
}

static void put_load_keys(const struct attention *attention, unsigned d, FILE *file)
{
   for (unsigned j = 0; j < BLOCKS_J; j++) {
      put_load(file, LOADED + d % 2 * BLOCKS_D + j, BASE_K, d * MATRIX_SIZE * attention->n / 2 + j * MATRIX_SIZE / 2,
               d % 2 ? 'b' : 'a');
   }
}

static void put_load_values(unsigned j, FILE *file)
{
   for (unsigned d = 0; d < BLOCKS_D; d++) {
      put_load(file, LOADED + j % 2 * BLOCKS_D + d, BASE_V, j * MATRIX_SIZE * DEPTH / 2 + d * MATRIX_SIZE / 2,
               j % 2 ? 'b' : 'a');
   }
}

static void put_scores(const struct attention *attention, FILE *file)
{
   for (unsigned r = SCORES; r < WEIGHTS; r++) {
      fprintf(file, "   ldimm    r%u, 0\n", r);
   }
   put_load_keys(attention, 0, file);
   for (unsigned d = 0; d < BLOCKS_D; d++) {
      if (d + 1 < BLOCKS_D) {
         put_load_keys(attention, d + 1, file);
      }
      fprintf(file, "   wait     %c\n", d % 2 ? 'b' : 'a');
      for (unsigned i = 0; i < BLOCKS_I; i++) {
         for (unsigned j = 0; j < BLOCKS_J; j++) {
            matrix_put_fmadd(file, &matrix_forms[MATRIX_MIXED], score_of(i, j), QUERIES + i * BLOCKS_D + d,
                             LOADED + d % 2 * BLOCKS_D + j, score_of(i, j));
         }
      }
   }
}

/* Four lanes hold a row: those that differ in bits 0 and 3 of their number. */
static void put_row_most(FILE *file, unsigned reg, unsigned temporary)
{
   for (unsigned bit = 1; bit <= 8; bit *= 8) {
      fprintf(file, "   shuffle  r%u, r%u, %u, xor\n   csel     r%u, r%u, r%u, r%u, r%u, fgtn\n", temporary, reg, bit,
              reg, reg, temporary, reg, temporary);
   }
}

static void put_row_sum(FILE *file, unsigned reg, unsigned temporary)
{
   for (unsigned bit = 1; bit <= 8; bit *= 8) {
      fprintf(file, "   shuffle  r%u, r%u, %u, xor\n   fadd     r%u, r%u, r%u\n", temporary, reg, bit, reg, reg,
              temporary);
   }
}

/* Scores become weights; what was summed up so far is scaled to the new maximum. */
static void put_weights(unsigned i, FILE *file)
{
   const unsigned most = TEMPORARY, t = TEMPORARY + 1, first = score_of(i, 0), end = first + 2 * BLOCKS_J;

   fprintf(file, "   mov      r%u, r%u\n", most, MOST + i);
   for (unsigned s = first; s < end; s++) {
      fprintf(file, "   csel     r%u, r%u, r%u, r%u, r%u, fgtn\n", most, most, s, most, s);
   }
   put_row_most(file, most, t);
   fprintf(file,
           "   fadd     r%u, r%u, r%u.neg\n   fmul     r%u, r%u, r%u\n   exp2     r%u, r%u\n"
           "   mov      r%u, r%u\n   fmul     r%u, r%u, r%u\n   fmul     r%u, r%u, r%u\n",
           FACTOR, MOST + i, most, FACTOR, FACTOR, CONSTANT, FACTOR, FACTOR, MOST + i, most, most, most, CONSTANT,
           SUM + i, SUM + i, FACTOR);
   for (unsigned s = first; s < end; s++) {
      fprintf(file,
              "   ffma     r%u, r%u, r%u, r%u.neg\n   exp2     r%u, r%u\n   fadd     r%u, r%u, r%u\n"
              "   fadd     r%u%c, r%u, 0.0.neg\n",
              s, s, CONSTANT, most, s, s, SUM + i, SUM + i, s, WEIGHTS + i * BLOCKS_J + (s - first) / 2,
              (s - first) % 2 ? 'h' : 'l', s);
   }
   for (unsigned d = 0; d < BLOCKS_D; d++) {
      for (unsigned e = 0; e < 2; e++) {
         fprintf(file, "   fmul     r%u, r%u, r%u\n", output_of(i, d) + e, output_of(i, d) + e, FACTOR);
      }
   }
}

static void put_outputs(FILE *file)
{
   for (unsigned j = 0; j < BLOCKS_J; j++) {
      fprintf(file, "   wait     %c\n", j % 2 ? 'b' : 'a');
      for (unsigned i = 0; i < BLOCKS_I; i++) {
         for (unsigned d = 0; d < BLOCKS_D; d++) {
            matrix_put_fmadd(file, &matrix_forms[MATRIX_MIXED], output_of(i, d), WEIGHTS + i * BLOCKS_J + j,
                             LOADED + j % 2 * BLOCKS_D + d, output_of(i, d));
         }
      }
      if (j + 2 < BLOCKS_J) {
         put_load_values(j + 2, file);
      }
   }
}

static void put_flash(const struct attention *attention, FILE *file)
{
   put_flash_setup(attention, file);
   gemm_put_loop(file, attention->n / (BLOCKS_J * MATRIX_SIZE), LIMIT);
   put_scores(attention, file);
   put_load_values(0, file);
   put_load_values(1, file);
   for (unsigned i = 0; i < BLOCKS_I; i++) {
      put_weights(i, file);
   }
   put_outputs(file);
   fprintf(file, "   iadd     dr%u, dr%u, r%u\n   iadd     dr%u, dr%u, r%u\n", BASE_K, BASE_K, STEP_K, BASE_V, BASE_V,
           STEP_V);
   gemm_put_loop_end(file, LIMIT);
   gemm_put_address(file, BASE_Q, 2, TILE, DEPTH * 4, COLUMN, 4, 0, TEMPORARY);
   for (unsigned i = 0; i < BLOCKS_I; i++) {
      put_row_sum(file, SUM + i, TEMPORARY);
      fprintf(file, "   rcp      r%u, r%u\n", SUM + i, SUM + i);
      for (unsigned d = 0; d < BLOCKS_D; d++) {
         const unsigned r = output_of(i, d);

         fprintf(file,
                 "   fmul     r%u, r%u, r%u\n   fmul     r%u, r%u, r%u\n   store    r%u_r%u, dr%u, %u.zx, i32, xy, a\n",
                 r, r, SUM + i, r + 1, r + 1, SUM + i, r, r + 1, BASE_Q, (i * DEPTH + d) * MATRIX_SIZE);
      }
   }
}

/* ---- Softmax alone: a simdgroup a row, a lane two neighbouring columns in 64 ---- */

enum {
   LINE = 3,
   PLACE = 4,
   SOFT_TEMPORARY = 5,
   SOFT_CONSTANT = 8,
   LARGEST = 9,
   TOTAL = 10,
   FROM = 12,
   TO = 14,
   VALUES = 16
};

static void put_softmax(const struct attention *attention, FILE *file)
{
   const float constant = (float)(SCALE * LOG2_E);
   const unsigned count = attention->n / MATRIX_LANES, t = SOFT_TEMPORARY;
   uint32_t bits;

   memcpy(&bits, &constant, sizeof(bits));
   fprintf(file,
           "   shr      r%u, r2, 5\n   and      r%u, r2, 31\n   shl      r%u, r%u, 1\n   ldimm    r%u, 0x%x\n"
           "   ldimm    r%u, 0\n",
           LINE, PLACE, PLACE, PLACE, SOFT_CONSTANT, bits, TOTAL);
   gemm_put_address(file, FROM, 0, LINE, attention->n * 4, PLACE, 4, 0, t);
   gemm_put_address(file, TO, 2, LINE, attention->n * 2, PLACE, 2, 0, t);
   for (unsigned v = 0; v < count; v += 2) {
      fprintf(file, "   load     r%u_r%u, dr%u, %u.zx, i32, xy, a\n", VALUES + v, VALUES + v + 1, FROM,
              v * MATRIX_LANES);
   }
   fprintf(file, "   wait     a\n   mov      r%u, r%u\n", LARGEST, VALUES);
   for (unsigned v = 1; v < count; v++) {
      fprintf(file, "   csel     r%u, r%u, r%u, r%u, r%u, fgtn\n", LARGEST, LARGEST, VALUES + v, LARGEST, VALUES + v);
   }
   fprintf(file, "   simd     r%u, r%u, fmax\n   fmul     r%u, r%u, r%u\n", LARGEST, LARGEST, LARGEST, LARGEST,
           SOFT_CONSTANT);
   for (unsigned v = 0; v < count; v++) {
      fprintf(file, "   ffma     r%u, r%u, r%u, r%u.neg\n   exp2     r%u, r%u\n   fadd     r%u, r%u, r%u\n", VALUES + v,
              VALUES + v, SOFT_CONSTANT, LARGEST, VALUES + v, VALUES + v, TOTAL, TOTAL, VALUES + v);
   }
   fprintf(file, "   simd     r%u, r%u, fadd\n   rcp      r%u, r%u\n", TOTAL, TOTAL, TOTAL, TOTAL);
   for (unsigned v = 0; v < count; v += 2) {
      fprintf(file, "   fmul     r%ul, r%u, r%u\n   fmul     r%uh, r%u, r%u\n   store    r%u, dr%u, %u.zx, i32, x, a\n",
              t, VALUES + v, TOTAL, t, VALUES + v + 1, TOTAL, t, TO, v * MATRIX_LANES / 2);
   }
}

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct attention *attention = benchmark->data;
   struct matrix_text text;

   (void)variant;
   if (!matrix_text_begin(&text)) {
      return NULL;
   }
   fputs(AGX_BEGIN("attention"), text.file);
   (attention->flash ? put_flash : put_softmax)(attention, text.file);
   fputs(AGX_END, text.file);
   return matrix_text_end(&text);
}

/* ---- Inputs and answers ---- */

/* Q, K and V: multiples of a half, from -2 to 2. Scores of the softmax alone: multiples of 1/4, from -32 to 32. */
static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct attention *attention = benchmark->data;

   memset(io->output, 0xff, io->output_bytes);
   for (size_t i = 0; attention->flash && i < io->input_bytes / 2; i++) {
      const uint16_t half = bench_half(matrix_small(io->seed, i, 4) / 2.0);

      memcpy(io->input + 2 * i, &half, sizeof(half));
   }
   for (size_t i = 0; !attention->flash && i < io->input_bytes / 4; i++) {
      const float score = (float)matrix_small(io->seed, i, 128) / 4;

      memcpy(io->input + 4 * i, &score, sizeof(score));
   }
}

static double half_at(const uint8_t *at, size_t index)
{
   uint16_t half;

   memcpy(&half, at + 2 * index, sizeof(half));
   return bench_half_value(half);
}

static double float_at(const uint8_t *at, size_t index)
{
   float value;

   memcpy(&value, at + 4 * index, sizeof(value));
   return (double)value;
}

/* The weights of a row; they add up to 1. */
static void find_weights(const struct attention *attention, const uint8_t *input, unsigned row, double *weights)
{
   const unsigned n = attention->n;
   double most = -INFINITY, sum = 0;

   for (unsigned j = 0; j < n; j++) {
      double score = attention->flash ? 0 : float_at(input, (size_t)row * n + j);

      for (unsigned d = 0; attention->flash && d < DEPTH; d++) {
         score += half_at(input, row * DEPTH + d) * half_at(input, ((size_t)DEPTH + d) * n + j);
      }
      weights[j] = SCALE * score;
      most = fmax(most, weights[j]);
   }
   for (unsigned j = 0; j < n; j++) {
      weights[j] = exp(weights[j] - most);
      sum += weights[j];
   }
   for (unsigned j = 0; j < n; j++) {
      weights[j] /= sum;
   }
}

static bool row_is_right(const struct attention *attention, const struct bench_io *io, const uint8_t *output,
                         unsigned row, const double *weights, char *why, size_t size)
{
   const unsigned n = attention->n, columns = attention->flash ? DEPTH : n;

   for (unsigned c = 0; c < columns; c++) {
      double wanted = attention->flash ? 0 : weights[c];
      const double got = attention->flash ? float_at(output, row * DEPTH + c) : half_at(output, (size_t)row * n + c);

      for (unsigned j = 0; attention->flash && j < n; j++) {
         wanted += weights[j] * half_at(io->input, (2 * (size_t)n + j) * DEPTH + c);
      }
      /* The values go up to 2; a weight alone is rounded to 11 bits, or to a multiple of 2^-24. */
      const double most = attention->flash ? 2 * TOLERANCE : TOLERANCE * wanted + 0x1p-24;
      if (!(fabs(got - wanted) <= most)) {
         snprintf(why, size, "row %u, column %u is %g, expected %g", row, c, got, wanted);
         return false;
      }
   }
   return true;
}

/* All rows where there are few, else ROWS_COMPARED of them, the first and the last among them. */
static double figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                     const uint8_t *output, char *why, size_t why_size)
{
   const struct attention *attention = benchmark->data;
   const unsigned rows = attention->n < ROWS_COMPARED ? attention->n : ROWS_COMPARED;
   double *weights = calloc(attention->n, sizeof(*weights));
   bool right = weights != NULL;

   (void)metric;
   if (!right) {
      snprintf(why, why_size, "out of memory");
   }
   for (unsigned i = 0; right && i < rows; i++) {
      const unsigned row = (unsigned)((uint64_t)i * (attention->n - 1) / (rows - 1));

      find_weights(attention, io->input, row, weights);
      right = row_is_right(attention, io, output, row, weights, why, why_size);
   }
   free(weights);
   return right ? 0 : NAN;
}

/* clang-format off */
#define ROW(name_, what, n_, flash_, input_bytes, output_bytes, threads_, groups_, instruction_, op, count, whole)     \
   {"matrix", "attention-" name_ "-" #n_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_DISPATCH,                \
    .scale = BENCH_SCALE_ITERATIONS, .text = make_text, .data = &(const struct attention){n_, flash_},                 \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .dispatch = {threads_, groups_, 1}, .work = 4.0 * (n_) * (n_) * DEPTH / 1000, .work_unit = "TFLOP/s",              \
    .variants = {[BENCH_DISPATCH] = {count, 1, count}},                                                                \
    .codegen = {instruction_, op, .registers = BENCH_ANY, .per_operation = 1, .whole_program = whole},                 \
    .input_bytes_min = input_bytes, .output_bytes_min = output_bytes, .fill = fill, .figure = figure},
#define SIZE(n)                                                                                                        \
   ROW("flash", "softmax(Q K^T / 8) V of one head in one kernel; against two GEMMs and attention-softmax", n, true,    \
       6 * (n) * DEPTH, 4 * (n) * DEPTH, 32, (n) / (BLOCKS_I * MATRIX_SIZE), "simd_matrix_fmadd32", ISA_OP_MATRIX,     \
       2 * BLOCKS_I * BLOCKS_J * BLOCKS_D, false)                                                                      \
   ROW("softmax", "softmax of rows of scores; the operations counted are those of the attention", n, false,            \
       4 * (n) * (n), 2 * (n) * (n), 128, (n) / 4, "exp2", ISA_OP_EXP2, (n) / MATRIX_LANES, true)

static const struct benchmark benchmarks[] = {SIZE(64) SIZE(256) SIZE(512) SIZE(1024) SIZE(2048)};
/* clang-format on */

const struct bench_group bench_matrix_attention = BENCH_GROUP(benchmarks);
