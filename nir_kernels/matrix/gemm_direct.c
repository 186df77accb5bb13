/* SPDX-License-Identifier: MIT
 *
 * GEMM_DIRECT: a simdgroup computes rows x columns blocks of D. A lane loads its pair of each 8 x 8 block of A and B
 * straight from device memory, at an immediate offset from few bases, so that the loop holds little but products.
 * A shape that is no multiple of the blocks has its addresses clamped, its last step along K masked, and its stores
 * guarded.
 */
#include "nir_kernels/matrix/gemm.h"

#include <string.h>

#define BLOCKS_MAX 8u
#define OFFSET_MAX 65535u /* of a memory operation's immediate index, in words */

/* Registers. Bases lie from BASES on, then the step of each matrix, then sums, then factors. */
enum {
   ROW = 3,
   COLUMN = 4,
   TILE_ROW = 5,
   TILE_COLUMN = 6,
   TEMPORARY = 7,
   LIMIT = 10,
   STEP_A = 11,
   STEP_B = 12,
   LAST_ROW = 13,
   BASES = 14
};

struct block {
   unsigned base, offset; /* register pair, words */
};

struct direct {
   const struct gemm *gemm;
   const struct matrix_form *form;
   struct block a[BLOCKS_MAX], b[BLOCKS_MAX];
   unsigned bases_a, bases_b; /* how many */
   unsigned first_b, sums, factors, constants;
   unsigned bytes; /* of an element of A and B */
   unsigned unit;  /* bytes that a load's index counts */
   bool ragged;
};

static unsigned words_of(unsigned bits)
{
   return bits / 16;
}

static unsigned ceiling(unsigned n, unsigned by)
{
   return (n + by - 1) / by;
}

/* Which blocks share a base, and the registers of all. */
static void plan(struct direct *d)
{
   const struct gemm *gemm = d->gemm;
   const size_t step_a = gemm_stride_a(gemm) * MATRIX_SIZE / d->unit;
   const size_t along_a = MATRIX_SIZE * (gemm->unroll - 1) * d->bytes / d->unit;
   const size_t along_b = gemm_stride_b(gemm) * MATRIX_SIZE * (gemm->unroll - 1) / d->unit;
   unsigned next = BASES;
   size_t offset = 0;

   for (unsigned i = 0; i < gemm->rows; i++, offset += step_a) {
      if (i == 0 || d->ragged || offset + along_a > OFFSET_MAX) {
         next += i == 0 ? 0 : 2;
         offset = 0;
         d->bases_a++;
      }
      d->a[i] = (struct block){next, (unsigned)offset};
   }
   next += 2;
   d->first_b = next;
   for (unsigned j = 0; j < gemm->columns; j++) {
      if (j == 0 || d->ragged || along_b > OFFSET_MAX - 1024) {
         next += j == 0 ? 0 : 2;
         offset = 0;
         d->bases_b++;
      }
      d->b[j] = (struct block){next, (unsigned)offset};
      offset += MATRIX_SIZE * d->bytes / d->unit;
   }
   d->sums = next + 2;
   d->factors = d->sums + gemm->rows * gemm->columns * words_of(d->form->sum_bits);
   d->constants = d->factors + 2 * (gemm->rows + gemm->columns) * words_of(d->form->factor_bits);
}

static unsigned sum(const struct direct *d, unsigned i, unsigned j)
{
   return d->sums + (i * d->gemm->columns + j) * words_of(d->form->sum_bits);
}

/* Factors of a step along K: steps alternate between two sets. */
static unsigned factor(const struct direct *d, unsigned step, unsigned index)
{
   return d->factors + (step % 2 * (d->gemm->rows + d->gemm->columns) + index) * words_of(d->form->factor_bits);
}

