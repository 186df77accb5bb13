/* SPDX-License-Identifier: MIT
 *
 * Tiles of GEMM_TILED and GEMM_LOCAL in threadgroup memory: rows x GEMM_DEPTH of A, then GEMM_DEPTH x columns of B,
 * where gemm_tile() says how many rows and columns. A transposed operand is transposed on its way into the tile, so
 * that the products know one layout only; 8-bit elements become halves.
 *
 * Invariant: no thread loads from outside the input; addresses of a ragged shape are clamped to the last row or column.
 * An element of a tile beyond K is zero. Rows and columns beyond D may hold anything: they reach no element of D.
 */
#include "nir_kernels/matrix/gemm.h"

unsigned gemm_pitch_a(const struct gemm *gemm)
{
   (void)gemm;
   return GEMM_DEPTH + 8;
}

unsigned gemm_pitch_b(const struct gemm *gemm)
{
   return gemm_tile(gemm).columns + 8;
}

unsigned gemm_tile_b(const struct gemm *gemm)
{
   return gemm_tile(gemm).rows * gemm_pitch_a(gemm) * gemm_element_bytes(gemm);
}

unsigned gemm_tile_bytes(const struct gemm *gemm)
{
   return gemm_tile_b(gemm) + GEMM_DEPTH * gemm_pitch_b(gemm) * gemm_element_bytes(gemm);
}

/* One operand's part of the copy. Each thread copies `width` neighbouring elements of a stored row. */
struct side {
   unsigned width, words, chunks; /* elements and words of a thread; threads for a row */
   unsigned base, to, data;       /* registers */
   unsigned store, store_words;   /* what goes into the tile: `data`, or what that is widened to */
   unsigned pitch, start;         /* of the tile: elements from row to row, first byte */
   unsigned outer, across;        /* M or N; the tile's side along it */
   size_t stride, first;          /* of the stored matrix, bytes */
   bool along_k;                  /* stored rows run along K */
   bool transposed;
};

static struct side side_of(const struct gemm *gemm, const struct gemm_copy *copy, bool b)
{
   const unsigned bytes = (unsigned)gemm_factor_bytes(gemm);
   const struct gemm_tile tile = gemm_tile(gemm);
   const unsigned across = b ? tile.columns : tile.rows;
   struct side side = {
       .width = across * GEMM_DEPTH / copy->threads,
       .across = across,
       .base = b ? copy->b : copy->a,
       .to = b ? copy->to_b : copy->to_a,
       .pitch = b ? gemm_pitch_b(gemm) : gemm_pitch_a(gemm),
       .start = b ? gemm_tile_b(gemm) : 0,
       .outer = b ? gemm->n : gemm->m,
       .stride = b ? gemm_stride_b(gemm) : gemm_stride_a(gemm),
       .first = b ? gemm_start_b(gemm) : 0,
       .transposed = b ? gemm->transposed_b : gemm->transposed_a,
   };

   side.along_k = side.transposed == b;
   side.words = side.width * bytes / 4; /* 1 to 8 */
   side.chunks = (side.along_k ? GEMM_DEPTH : across) / side.width;
   side.data = copy->data + (b ? tile.rows * GEMM_DEPTH / copy->threads * bytes / 4 : 0);
   side.store_words = side.width * gemm_element_bytes(gemm) / 4;
   side.store =
       gemm->encoding == GEMM_PLAIN ? side.data : copy->widened + (b ? tile.rows * GEMM_DEPTH / copy->threads / 2 : 0);
   return side;
}

unsigned gemm_copy_words(const struct gemm *gemm, unsigned threads)
{
   const struct gemm_tile tile = gemm_tile(gemm);

   return (tile.rows + tile.columns) * GEMM_DEPTH / threads * (unsigned)gemm_factor_bytes(gemm) / 4;
}

/* The thread's stored row and first element of it within the tile, in t and t + 1. */
static void put_place(const struct gemm_copy *copy, const struct side *side, FILE *file)
{
   const unsigned t = copy->temporary;

   gemm_put_divide(file, t, t + 1, copy->thread, side->chunks);
   fprintf(file, "   imul     r%u, r%u, %u\n", t + 1, t + 1, side->width);
}

static void put_side_setup(const struct gemm *gemm, const struct gemm_copy *copy, const struct side *side,
                           unsigned tile, FILE *file)
{
   const unsigned bytes = (unsigned)gemm_factor_bytes(gemm), t = copy->temporary;
   const unsigned outer = side->along_k ? t : t + 1;

   put_place(copy, side, file);
   fprintf(file, "   imul     r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n   shl      r%u, r%u, %u\n", side->to,
           side->transposed ? t + 1 : t, side->pitch, side->to, side->to, side->transposed ? t : t + 1, side->to,
           side->to, (unsigned)__builtin_ctz(gemm_element_bytes(gemm)));
   if (side->start != 0) {
      fprintf(file, "   ldimm    r%u, %u\n   iadd     r%u, r%u, r%u\n", t + 2, side->start, side->to, side->to, t + 2);
   }
   fprintf(file, "   shl      r%u, r%u, %u\n   iadd     r%u, r%u, r%u\n", t + 2, tile,
           (unsigned)__builtin_ctz(side->across), outer, outer, t + 2);
   if (side->outer % side->across != 0) {
      gemm_put_minimum(file, outer, side->along_k ? side->outer - 1 : GEMM_PADDED(side->outer) - side->width, t + 2);
   }
   gemm_put_address(file, side->base, 0, t, side->stride, t + 1, bytes, side->first, t + 2);
}

