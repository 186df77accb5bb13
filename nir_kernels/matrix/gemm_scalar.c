/* SPDX-License-Identifier: MIT
 *
 * GEMM without the matrix instruction: GEMM_NAIVE, and GEMM_TILED, where a thread of a threadgroup computes rows x
 * columns elements of its tile. What a sum holds is as in the matrix forms: the form's sum_bits.
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

#define VECTOR 4u /* elements that a memory operation moves; `columns` is a multiple */

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
   DATA = 20
};

static unsigned words_of(unsigned elements, unsigned bits)
{
   return elements * bits / 32;
}

/* The first register of a row of sums, which lie behind what a thread copies. */
static unsigned sums_of(const struct gemm *gemm, unsigned i)
{
   return DATA + gemm_copy_words(gemm, GEMM_TILED_THREADS) +
          i * words_of(gemm->columns, matrix_forms[gemm->form].sum_bits);
}

/* Four neighbouring elements, as one operand of a memory operation. */
static void put_vector(const char *operation, unsigned first, unsigned bits, const char *address, unsigned index,
                       FILE *file)
{
   fprintf(file, "   %s ", operation);
   for (unsigned i = 0; i < VECTOR; i++) {
      fprintf(file, "%s%s", i > 0 ? "_" : "", element_name(first, bits, i).text);
   }
   fprintf(file, ", %s, %u, %s, xyzw", address, index, bits == 16 ? "i16" : "i32");
}

static void put_tiled_setup(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file)
{
   const unsigned bytes = matrix_forms[gemm->form].factor_bits / 8u, t = TILED_TEMPORARY;
   const unsigned across = gemm_tile(gemm).columns;

   fprintf(file, "   shr      r%u, r2, %u\n", t, (unsigned)__builtin_ctz(GEMM_TILED_THREADS));
   gemm_put_divide(file, TILE_ROW, TILE_COLUMN, t, (gemm->n + across - 1) / across);
   fprintf(file, "   mov      r%u, thread_in_threadgroup_x\n", THREAD);
   gemm_put_copy_setup(gemm, copy, TILE_ROW, TILE_COLUMN, file);
   /* 16 x 16 threads. */
   fprintf(file,
           "   shr      r%u, r%u, 4\n   shl      r%u, r%u, %u\n   and      r%u, r%u, 15\n   shl      r%u, r%u, %u\n",
           THREAD_ROW, THREAD, THREAD_ROW, THREAD_ROW, (unsigned)__builtin_ctz(gemm->rows), THREAD_COLUMN, THREAD,
           THREAD_COLUMN, THREAD_COLUMN, (unsigned)__builtin_ctz(gemm->columns));
   fprintf(file, "   imul     r%u, r%u, %u\n   shl      r%u, r%u, %u\n   ldimm    r%u, %u\n   iadd     r%u, r%u, r%u\n",
           LOCAL_A, THREAD_ROW, gemm_pitch_a(gemm) * bytes, LOCAL_B, THREAD_COLUMN, (unsigned)__builtin_ctz(bytes), t,
           gemm_tile_b(gemm), LOCAL_B, LOCAL_B, t);
}

/* The tiles' first `depth` steps along K. */
static void put_tiled_steps(const struct gemm *gemm, unsigned depth, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned bits = form->factor_bits, words = words_of(VECTOR, bits);
   const unsigned a = sums_of(gemm, gemm->rows), b = a + gemm->rows * words;
   char address[16];

   for (unsigned k = 0; k < depth; k++) {
      for (unsigned i = 0; k % VECTOR == 0 && i < gemm->rows; i++) {
         snprintf(address, sizeof(address), "r%ul", LOCAL_A);
         put_vector("lload   ", a + i * words, bits, address, i * gemm_pitch_a(gemm) + k, file);
         fputc('\n', file);
      }
      snprintf(address, sizeof(address), "r%ul", LOCAL_B);
      for (unsigned j = 0; j < gemm->columns; j += VECTOR) {
         put_vector("lload   ", b + words_of(j, bits), bits, address, k * gemm_pitch_b(gemm) + j, file);
         fputc('\n', file);
      }
      for (unsigned i = 0; i < gemm->rows; i++) {
         for (unsigned j = 0; j < gemm->columns; j++) {
            put_multiply_add(form, element_name(sums_of(gemm, i), form->sum_bits, j).text,
                             element_name(a + i * words, bits, k % VECTOR).text, element_name(b, bits, j).text, file);
         }
      }
   }
}

/* Stores the elements of a ragged D one by one: THREAD_ROW holds M, THREAD_COLUMN N. */
static void put_tiled_stores(const struct gemm *gemm, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const struct gemm_tile tile = gemm_tile(gemm);
   const bool ragged = gemm->m % tile.rows != 0 || gemm->n % tile.columns != 0;
   char address[16];

   gemm_put_tile_place(file, TILE_ROW, tile.rows, THREAD_ROW);
   gemm_put_tile_place(file, TILE_COLUMN, tile.columns, THREAD_COLUMN);
   if (ragged) {
      fprintf(file, "   ldimm    r%u, %u\n   ldimm    r%u, %u\n", THREAD_ROW, gemm->m, THREAD_COLUMN, gemm->n);
   }
   for (unsigned i = 0; i < gemm->rows; i++) {
      const unsigned sums = sums_of(gemm, i);

      gemm_put_address(file, COPY_A, 2, TILE_ROW, gemm_stride_d(gemm), TILE_COLUMN, form->sum_bits / 8u, 0,
                       TILED_TEMPORARY);
      if (ragged) {
         fprintf(file, "   if       r%u, r%u, 1, ult\n", TILE_ROW, THREAD_ROW);
         for (unsigned j = 0; j < gemm->columns; j++) {
            gemm_put_guarded_store(file, element_name(sums, form->sum_bits, j).text, COPY_A, j, form->sum_bits,
                                   TILE_COLUMN, j, THREAD_COLUMN, TILED_TEMPORARY);
         }
         fputs("   pop_exec 1\n", file);
      } else {
         snprintf(address, sizeof(address), "dr%u", COPY_A);
         for (unsigned j = 0; j < gemm->columns; j += VECTOR) {
            put_vector("store   ", sums + words_of(j, form->sum_bits), form->sum_bits, address, j, file);
            fputs(", a\n", file);
         }
      }
      fprintf(file, "   iadd     r%u, r%u, 1\n", TILE_ROW, TILE_ROW);
   }
}

void gemm_put_tiled(const struct gemm *gemm, FILE *file)
{
   const struct gemm_copy copy = {.threads = GEMM_TILED_THREADS,
                                  .thread = THREAD,
                                  .a = COPY_A,
                                  .b = COPY_B,
                                  .to_a = TO_A,
                                  .to_b = TO_B,
                                  .data = DATA,
                                  .temporary = TILED_TEMPORARY};

   put_tiled_setup(gemm, &copy, file);
   for (unsigned r = sums_of(gemm, 0); r < sums_of(gemm, gemm->rows); r++) {
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