static void put_setup(const struct direct *d, FILE *file)
{
   const struct gemm *gemm = d->gemm;
   const unsigned bytes = d->bytes, height = gemm->rows * MATRIX_SIZE, width = gemm->columns * MATRIX_SIZE;
   const unsigned across = ceiling(gemm->n, width);

   gemm_put_lane(file, ROW, COLUMN, TEMPORARY);
   fprintf(file, "   shr      r%u, r2, 5\n", TEMPORARY);
   gemm_put_divide(file, TILE_ROW, TILE_COLUMN, TEMPORARY, across);
   fprintf(file, "   imul     r%u, r%u, %u\n   imul     r%u, r%u, %u\n", TILE_ROW, TILE_ROW, height, TILE_COLUMN,
           TILE_COLUMN, width);
   for (unsigned i = 0; i < gemm->rows; i++) {
      if (i > 0 && d->a[i].base == d->a[i - 1].base) {
         continue;
      }
      fprintf(file, "   iadd     r%u, r%u, r%u\n   iadd     r%u, r%u, %u\n", TEMPORARY, TILE_ROW, ROW, TEMPORARY,
              TEMPORARY, i * MATRIX_SIZE);
      if (d->ragged) {
         gemm_put_minimum(file, TEMPORARY, gemm->m - 1, TEMPORARY + 1);
      }
      gemm_put_address(file, d->a[i].base, 0, TEMPORARY, gemm_stride_a(gemm), COLUMN, bytes, 0, TEMPORARY + 1);
   }
   for (unsigned j = 0; j < gemm->columns; j++) {
      if (j > 0 && d->b[j].base == d->b[j - 1].base) {
         continue;
      }
      fprintf(file, "   iadd     r%u, r%u, r%u\n   iadd     r%u, r%u, %u\n", TEMPORARY, TILE_COLUMN, COLUMN, TEMPORARY,
              TEMPORARY, j * MATRIX_SIZE);
      if (d->ragged) {
         gemm_put_minimum(file, TEMPORARY, GEMM_PADDED(gemm->n) - 2, TEMPORARY + 1);
      }
      gemm_put_address(file, d->b[j].base, 0, ROW, gemm_stride_b(gemm), TEMPORARY, bytes, gemm_start_b(gemm),
                       TEMPORARY + 1);
   }
   gemm_put_widen_constants(file, gemm->encoding, d->constants);
   for (unsigned r = d->sums; r < d->factors; r++) {
      fprintf(file, "   ldimm    r%u, 0\n", r);
   }
   fprintf(file, "   ldimm    r%u, %u\n   ldimm    r%u, %zu\n", STEP_A, gemm->unroll * MATRIX_SIZE * bytes, STEP_B,
           gemm->unroll * MATRIX_SIZE * gemm_stride_b(gemm));
}

static void put_load(const struct direct *d, unsigned to, unsigned base, size_t offset, char slot, FILE *file)
{
   if (d->form->factor_bits == 16) {
      fprintf(file, "   load     r%u%s, dr%u, %zu.zx, %s, x, %c\n", to, d->unit == 2 ? "l" : "", base, offset,
              d->unit == 2 ? "i16" : "i32", slot);
   } else {
      fprintf(file, "   load     r%u_r%u, dr%u, %zu.zx, i32, xy, %c\n", to, to + 1, base, offset, slot);
   }
}

/* Loads of the step `step` steps behind where the bases point. */
static void put_loads(const struct direct *d, unsigned step, FILE *file)
{
   const struct gemm *gemm = d->gemm;
   const char slot = step % 2 ? 'b' : 'a';

   for (unsigned i = 0; i < gemm->rows; i++) {
      put_load(d, factor(d, step, i), d->a[i].base, d->a[i].offset + (size_t)step * MATRIX_SIZE * d->bytes / d->unit,
               slot, file);
   }
   for (unsigned j = 0; j < gemm->columns; j++) {
      put_load(d, factor(d, step, gemm->rows + j), d->b[j].base,
               d->b[j].offset + step * MATRIX_SIZE * gemm_stride_b(gemm) / d->unit, slot, file);
   }
}

static void put_wait(const struct direct *d, unsigned step, FILE *file)
{
   fprintf(file, "   wait     %c\n", step % 2 ? 'b' : 'a');
   for (unsigned f = 0; d->gemm->encoding != GEMM_PLAIN && f < d->gemm->rows + d->gemm->columns; f++) {
      gemm_put_widen(file, d->gemm->encoding, factor(d, step, f), factor(d, step, f), TEMPORARY, d->constants);
   }
}

static void put_products(const struct direct *d, unsigned step, FILE *file)
{
   const struct gemm *gemm = d->gemm;

   for (unsigned i = 0; i < gemm->rows; i++) {
      for (unsigned j = 0; j < gemm->columns; j++) {
         matrix_put_fmadd(file, d->form, sum(d, i, j), factor(d, step, i), factor(d, step, gemm->rows + j),
                          sum(d, i, j));
      }
   }
}

/* `steps` of a body: the loads of a step stand before the products of the step before. */
static void put_steps(const struct direct *d, unsigned steps, FILE *file)
{
   for (unsigned step = 0; step < steps; step++) {
      if (step == 0) {
         put_loads(d, 0, file);
      }
      if (step + 1 < steps) {
         put_loads(d, step + 1, file);
      }
      put_wait(d, step, file);
      put_products(d, step, file);
   }
}

