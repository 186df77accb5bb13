/* SPDX-License-Identifier: MIT
 *
 * The instruction: cycles of the three forms by parallel chains and by simdgroups a core, their latency, and what other
 * work beside them costs.
 *
 * Each lane reads a pair of A, B, another B which is the first one's negative, and C. The loop adds A times B in turn
 * with either, so that all sums stay small whole numbers and no rounding shows. Behind the loop A times B is added
 * once more to every chain: an instruction that does nothing, or the wrong thing, gives another answer.
 */
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/matrix/matrix.h"

#define INPUT_WORDS 8u
#define OUTPUT_WORDS 4u
#define SMALL 2 /* the largest factor */

/* Registers of the text: pairs from the first on. */
enum { REG_A = 8, REG_B = 10, REG_MINUS_B = 12, REG_SUM = 20, REG_BESIDE = 56 };

struct subject {
   enum matrix_form_id form;
   const char *beside; /* lines that follow each product; NULL: none */
};

static unsigned sum_register(const struct matrix_form *form, unsigned chain)
{
   return REG_SUM + chain * form->sum_bits / 16;
}

static void put_body(FILE *file, const struct subject *subject, const struct bench_variant *variant)
{
   const struct matrix_form *form = &matrix_forms[subject->form];

   for (unsigned i = 0; i < variant->repeat; i++) {
      for (unsigned c = 0; c < variant->chains; c++) {
         const unsigned sum = sum_register(form, c);

         matrix_put_fmadd(file, form, sum, REG_A, i % 2 ? REG_MINUS_B : REG_B, sum);
         fputs(subject->beside != NULL ? subject->beside : "", file);
      }
   }
}

/* clang-format off */
static const char begin[] =
   ".threadgroup 4096\n"
   AGX_BEGIN("matrix")
   "   shl      r3, r2, 3\n"
   "   load     r4_r5_r6_r7, du0, r3, i32, xyzw, a\n"
   "   iadd     r3, r3, 4\n"
   "   load     r12_r13_r14_r15, du0, r3, i32, xyzw, a\n"
   "   wait     a\n"
   "   mov      r8, r4\n"
   "   mov      r9, r5\n"
   "   mov      r10, r6\n"
   "   mov      r11, r7\n"
   "   mov      r16, thread_in_threadgroup_x\n"
   "   shl      r16, r16, 2\n"
   "   lstore   r2, r16l, 0, i32, x\n"
   "   barrier\n"
   ".rept 8, k\n"
   "   ldimm    r[56 + k], 1.5\n"
   ".endr\n";
/* clang-format on */

/* Words 0 and 1: chain 0. Word 2: the bits in which any other chain differs from it. Little memory, so that the time is
 * that of the loop. */
static void put_output(FILE *file, const struct matrix_form *form, unsigned chains)
{
   const unsigned words = form->sum_bits / 16;

   fputs("   wait     a\n   ldimm    r6, 0\n", file);
   for (unsigned i = words; i < chains * words; i++) {
      fprintf(file, "   xor      r7, r%u, r%u\n   or       r6, r6, r7\n", REG_SUM + i, REG_SUM + i % words);
   }
   fprintf(file,
           "   mov      r4, r%u\n   %s r%u\n   ldimm    r7, 0\n   shl      r3, r2, 2\n"
           "   store    r4_r5_r6_r7, du2, r3, i32, xyzw, a\n",
           REG_SUM, words == 2 ? "mov      r5," : "xor      r5, r4,", REG_SUM + words - 1);
}

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct subject *subject = benchmark->data;
   const struct matrix_form *form = &matrix_forms[subject->form];
   struct matrix_text text;

   if (!matrix_text_begin(&text)) {
      return NULL;
   }
   fputs(begin, text.file);
   for (unsigned c = 0; c < variant->chains; c++) {
      fprintf(text.file, "   mov      r%u, r14\n", sum_register(form, c));
      if (form->sum_bits == 32) {
         fprintf(text.file, "   mov      r%u, r15\n", sum_register(form, c) + 1);
      }
   }
   fputs(AGX_LOOP, text.file);
   put_body(text.file, subject, variant);
   fputs(AGX_LOOP_END, text.file);
   for (unsigned c = 0; c < variant->chains; c++) {
      matrix_put_fmadd(text.file, form, sum_register(form, c), REG_A, REG_B, sum_register(form, c));
   }
   put_output(text.file, form, variant->chains);
   fputs(AGX_END, text.file);
   return matrix_text_end(&text);
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct subject *subject = benchmark->data;
   const struct matrix_form *form = &matrix_forms[subject->form];

   memset(io->output, 0, io->output_bytes);
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint32_t words[INPUT_WORDS];
      int small[6];

      for (unsigned i = 0; i < 6; i++) {
         small[i] = matrix_small(io->seed, 6ull * thread + i, SMALL);
      }
      matrix_set_pair(words, form->factor_bits, small[0], small[1]);
      matrix_set_pair(words + 2, form->factor_bits, small[2], small[3]);
      matrix_set_pair(words + 4, form->factor_bits, -small[2], -small[3]);
      matrix_set_pair(words + 6, form->sum_bits, small[4], small[5]);
      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
}

