/* SPDX-License-Identifier: MIT
 *
 * GEMM without the matrix instruction: GEMM_NAIVE, and GEMM_TILED, where 256 threads of a threadgroup compute
 * GEMM_TILE x GEMM_TILE, 4 x 4 each. What a sum holds is as in the matrix forms: the form's sum_bits.
 */
#include "nir_kernels/matrix/gemm.h"

/* ---- Naive ---- */

#define STEPS 4u /* along K in the loop's body */

enum {
   ROW = 3,
   COLUMN = 4,
   TEMPORARY = 5,
   LIMIT = 8,
   STEP_A = 9,
   STEP_B = 10,
   BASE_A = 12,
   BASE_B = 14,
   SUM = 16,
   FACTOR_A = 17,
   FACTOR_B = 21
};

/* sum += a * b. A factor of 16 bits is a half: `high` chooses which. */
static void put_multiply_add(const struct matrix_form *form, const char *sum, const char *a, const char *b, FILE *file)
{
   fprintf(file, "   %s %s, %s, %s, %s\n", form->sum_bits == 16 ? "hfma    " : "ffma    ", sum, a, b, sum);
}

struct name {
   char text[16];
};

static struct name element_name(unsigned first, unsigned bits, unsigned index)
{
   struct name name;

   if (bits == 16) {
      snprintf(name.text, sizeof(name.text), "r%u%c", first + index / 2, index % 2 ? 'h' : 'l');
   } else {
      snprintf(name.text, sizeof(name.text), "r%u", first + index);
   }
   return name;
}

static void put_naive_steps(const struct gemm *gemm, unsigned steps, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned bits = form->factor_bits;
   const char *format = bits == 16 ? "i16" : "i32";

   for (unsigned k = 0; k < steps; k++) {
      fprintf(file, "   load     %s, dr%u, %u, %s, x, a\n", element_name(FACTOR_A, bits, k).text, BASE_A, k, format);
      fprintf(file, "   load     %s, dr%u, %zu.zx, %s, x, b\n", element_name(FACTOR_B, bits, k).text, BASE_B,
              k * gemm_stride_b(gemm) / (bits / 8u), format);
   }
   fputs("   wait     a\n   wait     b\n", file);
   for (unsigned k = 0; k < steps; k++) {
      put_multiply_add(form, element_name(SUM, form->sum_bits, 0).text, element_name(FACTOR_A, bits, k).text,
                       element_name(FACTOR_B, bits, k).text, file);
   }
}

void gemm_put_naive(const struct gemm *gemm, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned bytes = form->factor_bits / 8u, elements = gemm->m * gemm->n;

   if (elements % 256 != 0) {
      gemm_put_minimum(file, 2, elements - 1, TEMPORARY); /* threads beyond the last compute its element, too */
   }
   gemm_put_divide(file, ROW, COLUMN, 2, gemm->n);
   fprintf(file, "   ldimm    r%u, 0\n", TEMPORARY);
   gemm_put_address(file, BASE_A, 0, ROW, gemm_stride_a(gemm), TEMPORARY, bytes, 0, TEMPORARY + 1);
   gemm_put_address(file, BASE_B, 0, TEMPORARY, 0, COLUMN, bytes, gemm_start_b(gemm), TEMPORARY + 1);
   fprintf(file, "   ldimm    r%u, 0\n   ldimm    r%u, %u\n   ldimm    r%u, %zu\n", SUM, STEP_A, STEPS * bytes, STEP_B,
           STEPS * gemm_stride_b(gemm));
   gemm_put_loop(file, gemm->k / STEPS, LIMIT);
   put_naive_steps(gemm, STEPS, file);
   fprintf(file, "   iadd     dr%u, dr%u, r%u\n   iadd     dr%u, dr%u, r%u\n", BASE_A, BASE_A, STEP_A, BASE_B, BASE_B,
           STEP_B);
   gemm_put_loop_end(file, LIMIT);
   put_naive_steps(gemm, gemm->k % STEPS, file);
   gemm_put_address(file, BASE_A, 2, ROW, gemm_stride_d(gemm), COLUMN, form->sum_bits / 8u, 0, TEMPORARY);
   fprintf(file, "   store    %s, dr%u, 0, %s, x, a\n", element_name(SUM, form->sum_bits, 0).text, BASE_A,
           form->sum_bits == 16 ? "i16" : "i32");
}

