/* SPDX-License-Identifier: MIT
 *
 * GEMM_LOCAL: four simdgroups of a threadgroup compute a quarter of GEMM_TILE x GEMM_TILE each, with simd_matrix_fmadd
 * on tiles that all four copied to threadgroup memory. Threadgroups at the edge of a ragged D compute a whole tile, and
 * store what D has of it.
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
   fprintf(file, "   shr      r%u, r2, %u\n", TEMPORARY, (unsigned)__builtin_ctz(THREADS));
   gemm_put_divide(file, TILE_ROW, TILE_COLUMN, TEMPORARY, GEMM_TILES(gemm->n));
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

static void put_steps(const struct gemm *gemm, unsigned factors, unsigned depth, FILE *file)
{
   for (unsigned k = 0; k < depth; k += MATRIX_SIZE) {
      put_step(&matrix_forms[gemm->form], factors, k, file);
   }
}

/* A lane's pair: elements `j` * 8 and the next of the row at COPY_A. ROW holds N, COLUMN is free. */
static void put_pair_store(const struct gemm *gemm, unsigned sum, unsigned j, bool ragged, FILE *file)
{
   const unsigned bits = matrix_forms[gemm->form].sum_bits, element = j * MATRIX_SIZE;
   char reg[16];

   if (!ragged && bits == 16) {
      fprintf(file, "   store    r%u, dr%u, %u, i32, x, a\n", sum, COPY_A, element / 2);
   } else if (!ragged) {
      fprintf(file, "   store    r%u_r%u, dr%u, %u, i32, xy, a\n", sum, sum + 1, COPY_A, element);
   }
   for (unsigned e = 0; ragged && e < 2; e++) {
      snprintf(reg, sizeof(reg), bits == 16 ? "r%u%s" : "r%u", bits == 16 ? sum : sum + e, e ? "h" : "l");
      gemm_put_guarded_store(file, reg, COPY_A, element + e, bits, TILE_COLUMN, element + e, ROW, COLUMN);
   }
}

static void put_stores(const struct gemm *gemm, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const bool ragged = gemm->m % GEMM_TILE != 0 || gemm->n % GEMM_TILE != 0;

   fprintf(file,
           "   shl      r%u, r%u, 6\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, 6\n   iadd     r%u, r%u, r%u\n",
           TILE_ROW, TILE_ROW, TILE_ROW, TILE_ROW, HALF_ROW, TILE_COLUMN, TILE_COLUMN, TILE_COLUMN, TILE_COLUMN,
           HALF_COLUMN);
   if (ragged) {
      fprintf(file, "   ldimm    r%u, %u\n   ldimm    r%u, %u\n", ROW, gemm->n, LIMIT, gemm->m);
   }
   for (unsigned i = 0; i < BLOCKS; i++) {
      gemm_put_address(file, COPY_A, 2, TILE_ROW, gemm_stride_d(gemm), TILE_COLUMN, form->sum_bits / 8u, 0, TEMPORARY);
      if (ragged) {
         fprintf(file, "   if       r%u, r%u, 1, ult\n", TILE_ROW, LIMIT);
      }
      for (unsigned j = 0; j < BLOCKS; j++) {
         put_pair_store(gemm, first_sum(form) + (i * BLOCKS + j) * words_of(form->sum_bits), j, ragged, file);
      }
      fprintf(file, "%s   iadd     r%u, r%u, 8\n", ragged ? "   pop_exec 1\n" : "", TILE_ROW, TILE_ROW);
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
   put_steps(gemm, factors, GEMM_DEPTH, file);
   gemm_put_loop_end(file, LIMIT);
   if (gemm->k % GEMM_DEPTH != 0) {
      gemm_put_copy_last(gemm, &copy, file);
      put_steps(gemm, factors, gemm->k % GEMM_DEPTH, file);
   }
   put_stores(gemm, file);
}