/* Reads a matrix from a simdgroup's input: each lane has a pair of its elements at `word`. */
static void read_matrix(const uint8_t *input, unsigned word, unsigned bits, double matrix[MATRIX_SIZE][MATRIX_SIZE])
{
   for (unsigned lane = 0; lane < MATRIX_LANES; lane++) {
      uint32_t words[2];

      memcpy(words, input + (size_t)(lane * INPUT_WORDS + word) * sizeof(uint32_t), sizeof(words));
      matrix[matrix_row(lane)][matrix_column(lane)] = matrix_element(words, bits, 0);
      matrix[matrix_row(lane)][matrix_column(lane) + 1] = matrix_element(words, bits, 1);
   }
}

static double product(double a[MATRIX_SIZE][MATRIX_SIZE], double b[MATRIX_SIZE][MATRIX_SIZE],
                      double c[MATRIX_SIZE][MATRIX_SIZE], unsigned row, unsigned column)
{
   double sum = c[row][column];

   for (unsigned k = 0; k < MATRIX_SIZE; k++) {
      sum += a[row][k] * b[k][column];
   }
   return sum;
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const struct subject *subject = benchmark->data;
   const struct matrix_form *form = &matrix_forms[subject->form];

   (void)variant; /* all chains leave the same */
   for (uint32_t first = 0; first < io->threads; first += MATRIX_LANES) {
      const uint8_t *input = io->input + (size_t)first * INPUT_WORDS * sizeof(uint32_t);
      double a[MATRIX_SIZE][MATRIX_SIZE], b[MATRIX_SIZE][MATRIX_SIZE], c[MATRIX_SIZE][MATRIX_SIZE];

      read_matrix(input, 0, form->factor_bits, a);
      read_matrix(input, 2, form->factor_bits, b);
      read_matrix(input, 6, form->sum_bits, c);
      for (unsigned lane = 0; lane < MATRIX_LANES; lane++) {
         const unsigned row = matrix_row(lane), column = matrix_column(lane);
         uint32_t words[OUTPUT_WORDS] = {0};

         matrix_set_pair(words, form->sum_bits, product(a, b, c, row, column), product(a, b, c, row, column + 1));
         memcpy(expected + (size_t)(first + lane) * sizeof(words), words, sizeof(words));
      }
   }
}

#define SUBJECT(...) (&(const struct subject){__VA_ARGS__})
/* Simdgroups a core: one, two and six a scheduler. Threadgroup memory keeps more out. */
#define ONE_A_SCHEDULER                                                                                                \
   {                                                                                                                   \
      128, 1, 32768, 0                                                                                                 \
   }
#define TWO_A_SCHEDULER                                                                                                \
   {                                                                                                                   \
      256, 1, 32768, 0                                                                                                 \
   }
#define SIX_A_SCHEDULER BENCH_FULL
#define SOURCE_CLPEAK "krrishnarraj/clpeak, M1 Pro, Metal, 16 chains: results/reference/matrix.csv"

/* clang-format off */
#define COMMON                                                                                                         \
   .file = __FILE_NAME__, .scale = BENCH_SCALE_REPEAT, .text = make_text,                                              \
   .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                    \
   .input_stride = INPUT_WORDS * 4, .output_stride = OUTPUT_WORDS * 4, .fill = fill, .expect = expect
#define PRODUCT(mnemonic, bits) .codegen = {mnemonic, ISA_OP_MATRIX, bits, 3, 1}

