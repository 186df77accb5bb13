/* SPDX-License-Identifier: MIT
 *
 * The blocks of an explained program, sorted by time. Invariant: each row of the profile is in one block.
 */
#include "agx_runner/explain/explain.h"

#include <stdlib.h>

#include "agx_runner/program/blocks.h"

static int by_time(const void *a, const void *b)
{
   const struct explain_block *x = a, *y = b;

   if (x->time != y->time) {
      return x->time < y->time ? 1 : -1;
   }
   return (x->address > y->address) - (x->address < y->address);
}

struct explain_block *explain_blocks(const struct explain *explain, const struct blocks *code, size_t *count)
{
   struct explain_block *blocks = calloc((size_t)code->count + 1, sizeof(*blocks));
   size_t row = 0;

   *count = 0;
   for (uint32_t first = 0, end; blocks != NULL && first < code->count; first = end) {
      struct explain_block block = {.address = code->at[first] - code->start, .first = first, .row = row};

      block.end = end = blocks_end(code, first);
      while (row < explain->count && explain->rows[row].address < code->at[end] - code->start) {
         block.time += explain_row_time(&explain->rows[row++]);
      }
      block.row_end = row;
      if (block.row_end > block.row) {
         blocks[(*count)++] = block;
      }
   }
   if (*count > 0) {
      qsort(blocks, *count, sizeof(*blocks), by_time);
   }
   return blocks;
}
