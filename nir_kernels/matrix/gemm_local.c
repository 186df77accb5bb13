/* SPDX-License-Identifier: MIT
 *
 * GEMM_LOCAL: four simdgroups of a threadgroup compute a quarter of GEMM_TILE x GEMM_TILE each, with simd_matrix_fmadd
 * on tiles that all four copied to threadgroup memory. M and N are multiples of GEMM_TILE, K of GEMM_DEPTH.
 */
#include "nir_kernels/matrix/gemm.h"

#define THREADS 128u
#define BLOCKS 4u /* 8 x 8 ones along each side of a simdgroup's quarter */

enum {
   ROW = 3,
   COLUMN = 4,
   TILE_ROW = 5,
   TILE_COLUMN = 6,
   TEMPORARY = 7,
   LIMIT = 10,
   LOCAL_A = 11,
   LOCAL_B = 12,
   THREAD = 13,
   COPY_A = 14,
   COPY_B = 16,
   TO_A = 18,
   TO_B = 19,
   HALF_ROW = 20,
   HALF_COLUMN = 21,
   DATA = 22
};

/* The first register of the sums, behind the 8 words of factors that a thread copies, or 16. */
static unsigned first_sum(const struct matrix_form *form)
{
   return DATA + form->factor_bits / 2;
}

static unsigned words_of(unsigned bits)
{
   return bits / 16;
}

static void put_setup(const struct gemm *gemm, const struct gemm_copy *copy, unsigned factors, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned shift = form->factor_bits == 16 ? 1 : 2;

   gemm_put_lane(file, ROW, COLUMN, TEMPORARY);
   fprintf(file, "   mov      r%u, threadgroup_in_grid_x\n", TEMPORARY);
   gemm_put_divide(file, TILE_ROW, TILE_COLUMN, TEMPORARY, gemm->n / GEMM_TILE);
   fprintf(file, "   mov      r%u, thread_in_threadgroup_x\n", THREAD);
   gemm_put_copy_setup(gemm, copy, TILE_ROW, TILE_COLUMN, file);
   /* The simdgroup's quarter, and where the lane's pairs of its first blocks lie. */
   fprintf(file,
           "   shr      r%u, r%u, 1\n   and      r%u, r%u, 32\n   and      r%u, r%u, 32\n"
           "   iadd     r%u, r%u, r%u\n   iadd     r%u, r%u, r%u\n",
           HALF_ROW, THREAD, HALF_ROW, HALF_ROW, HALF_COLUMN, THREAD, HALF_ROW, HALF_ROW, ROW, HALF_COLUMN, HALF_COLUMN,
           COLUMN);
   fprintf(file, "   imul     r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, %u\n", LOCAL_A, HALF_ROW,
           GEMM_PITCH_A, LOCAL_A, LOCAL_A, COLUMN, LOCAL_A, LOCAL_A, shift);
   fprintf(file,
           "   imul     r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, %u\n   ldimm    r%u, %u\n"
           "   iadd     r%u, r%u, r%u\n",
           LOCAL_B, ROW, GEMM_PITCH_B, LOCAL_B, LOCAL_B, HALF_COLUMN, LOCAL_B, LOCAL_B, shift, TEMPORARY,
           gemm_tile_b(gemm), LOCAL_B, LOCAL_B, TEMPORARY);
   for (unsigned r = first_sum(form); r < factors; r++) {
      fprintf(file, "   ldimm    r%u, 0\n", r);
   }
}

static void put_load(const struct matrix_form *form, unsigned to, unsigned base, unsigned element, FILE *file)
{
   if (form->factor_bits == 16) {
      fprintf(file, "   lload    r%u, r%ul, %u, i32, x\n", to, base, element / 2);
   } else {
      fprintf(file, "   lload    r%u_r%u, r%ul, %u, i32, xy\n", to, to + 1, base, element);
   }
}

static void put_step(const struct matrix_form *form, unsigned factors, unsigned k, FILE *file)
{
   const unsigned words = words_of(form->factor_bits);

   for (unsigned i = 0; i < BLOCKS; i++) {
      put_load(form, factors + i * words, LOCAL_A, i * MATRIX_SIZE * GEMM_PITCH_A + k, file);
      put_load(form, factors + (BLOCKS + i) * words, LOCAL_B, k * GEMM_PITCH_B + i * MATRIX_SIZE, file);
   }
   for (unsigned i = 0; i < BLOCKS * BLOCKS; i++) {
      const unsigned sum = first_sum(form) + i * words_of(form->sum_bits);

      matrix_put_fmadd(file, form, sum, factors + i / BLOCKS * words, factors + (BLOCKS + i % BLOCKS) * words, sum);
   }
}

void gemm_put_local(const struct gemm *gemm, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned factors = first_sum(form) + BLOCKS * BLOCKS * words_of(form->sum_bits);
   const struct gemm_copy copy = {.threads = THREADS,
                                  .thread = THREAD,
                                  .a = COPY_A,
                                  .b = COPY_B,
                                  .to_a = TO_A,
                                  .to_b = TO_B,
                                  .data = DATA,
                                  .temporary = TEMPORARY};

   put_setup(gemm, &copy, factors, file);
   gemm_put_copy_first(gemm, &copy, file);
   gemm_put_loop(file, gemm->k / GEMM_DEPTH, LIMIT);
   gemm_put_copy(gemm, &copy, file);
   for (unsigned k = 0; k < GEMM_DEPTH; k += MATRIX_SIZE) {
      put_step(form, factors, k, file);
   }
   gemm_put_loop_end(file, LIMIT);
   fprintf(file,
           "   shl      r%u, r%u, 6\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, 6\n   iadd     r%u, r%u, r%u\n",
           TILE_ROW, TILE_ROW, TILE_ROW, TILE_ROW, HALF_ROW, TILE_COLUMN, TILE_COLUMN, TILE_COLUMN, TILE_COLUMN,
           HALF_COLUMN);
   for (unsigned i = 0; i < BLOCKS; i++) {
      gemm_put_address(file, COPY_A, 2, TILE_ROW, gemm_stride_d(gemm), TILE_COLUMN, form->sum_bits / 8u, 0, TEMPORARY);
      for (unsigned j = 0; j < BLOCKS; j++) {
         const unsigned sum = first_sum(form) + (i * BLOCKS + j) * words_of(form->sum_bits);

         if (form->sum_bits == 16) {
            fprintf(file, "   store    r%u, dr%u, %u, i32, x, a\n", sum, COPY_A, j * MATRIX_SIZE / 2);
         } else {
            fprintf(file, "   store    r%u_r%u, dr%u, %u, i32, xy, a\n", sum, sum + 1, COPY_A, j * MATRIX_SIZE);
         }
      }
      fprintf(file, "   iadd     r%u, r%u, 8\n", TILE_ROW, TILE_ROW);
   }
}