#define POINT(form, id, mnemonic, bits, chains_, repeat, simds, limits, ...)                                           \
   {"matrix", "fmadd-" form "-chains" #chains_ "-simds" #simds,                                                        \
    "8x8 product and sum, " #chains_ " parallel chains, " #simds " simdgroups a core", COMMON,                         \
    .metrics = 1u << BENCH_THROUGHPUT, .data = SUBJECT(id, NULL),                                                      \
    .variants = {[BENCH_THROUGHPUT] = {repeat, chains_, repeat}}, PRODUCT(mnemonic, bits), .occupancy = limits,        \
    __VA_ARGS__},
#define CHAINS(form, id, mnemonic, bits, simds, limits, ...)                                                           \
   POINT(form, id, mnemonic, bits, 1, 16, simds, limits)                                                               \
   POINT(form, id, mnemonic, bits, 2, 8, simds, limits)                                                                \
   POINT(form, id, mnemonic, bits, 4, 4, simds, limits)                                                                \
   POINT(form, id, mnemonic, bits, 8, 2, simds, limits)                                                                \
   POINT(form, id, mnemonic, bits, 16, 2, simds, limits, __VA_ARGS__)
#define FORM(form, id, mnemonic, bits, ...)                                                                            \
   {"matrix", "fmadd-" form, "8x8 product and sum, each needs the one before", COMMON,                                 \
    .metrics = 1u << BENCH_LATENCY, .data = SUBJECT(id, NULL), .variants = {[BENCH_LATENCY] = {8, 1, 8}},              \
    PRODUCT(mnemonic, bits)},                                                                                          \
   CHAINS(form, id, mnemonic, bits, 4, ONE_A_SCHEDULER)                                                                \
   CHAINS(form, id, mnemonic, bits, 8, TWO_A_SCHEDULER)                                                                \
   CHAINS(form, id, mnemonic, bits, 24, SIX_A_SCHEDULER, __VA_ARGS__)

/* Cycles of one product and what stands beside it, four chains. */
#define BESIDE(name_, what, lines, sequence_)                                                                          \
   {"matrix", "beside-" name_, "f16 x f16 + f32, and " what " for each product", COMMON,                               \
    .metrics = 1u << BENCH_THROUGHPUT, .data = SUBJECT(MATRIX_MIXED, lines),                                           \
    .variants = {[BENCH_THROUGHPUT] = {2, 4, 2}}, .codegen = {.sequence = sequence_}},
#define EIGHT(line) ".rept 8, k\n" line "\n.endr\n"

static const struct benchmark benchmarks[] = {
   FORM("f16", MATRIX_F16, "simd_matrix_fmadd16", 16)
   FORM("mixed", MATRIX_MIXED, "simd_matrix_fmadd32", 32, .published = 16.5, .published_source = SOURCE_CLPEAK)
   FORM("f32", MATRIX_F32, "simd_matrix_fmadd32", 32)
   BESIDE("ffma8", "8 ffma", EIGHT("ffma r[56 + k], r[56 + k], 0.5, 0.75"), "8 ffma, simd_matrix_fmadd32")
   BESIDE("ffma16", "16 ffma", EIGHT("ffma r[56 + k], r[56 + k], 0.5, 0.75") EIGHT("ffma r[56 + k], r[56 + k], 0.5, 0.75"),
          "16 ffma, simd_matrix_fmadd32")
   BESIDE("iadd8", "8 iadd", EIGHT("iadd r[56 + k], r[56 + k], 3"), "8 iadd, simd_matrix_fmadd32")
   BESIDE("imul4", "4 imul", ".rept 4, k\nimul r[56 + k], r[56 + k], r[60 + k]\n.endr\n", "4 imul, simd_matrix_fmadd32")
   BESIDE("shuffle4", "4 shuffles", ".rept 4, k\nshuffle r[56 + k], r[60 + k], 5\n.endr\n",
          "4 shuffle, simd_matrix_fmadd32")
   BESIDE("lload2", "2 loads of threadgroup memory", ".rept 2, k\nlload r[56 + k], r16l, 0, i32, x\n.endr\n",
          "2 lload, simd_matrix_fmadd32")
   BESIDE("load1", "1 load of device memory", "wait a\nload r56, du0, r2, i32, x, a\n", "load, simd_matrix_fmadd32, wait")
};
/* clang-format on */

const struct bench_group bench_matrix_instruction = BENCH_GROUP(benchmarks);