void gemm_put_copy_setup(const struct gemm *gemm, const struct gemm_copy *copy, unsigned tile_row, unsigned tile_column,
                         FILE *file)
{
   const struct side a = side_of(gemm, copy, false), b = side_of(gemm, copy, true);

   put_side_setup(gemm, copy, &a, tile_row, file);
   put_side_setup(gemm, copy, &b, tile_column, file);
}

/* The thread's words: device memory to registers, or registers to a tile of the same layout. */
static void put_vectors(const struct side *side, bool load, FILE *file)
{
   const unsigned words = load ? side->words : side->store_words, first = load ? side->data : side->store;
   const unsigned vectors = words > 4 ? 2 : 1, size = words / vectors;

   for (unsigned v = 0; v < vectors; v++) {
      fputs(load ? "   load     " : "   lstore   ", file);
      for (unsigned i = 0; i < size; i++) {
         fprintf(file, "%sr%u", i > 0 ? "_" : "", first + v * size + i);
      }
      fprintf(file, load ? ", dr%u, %u, i32, %s, a\n" : ", r%ul, %u, i32, %s\n", load ? side->base : side->to, v * size,
              size == 1   ? "x"
              : size == 2 ? "xy"
                          : "xyzw");
   }
}

static void put_store(const struct gemm *gemm, const struct side *side, FILE *file)
{
   if (!side->transposed) {
      put_vectors(side, false, file);
      return;
   }
   for (unsigned e = 0; e < side->width; e++) {
      if (gemm_element_bytes(gemm) == 2) {
         fprintf(file, "   lstore   r%u%c, r%ul, %u, i16, x\n", side->store + e / 2, e % 2 ? 'h' : 'l', side->to,
                 e * side->pitch);
      } else {
         fprintf(file, "   lstore   r%u, r%ul, %u, i32, x\n", side->store + e, side->to, e * side->pitch);
      }
   }
}

void gemm_put_copy_first(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file)
{
   const struct side a = side_of(gemm, copy, false), b = side_of(gemm, copy, true);

   put_vectors(&a, true, file);
   put_vectors(&b, true, file);
}

/* Between the load and the store: two halves a word. Before the barrier, so that no simdgroup waits for it. */
static void put_widen(const struct gemm *gemm, const struct gemm_copy *copy, const struct side *side, FILE *file)
{
   for (unsigned w = 0; gemm->encoding != GEMM_PLAIN && w < side->store_words; w++) {
      const unsigned from = side->data + w / 2, to = side->store + w;

      if (w % 2 == 1) {
         fprintf(file, "   shr      r%u, r%u, 16\n", to, from);
      }
      gemm_put_widen(file, gemm->encoding, to, w % 2 == 1 ? to : from, copy->temporary, copy->constants);
   }
}

static void put_stores(const struct gemm *gemm, const struct side *a, const struct side *b, FILE *file)
{
   fputs("   barrier\n", file);
   put_store(gemm, a, file);
   put_store(gemm, b, file);
   fputs("   barrier\n", file);
}

static void put_advance(const struct gemm *gemm, const struct side *side, unsigned t, FILE *file)
{
   fprintf(file, "   ldimm    r%u, %zu\n   iadd     dr%u, dr%u, r%u\n", t,
           GEMM_DEPTH * (side->along_k ? gemm_factor_bytes(gemm) : side->stride), side->base, side->base, t);
}

void gemm_put_copy(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file)
{
   const struct side a = side_of(gemm, copy, false), b = side_of(gemm, copy, true);

   fputs("   wait     a\n", file);
   put_widen(gemm, copy, &a, file);
   put_widen(gemm, copy, &b, file);
   put_stores(gemm, &a, &b, file);
   put_advance(gemm, &a, copy->temporary, file);
   put_advance(gemm, &b, copy->temporary, file);
   put_vectors(&a, true, file);
   put_vectors(&b, true, file);
}

/* Elements of the thread with an index along K of `left` or above become zero. */
static void put_mask(const struct gemm *gemm, const struct gemm_copy *copy, const struct side *side, unsigned left,
                     FILE *file)
{
   const unsigned t = copy->temporary, k = side->along_k ? t + 1 : t, limit = side->along_k ? t : t + 1, zero = t + 2;
   const unsigned in_word = 4 / gemm_element_bytes(gemm);

   put_place(copy, side, file);
   fprintf(file, "   ldimm    r%u, 0\n   ldimm    r%u, %u\n", zero, limit, left);
   for (unsigned e = 0; e < side->width; e++) {
      const unsigned word = side->store + e / in_word;
      const char *part = in_word == 1 ? "" : e % 2 ? "h" : "l", *zero_part = in_word == 1 ? "" : "l";

      if (side->along_k) {
         fprintf(file, "   ldimm    r%u, %u\n", limit, left > e ? left - e : 0);
      }
      fprintf(file, "   csel     r%u%s, r%u, r%u, r%u%s, r%u%s, ult\n", word, part, k, limit, word, part, zero,
              zero_part);
   }
}

void gemm_put_copy_last(const struct gemm *gemm, const struct gemm_copy *copy, FILE *file)
{
   const struct side a = side_of(gemm, copy, false), b = side_of(gemm, copy, true);

   fputs("   wait     a\n", file);
   put_widen(gemm, copy, &a, file);
   put_widen(gemm, copy, &b, file);
   put_mask(gemm, copy, &a, gemm->k % GEMM_DEPTH, file);
   put_mask(gemm, copy, &b, gemm->k % GEMM_DEPTH, file);
   put_stores(gemm, &a, &b, file);
}
