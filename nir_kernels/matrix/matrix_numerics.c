/* SPDX-License-Identifier: MIT
 *
 * numerics-*: how the eight products are summed, and what is rounded where. Each row is one hypothesis; the figure
 * counts the elements that differ from it. Nobody has published which holds on hardware: the hypothesis with no
 * difference does.
 *
 * Invariant: the references compute with whole numbers in a double that holds every exact sum: factors are multiples of
 * 2^-20 below 2, so a sum of nine terms has at most 46 bits. Each hypothesis then rounds where it says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/half.h"
#include "nir_kernels/matrix/matrix.h"

#define WORDS 8u

enum inputs {
   RANDOM,   /* exponents of two decades: sums differ by order */
   WIDE,     /* 2048 + 8 x 0.5: lost, step by step, by a sum of 16 bits */
   DENORMAL, /* factors below the normal range, times 1 */
   SPECIAL,  /* infinities, NaN, and their sums */
};

enum hypothesis {
   ASCENDING,  /* C, then k = 0 to 7, each step one rounding to 32 bits */
   DESCENDING, /* C, then k = 7 to 0 */
   PAIRWISE,   /* products rounded, summed as a tree, C last */
   EXACT,      /* one rounding of the exact sum */
   EACH_STEP,  /* as ASCENDING, each step rounded to the size of D */
   FLUSHED,    /* as ASCENDING; numbers of 32 bits below the normal range count as zero */
};

struct numerics {
   enum matrix_form_id form;
   enum inputs inputs;
   enum hypothesis hypothesis;
};

/* ---- Inputs: element 0 to 7 of a lane are its pairs of A, B, C, and nothing ---- */

static double random_factor(uint64_t seed, uint64_t index)
{
   const int mantissa = matrix_small(seed, 2 * index, 1023), scale = matrix_small(seed, 2 * index + 1, 5);

   return ldexp(mantissa, -15 + scale);
}

static double input_value(const struct numerics *numerics, uint64_t seed, uint64_t thread, unsigned word)
{
   static const double specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 1, -1, 2};
   const bool factor = word < 4, a = word < 2;
   const uint64_t index = thread * WORDS + word;

   switch (numerics->inputs) {
   case RANDOM:
      return random_factor(seed, index);
   case WIDE:
      return a ? 1 : factor ? 0.5 : 2048;
   case DENORMAL:
      if (matrix_forms[numerics->form].factor_bits == 32) {
         return a ? ldexp(1 + matrix_small(seed, index, 100) * 0x1p-10, -130) : factor ? 1 : 0;
      }
      return a ? ldexp(matrix_small(seed, index, 900), -24) : factor ? 1 : 0;
   default:
      /* Rare, so that not every sum is NaN. */
      return matrix_small(seed, index, 10) == 0 ? specials[(matrix_small(seed, index + 99, 400) + 400) % 8] : 1;
   }
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct numerics *numerics = benchmark->data;
   const struct matrix_form *form = &matrix_forms[numerics->form];

   memset(io->output, 0xff, io->output_bytes);
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t words[WORDS] = {0};

      for (unsigned i = 0; i < 6; i += 2) {
         matrix_set_pair(words + i, i < 4 ? form->factor_bits : form->sum_bits,
                         input_value(numerics, io->seed, thread, i), input_value(numerics, io->seed, thread, i + 1));
      }
      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
}

/* ---- Hypotheses ---- */

static double to_single(double value)
{
   return (double)(float)value;
}

static double to_half(double value)
{
   return bench_half_value(bench_half(value));
}

static double flush(double value)
{
   return fabs(value) < 0x1p-126 ? copysign(0, value) : value;
}

static double sum_up(enum hypothesis hypothesis, unsigned sum_bits, const double a[8], const double b[8], double c)
{
   double sum = c, tree[8];

   for (unsigned i = 0; i < MATRIX_SIZE; i++) {
      const unsigned k = hypothesis == DESCENDING ? MATRIX_SIZE - 1 - i : i;

      tree[i] = to_single(a[i] * b[i]);
      switch (hypothesis) {
      case EXACT:
      case PAIRWISE:
         sum += hypothesis == EXACT ? a[k] * b[k] : 0;
         break;
      case EACH_STEP:
         sum = sum_bits == 16 ? to_half(sum + a[k] * b[k]) : to_single(sum + a[k] * b[k]);
         break;
      case FLUSHED:
         sum = flush(to_single(sum + flush(a[k]) * flush(b[k])));
         break;
      default:
         sum = to_single(sum + a[k] * b[k]);
      }
   }
   for (unsigned width = 1; hypothesis == PAIRWISE && width < MATRIX_SIZE; width *= 2) {
      for (unsigned i = 0; i < MATRIX_SIZE; i += 2 * width) {
         tree[i] = to_single(tree[i] + tree[i + width]);
      }
   }
   sum = hypothesis == PAIRWISE ? to_single(tree[0] + c) : sum;
   return sum_bits == 16 ? to_half(sum) : to_single(sum);
}

