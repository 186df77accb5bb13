/* SPDX-License-Identifier: MIT
 *
 * GEMM_LOCAL: four simdgroups of a threadgroup compute a quarter of its tile of D each, with simd_matrix_fmadd on tiles
 * of A and B that all four copied to threadgroup memory. Threadgroups at the edge of a ragged D compute a whole tile,
 * and store what D has of it.
 */
#include "nir_kernels/matrix/gemm.h"

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

static unsigned words_of(unsigned bits)
{
   return bits / 16;
}

/* The sums lie behind what a thread copies and the constants that widen it. */
static unsigned sum_of(const struct gemm *gemm, unsigned i, unsigned j)
{
   return DATA + gemm_copy_words(gemm, GEMM_LOCAL_THREADS) + gemm_widen_constants(gemm->encoding) +
          (i * gemm->columns + j) * words_of(matrix_forms[gemm->form].sum_bits);
}

/* reg becomes 0 or `side`, by the bit of the thread's number that is worth `weight`: which half of the tile. */
static void put_half(unsigned reg, unsigned weight, unsigned side, FILE *file)
{
   if (weight != side) {
      fprintf(file, "   shr      r%u, r%u, %u\n", reg, THREAD, (unsigned)__builtin_ctz(weight / side));
   }
   fprintf(file, "   and      r%u, r%u, %u\n", reg, weight != side ? reg : (unsigned)THREAD, side);
}

static void put_setup(const struct gemm *gemm, const struct gemm_copy *copy, unsigned factors, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned shift = form->factor_bits == 16 ? 1 : 2;
   const struct gemm_tile tile = gemm_tile(gemm);

   gemm_put_lane(file, ROW, COLUMN, TEMPORARY);
   fprintf(file, "   shr      r%u, r2, %u\n", TEMPORARY, (unsigned)__builtin_ctz(GEMM_LOCAL_THREADS));
   gemm_put_divide(file, TILE_ROW, TILE_COLUMN, TEMPORARY, (gemm->n + tile.columns - 1) / tile.columns);
   fprintf(file, "   mov      r%u, thread_in_threadgroup_x\n", THREAD);
   gemm_put_copy_setup(gemm, copy, TILE_ROW, TILE_COLUMN, file);
   /* The simdgroup's quarter, and where the lane's pairs of its first blocks lie. */
   put_half(HALF_ROW, 2 * MATRIX_LANES, tile.rows / 2, file);
   put_half(HALF_COLUMN, MATRIX_LANES, tile.columns / 2, file);
   fprintf(file, "   iadd     r%u, r%u, r%u\n   iadd     r%u, r%u, r%u\n", HALF_ROW, HALF_ROW, ROW, HALF_COLUMN,
           HALF_COLUMN, COLUMN);
   fprintf(file, "   imul     r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, %u\n", LOCAL_A, HALF_ROW,
           gemm_pitch_a(gemm), LOCAL_A, LOCAL_A, COLUMN, LOCAL_A, LOCAL_A, shift);
   fprintf(file,
           "   imul     r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, %u\n   ldimm    r%u, %u\n"
           "   iadd     r%u, r%u, r%u\n",
           LOCAL_B, ROW, gemm_pitch_b(gemm), LOCAL_B, LOCAL_B, HALF_COLUMN, LOCAL_B, LOCAL_B, shift, TEMPORARY,
           gemm_tile_b(gemm), LOCAL_B, LOCAL_B, TEMPORARY);
   gemm_put_widen_constants(file, gemm->encoding, copy->constants);
   for (unsigned r = sum_of(gemm, 0, 0); r < factors; r++) {
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

static void put_step(const struct gemm *gemm, unsigned factors, unsigned k, FILE *file)
{
   const struct matrix_form *form = &matrix_forms[gemm->form];
   const unsigned words = words_of(form->factor_bits);

   for (unsigned i = 0; i < gemm->rows || i < gemm->columns; i++) {
      if (i < gemm->rows) {
         put_load(form, factors + i * words, LOCAL_A, i * MATRIX_SIZE * gemm_pitch_a(gemm) + k, file);
      }
      if (i < gemm->columns) {
         put_load(form, factors + (gemm->rows + i) * words, LOCAL_B, k * gemm_pitch_b(gemm) + i * MATRIX_SIZE, file);
      }
   }
   for (unsigned i = 0; i < gemm->rows; i++) {
      for (unsigned j = 0; j < gemm->columns; j++) {
         const unsigned sum = sum_of(gemm, i, j);

         matrix_put_fmadd(file, form, sum, factors + i * words, factors + (gemm->rows + j) * words, sum);
      }
   }
}

static void put_steps(const struct gemm *gemm, unsigned factors, unsigned depth, FILE *file)
{
   for (unsigned k = 0; k < depth; k += MATRIX_SIZE) {
      put_step(gemm, factors, k, file);
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
   const struct gemm_tile tile = gemm_tile(gemm);
   const bool ragged = gemm->m % tile.rows != 0 || gemm->n % tile.columns != 0;

   gemm_put_tile_place(file, TILE_ROW, tile.rows, HALF_ROW);
   gemm_put_tile_place(file, TILE_COLUMN, tile.columns, HALF_COLUMN);
   if (ragged) {
      fprintf(file, "   ldimm    r%u, %u\n   ldimm    r%u, %u\n", ROW, gemm->n, LIMIT, gemm->m);
   }
   for (unsigned i = 0; i < gemm->rows; i++) {
      gemm_put_address(file, COPY_A, 2, TILE_ROW, gemm_stride_d(gemm), TILE_COLUMN, form->sum_bits / 8u, 0, TEMPORARY);
      if (ragged) {
         fprintf(file, "   if       r%u, r%u, 1, ult\n", TILE_ROW, LIMIT);
      }
      for (unsigned j = 0; j < gemm->columns; j++) {
         put_pair_store(gemm, sum_of(gemm, i, j), j, ragged, file);
      }
      fprintf(file, "%s   iadd     r%u, r%u, 8\n", ragged ? "   pop_exec 1\n" : "", TILE_ROW, TILE_ROW);
   }
}

void gemm_put_local(const struct gemm *gemm, FILE *file)
{
   const unsigned factors = sum_of(gemm, gemm->rows, 0);
   const struct gemm_copy copy = {.threads = GEMM_LOCAL_THREADS,
                                  .thread = THREAD,
                                  .a = COPY_A,
                                  .b = COPY_B,
                                  .to_a = TO_A,
                                  .to_b = TO_B,
                                  .data = DATA,
                                  .temporary = TEMPORARY,
                                  .widened = factors, /* free while tiles are stored; as many words */
                                  .constants = DATA + gemm_copy_words(gemm, GEMM_LOCAL_THREADS)};

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