/* ---- Tiled ---- */

#define THREADS 256u
#define SIDE 4u /* elements along each side that a thread computes */

enum {
   TILE_ROW = 3,
   TILE_COLUMN = 4,
   TILED_TEMPORARY = 5,
   TILED_LIMIT = 8,
   THREAD = 9,
   LOCAL_A = 10,
   LOCAL_B = 11,
   COPY_A = 12,
   COPY_B = 14,
   TO_A = 16,
   TO_B = 17,
   THREAD_ROW = 18,
   THREAD_COLUMN = 19,
   DATA = 20,
   TILED_SUMS = 28
};

/* Four neighbouring elements, as one operand of a memory operation. */
static void put_vector(const char *operation, unsigned first, unsigned bits, const char *address, unsigned index,
                       FILE *file)
{
   fprintf(file, "   %s ", operation);
   for (unsigned i = 0; i < SIDE; i++) {
      fprintf(file, "%s%s", i > 0 ? "_" : "", element_name(first, bits, i).text);
   }
   fprintf(file, ", %s, %u, %s, xyzw", address, index, bits == 16 ? "i16" : "i32");
}

static void put_tiled_setup(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file)
{
   const unsigned bytes = matrix_forms[gemm->form].factor_bits / 8u, t = TILED_TEMPORARY;

   fprintf(file, "   shr      r%u, r2, %u\n", t, (unsigned)__builtin_ctz(THREADS));
   gemm_put_divide(file, TILE_ROW, TILE_COLUMN, t, GEMM_TILES(gemm->n));
   fprintf(file, "   mov      r%u, thread_in_threadgroup_x\n", THREAD);
   gemm_put_copy_setup(gemm, copy, TILE_ROW, TILE_COLUMN, file);
   /* 16 x 16 threads of 4 x 4 elements. */
   fprintf(file,
           "   shr      r%u, r%u, 4\n   shl      r%u, r%u, 2\n   and      r%u, r%u, 15\n   shl      r%u, r%u, 2\n",
           THREAD_ROW, THREAD, THREAD_ROW, THREAD_ROW, THREAD_COLUMN, THREAD, THREAD_COLUMN, THREAD_COLUMN);
   fprintf(file, "   imul     r%u, r%u, %u\n   shl      r%u, r%u, %u\n   ldimm    r%u, %u\n   iadd     r%u, r%u, r%u\n",
           LOCAL_A, THREAD_ROW, GEMM_PITCH_A * bytes, LOCAL_B, THREAD_COLUMN, (unsigned)__builtin_ctz(bytes), t,
           gemm_tile_b(gemm), LOCAL_B, LOCAL_B, t);
}

/* The tiles' first `depth` steps along K. */
static void put_tiled_steps(const struct gemm *gemm, unsigned depth, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned bits = form->factor_bits, words = SIDE * bits / 32u, sum_words = SIDE * form->sum_bits / 32u;
   const unsigned a = TILED_SUMS + SIDE * sum_words, b = a + SIDE * words;
   char address[16];

   for (unsigned k = 0; k < depth; k++) {
      for (unsigned i = 0; k % SIDE == 0 && i < SIDE; i++) {
         snprintf(address, sizeof(address), "r%ul", LOCAL_A);
         put_vector("lload   ", a + i * words, bits, address, i * GEMM_PITCH_A + k, file);
         fputc('\n', file);
      }
      snprintf(address, sizeof(address), "r%ul", LOCAL_B);
      put_vector("lload   ", b, bits, address, k * GEMM_PITCH_B, file);
      fputc('\n', file);
      for (unsigned i = 0; i < SIDE; i++) {
         for (unsigned j = 0; j < SIDE; j++) {
            put_multiply_add(form, element_name(TILED_SUMS + i * sum_words, form->sum_bits, j).text,
                             element_name(a + i * words, bits, k % SIDE).text, element_name(b, bits, j).text, file);
         }
      }
   }
}