static void put_advance(const struct direct *d, FILE *file)
{
   for (unsigned i = 0; i < d->bases_a; i++) {
      fprintf(file, "   iadd     dr%u, dr%u, r%u\n", BASES + 2 * i, BASES + 2 * i, STEP_A);
   }
   for (unsigned j = 0; j < d->bases_b; j++) {
      fprintf(file, "   iadd     dr%u, dr%u, r%u\n", d->first_b + 2 * j, d->first_b + 2 * j, STEP_B);
   }
}

/* The last step, of which only `left` columns of A and rows of B exist: the others become zeros. */
static void put_last_step(const struct direct *d, unsigned left, FILE *file)
{
   const struct gemm *gemm = d->gemm;
   const unsigned t = TEMPORARY, words = words_of(d->form->factor_bits);

   /* Rows of B beyond the last are not read: the lane reads the last one in their place. */
   fprintf(file, "   mov      r%u, r%u\n", t, ROW);
   gemm_put_minimum(file, t, left - 1, t + 1);
   fprintf(file, "   iadd     r%u, r%u, r%u.neg\n   ldimm    r%u, %zu\n   imul     r%u, r%u, r%u\n", t, ROW, t, t + 1,
           gemm_stride_b(gemm), t, t, t + 1);
   for (unsigned j = 0; j < d->bases_b; j++) {
      fprintf(file, "   iadd     dr%u, dr%u, r%u.neg\n", d->first_b + 2 * j, d->first_b + 2 * j, t);
   }
   put_loads(d, 0, file);
   put_wait(d, 0, file);
   /* Masks: the first and the second element of a pair of A in t and t + 1, a row of B in t + 2. */
   fprintf(file, "   ldimm    r%u, 0xffffffff\n   ldimm    r%u, 0\n   ldimm    r%u, %u\n", LIMIT, LAST_ROW, STEP_A,
           left);
   fprintf(file, "   csel     r%u, r%u, r%u, r%u, r%u, ult\n", t, COLUMN, STEP_A, LIMIT, LAST_ROW);
   fprintf(file, "   iadd     r%u, r%u, 1\n   csel     r%u, r%u, r%u, r%u, r%u, ult\n", t + 1, COLUMN, t + 1, t + 1,
           STEP_A, LIMIT, LAST_ROW);
   fprintf(file, "   csel     r%u, r%u, r%u, r%u, r%u, ult\n", t + 2, ROW, STEP_A, LIMIT, LAST_ROW);
   if (words == 1) {
      fprintf(file, "   mov      r%uh, r%ul\n", t, t + 1);
   }
   for (unsigned f = 0; f < gemm->rows + gemm->columns; f++) {
      for (unsigned w = 0; w < words; w++) {
         fprintf(file, "   and      r%u, r%u, r%u\n", factor(d, 0, f) + w, factor(d, 0, f) + w,
                 f < gemm->rows ? t + w : t + 2);
      }
   }
   put_products(d, 0, file);
}

/* One row of blocks: the base is TEMPORARY + 1's pair, in words. */
static void put_store_row(const struct direct *d, unsigned i, unsigned base, FILE *file)
{
   const unsigned bits = d->form->sum_bits;

   for (unsigned j = 0; j < d->gemm->columns; j++) {
      const unsigned r = sum(d, i, j), offset = j * MATRIX_SIZE * bits / 32u, element = j * MATRIX_SIZE;

      if (!d->ragged) {
         if (bits == 16) {
            fprintf(file, "   store    r%u, dr%u, %u, i32, x, a\n", r, base, offset);
         } else {
            fprintf(file, "   store    r%u_r%u, dr%u, %u, i32, xy, a\n", r, r + 1, base, offset);
         }
         continue;
      }
      fprintf(file, "   iadd     r%u, r%u, %u\n   if       r%u, r%u, 1, ult\n", STEP_A, STEP_B, element, STEP_A, LIMIT);
      fprintf(file, bits == 16 ? "   store    r%ul, dr%u, %u, i16, x, a\n" : "   store    r%u, dr%u, %u, i32, x, a\n",
              r, base, element);
      fprintf(file, "   iadd     r%u, r%u, 1\n   if       r%u, r%u, 1, ult\n", STEP_A, STEP_A, STEP_A, LIMIT);
      if (bits == 16) {
         fprintf(file, "   store    r%uh, dr%u, %u, i16, x, a\n", r, base, element + 1);
      } else {
         fprintf(file, "   store    r%u, dr%u, %u, i32, x, a\n", r + 1, base, element + 1);
      }
      fputs("   pop_exec 1\n   pop_exec 1\n", file);
   }
}