static void read_matrix(const uint8_t *input, unsigned word, unsigned bits, double matrix[8][8])
{
   for (unsigned lane = 0; lane < MATRIX_LANES; lane++) {
      uint32_t words[2];

      memcpy(words, input + (size_t)(lane * WORDS + word) * sizeof(uint32_t), sizeof(words));
      matrix[matrix_row(lane)][matrix_column(lane)] = matrix_element(words, bits, 0);
      matrix[matrix_row(lane)][matrix_column(lane) + 1] = matrix_element(words, bits, 1);
   }
}

static double figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                     const uint8_t *output, char *why, size_t why_size)
{
   const struct numerics *numerics = benchmark->data;
   const struct matrix_form *form = &matrix_forms[numerics->form];
   unsigned wrong = 0;

   (void)metric;
   (void)why;
   (void)why_size;
   for (uint32_t first = 0; first < io->threads; first += MATRIX_LANES) {
      const uint8_t *input = io->input + (size_t)first * WORDS * sizeof(uint32_t);
      double a[8][8], b[8][8], c[8][8];

      read_matrix(input, 0, form->factor_bits, a);
      read_matrix(input, 2, form->factor_bits, b);
      read_matrix(input, 4, form->sum_bits, c);
      for (unsigned i = 0; i < MATRIX_ELEMENTS; i++) {
         const unsigned row = matrix_row(i / 2), column = matrix_column(i / 2) + i % 2;
         double line[8];
         uint32_t words[2];

         for (unsigned k = 0; k < MATRIX_SIZE; k++) {
            line[k] = b[k][column];
         }
         const double wanted = sum_up(numerics->hypothesis, form->sum_bits, a[row], line, c[row][column]);
         memcpy(words, output + (size_t)(first + i / 2) * sizeof(words), sizeof(words));
         const double got = matrix_element(words, form->sum_bits, i % 2);
         wrong += (isnan(wanted) ? isnan(got) : got == wanted) ? 0 : 1;
      }
   }
   return wrong;
}

/* ---- The kernel: one product ---- */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct numerics *numerics = benchmark->data;
   struct matrix_text text;

   (void)variant;
   if (!matrix_text_begin(&text)) {
      return NULL;
   }
   fputs(AGX_BEGIN("matrix_numerics") "   shl      r3, r2, 3\n"
                                      "   load     r4_r5_r6_r7, du0, r3, i32, xyzw, a\n"
                                      "   iadd     r3, r3, 4\n"
                                      "   load     r8_r9, du0, r3, i32, xy, a\n"
                                      "   wait     a\n"
                                      "   ldimm    r13, 0\n",
         text.file);
   matrix_put_fmadd(text.file, &matrix_forms[numerics->form], 12, 4, 6, 8);
   fputs("   shl      r3, r2, 1\n   store    r12_r13, du2, r3, i32, xy, a\n" AGX_END, text.file);
   return matrix_text_end(&text);
}

/* clang-format off */
#define ROW(name_, what, instruction_, form, inputs, hypothesis)                                                       \
   {"matrix", "numerics-" name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_WRONG, .text = make_text,         \
    .data = &(const struct numerics){form, inputs, hypothesis},                                                        \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3, .dispatch = {256, 64, 1},             \
    .variants = {[BENCH_WRONG] = {1, 1, 1}},                                                                           \
    .codegen = {instruction_, ISA_OP_MATRIX, .registers = 3, .per_operation = 1, .whole_program = true},               \
    .input_stride = 4 * WORDS, .output_stride = 8, .fill = fill, .figure = figure},
#define FORM(name_, instruction, form)                                                                                 \
   ROW(name_ "-ascending", "C + k = 0 to 7, each step rounded to 32 bits", instruction, form, RANDOM, ASCENDING)       \
   ROW(name_ "-descending", "C + k = 7 to 0, each step rounded to 32 bits", instruction, form, RANDOM, DESCENDING)     \
   ROW(name_ "-pairwise", "rounded products as a tree, C last", instruction, form, RANDOM, PAIRWISE)                   \
   ROW(name_ "-exact", "one rounding of the exact sum", instruction, form, RANDOM, EXACT)                              \
   ROW(name_ "-infinities", "infinities and NaN as IEEE 754 has them", instruction, form, SPECIAL, ASCENDING)          \
   ROW(name_ "-denormals", "factors below the normal range count", instruction, form, DENORMAL, EXACT)

static const struct benchmark benchmarks[] = {
   FORM("f16", "simd_matrix_fmadd16", MATRIX_F16)
   ROW("f16-each-step", "C + k = 0 to 7, each step rounded to 16 bits", "simd_matrix_fmadd16", MATRIX_F16, RANDOM, EACH_STEP)
   ROW("f16-wide", "2048 + 8 x 0.5 is 2052: the sum inside is wider than 16 bits", "simd_matrix_fmadd16", MATRIX_F16, WIDE,
       EXACT)
   FORM("mixed", "simd_matrix_fmadd32", MATRIX_MIXED)
   ROW("mixed-wide", "2048 + 8 x 0.5 is 2052: the sum is wider than 16 bits", "simd_matrix_fmadd32", MATRIX_MIXED, WIDE, EXACT)
   FORM("f32", "simd_matrix_fmadd32", MATRIX_F32)
   ROW("f32-flushed", "factors below the normal range count as zero", "simd_matrix_fmadd32", MATRIX_F32, DENORMAL, FLUSHED)
};
/* clang-format on */

const struct bench_group bench_matrix_numerics = BENCH_GROUP(benchmarks);