/* Of a ragged D, elements are stored one by one: THREAD_ROW holds M, THREAD_COLUMN N. */
static void put_tiled_stores(const struct gemm *gemm, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const bool ragged = gemm->m % GEMM_TILE != 0 || gemm->n % GEMM_TILE != 0;
   char address[16];

   fprintf(file,
           "   shl      r%u, r%u, 6\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, 6\n   iadd     r%u, r%u, r%u\n",
           TILE_ROW, TILE_ROW, TILE_ROW, TILE_ROW, THREAD_ROW, TILE_COLUMN, TILE_COLUMN, TILE_COLUMN, TILE_COLUMN,
           THREAD_COLUMN);
   if (ragged) {
      fprintf(file, "   ldimm    r%u, %u\n   ldimm    r%u, %u\n", THREAD_ROW, gemm->m, THREAD_COLUMN, gemm->n);
   }
   for (unsigned i = 0; i < SIDE; i++) {
      const unsigned sums = TILED_SUMS + i * SIDE * form->sum_bits / 32u;

      gemm_put_address(file, COPY_A, 2, TILE_ROW, gemm_stride_d(gemm), TILE_COLUMN, form->sum_bits / 8u, 0,
                       TILED_TEMPORARY);
      if (ragged) {
         fprintf(file, "   if       r%u, r%u, 1, ult\n", TILE_ROW, THREAD_ROW);
         for (unsigned j = 0; j < SIDE; j++) {
            gemm_put_guarded_store(file, element_name(sums, form->sum_bits, j).text, COPY_A, j, form->sum_bits,
                                   TILE_COLUMN, j, THREAD_COLUMN, TILED_TEMPORARY);
         }
         fputs("   pop_exec 1\n", file);
      } else {
         snprintf(address, sizeof(address), "dr%u", COPY_A);
         put_vector("store   ", sums, form->sum_bits, address, 0, file);
         fputs(", a\n", file);
      }
      fprintf(file, "   iadd     r%u, r%u, 1\n", TILE_ROW, TILE_ROW);
   }
}

void gemm_put_tiled(const struct gemm *gemm, FILE *file)
{
   const unsigned sum_words = SIDE * matrix_forms[gemm->form].sum_bits / 32u;
   const struct gemm_copy copy = {.threads = THREADS,
                                  .thread = THREAD,
                                  .a = COPY_A,
                                  .b = COPY_B,
                                  .to_a = TO_A,
                                  .to_b = TO_B,
                                  .data = DATA,
                                  .temporary = TILED_TEMPORARY};

   put_tiled_setup(gemm, &copy, file);
   for (unsigned r = TILED_SUMS; r < TILED_SUMS + SIDE * sum_words; r++) {
      fprintf(file, "   ldimm    r%u, 0\n", r);
   }
   gemm_put_copy_first(gemm, &copy, file);
   gemm_put_loop(file, gemm->k / GEMM_DEPTH, TILED_LIMIT);
   gemm_put_copy(gemm, &copy, file);
   put_tiled_steps(gemm, GEMM_DEPTH, file);
   gemm_put_loop_end(file, TILED_LIMIT);
   if (gemm->k % GEMM_DEPTH != 0) {
      gemm_put_copy_last(gemm, &copy, file);
      put_tiled_steps(gemm, gemm->k % GEMM_DEPTH, file);
   }
   put_tiled_stores(gemm, file);
}