/* D = gelu(sum + bias), before the stores. The factors' registers are free: the bias of a block goes there. */
static void put_epilogue(const struct direct *d, FILE *file)
{
   const unsigned t = d->factors, constant = d->factors + 4;
   const float factor = (float)GEMM_GELU;
   uint32_t bits;

   memcpy(&bits, &factor, sizeof(bits));
   fprintf(file, "   iadd     r%u, r%u, r%u\n   ldimm    r%u, 0\n", TEMPORARY, TILE_COLUMN, COLUMN, TEMPORARY + 1);
   gemm_put_address(file, BASES, 0, TEMPORARY + 1, 0, TEMPORARY, 4, gemm_start_bias(d->gemm), TEMPORARY + 2);
   fprintf(file, "   ldimm    r%u, 0x%x\n", constant, bits);
   for (unsigned j = 0; j < d->gemm->columns; j++) {
      fprintf(file, "   load     r%u_r%u, dr%u, %u, i32, xy, a\n   wait     a\n", t, t + 1, BASES, j * MATRIX_SIZE);
      for (unsigned i = 0; i < d->gemm->rows; i++) {
         for (unsigned e = 0; e < 2; e++) {
            const unsigned r = sum(d, i, j) + e, x = t + 2;

            fprintf(file,
                    "   fadd     r%u, r%u, r%u\n   fmul     r%u, r%u, r%u\n   exp2     r%u, r%u\n"
                    "   fadd     r%u, r%u, 1.0\n   rcp      r%u, r%u\n   fmul     r%u, r%u, r%u\n",
                    r, r, t + e, x, r, constant, x, x, x, x, x, x, r, r, x);
         }
      }
   }
}

/* STEP_B: the lane's column of D. LIMIT: columns; LAST_ROW: rows of D. */
static void put_stores(const struct direct *d, FILE *file)
{
   const struct gemm *gemm = d->gemm;

   fprintf(file, "   iadd     r%u, r%u, r%u\n   ldimm    r%u, %u\n   ldimm    r%u, %u\n", STEP_B, TILE_COLUMN, COLUMN,
           LIMIT, gemm->n, LAST_ROW, gemm->m);
   for (unsigned i = 0; i < gemm->rows; i++) {
      fprintf(file, "   iadd     r%u, r%u, r%u\n   iadd     r%u, r%u, %u\n", TEMPORARY, TILE_ROW, ROW, TEMPORARY,
              TEMPORARY, i * MATRIX_SIZE);
      gemm_put_address(file, BASES, 2, TEMPORARY, gemm_stride_d(gemm), STEP_B, d->form->sum_bits / 8u, 0,
                       TEMPORARY + 1);
      if (d->ragged) {
         fprintf(file, "   if       r%u, r%u, 1, ult\n", TEMPORARY, LAST_ROW);
      }
      put_store_row(d, i, BASES, file);
      if (d->ragged) {
         fputs("   pop_exec 1\n", file);
      }
   }
}

void gemm_put_direct(const struct gemm *gemm, FILE *file)
{
   const unsigned steps = gemm->k / MATRIX_SIZE, left = gemm->k % MATRIX_SIZE;
   struct direct d = {.gemm = gemm, .form = &matrix_forms[gemm->form]};

   d.ragged = gemm->m % (gemm->rows * MATRIX_SIZE) != 0 || gemm->n % (gemm->columns * MATRIX_SIZE) != 0 || left != 0;
   d.bytes = (unsigned)gemm_factor_bytes(gemm);
   d.unit = d.bytes == 1 ? 2 : 4;
   plan(&d);
   put_setup(&d, file);
   gemm_put_loop(file, steps / gemm->unroll, LIMIT);
   put_steps(&d, gemm->unroll, file);
   put_advance(&d, file);
   gemm_put_loop_end(file, LIMIT);
   for (unsigned step = 0; step < steps % gemm->unroll; step++) {
      put_loads(&d, 0, file);
      put_wait(&d, 0, file);
      put_products(&d, 0, file);
      fprintf(file, "   ldimm    r%u, %u\n   ldimm    r%u, %zu\n", STEP_A, MATRIX_SIZE * d.bytes, STEP_B,
              MATRIX_SIZE * gemm_stride_b(gemm));
      put_advance(&d, file);
   }
   if (left != 0) {
      put_last_step(&d, left, file);
   }
   if (gemm->epilogue) {
      put_epilogue(&d, file);
   }
   put_stores(&d, file);
}
