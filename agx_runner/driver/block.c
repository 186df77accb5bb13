/* SPDX-License-Identifier: MIT
 *
 * Places arguments in a block, one after the other. What cannot be told from its bytes is tried both as present and as
 * left out, and the try that finds more of what follows counts.
 */
#include "agx_runner/driver/block.h"

#include <string.h>

#define GAP_MOST 128u   /* bytes between two arguments: the largest alignment */
#define UNKNOWN_MOST 8u /* arguments that are tried both ways */
#define LOCAL_BYTES_MOST 32768u

struct placing {
   const uint8_t *block;
   size_t size;
   struct driver_placed *arguments;
   size_t count;
};

/* The first place at or behind `from` with the argument's bytes; SIZE_MAX: none. Few bytes may be there by chance, so
 * they count at the next aligned place alone. */
static size_t find(const struct placing *placing, const struct driver_placed *argument, size_t from)
{
   const size_t step = argument->size >= 4 ? 4 : argument->size == 2 ? 2 : 1;
   const size_t first = (from + step - 1) / step * step;
   const size_t last = step != 4 ? first : from > 0 ? from + GAP_MOST : placing->size;
   for (size_t at = first; at <= last && at + argument->size <= placing->size; at += step) {
      if (memcmp(placing->block + at, argument->bytes, argument->size) == 0) {
         return at;
      }
   }
   return SIZE_MAX;
}

/* Whether the 8 bytes there can be an offset into threadgroup memory. */
static bool can_be_local(const struct placing *placing, size_t at)
{
   uint64_t value;
   if (at + sizeof(value) > placing->size) {
      return false;
   }
   memcpy(&value, placing->block + at, sizeof(value));
   return value < LOCAL_BYTES_MOST;
}

static unsigned place(struct placing *placing, size_t index, size_t from, unsigned unknown);

static unsigned place_local(struct placing *placing, size_t index, size_t from, unsigned unknown)
{
   struct driver_placed *argument = &placing->arguments[index];
   const size_t at = (from + 7) & ~(size_t)7;
   const bool possible = can_be_local(placing, at) && unknown < UNKNOWN_MOST;
   const unsigned with = possible ? place(placing, index + 1, at + 8, unknown + 1) : 0;
   const unsigned without = place(placing, index + 1, from, unknown + 1);
   argument->found = possible && with >= without;
   argument->offset = (uint32_t)at;
   /* the shorter way was tried last */
   return argument->found ? place(placing, index + 1, at + 8, unknown + 1) : without;
}

static unsigned place(struct placing *placing, size_t index, size_t from, unsigned unknown)
{
   if (index == placing->count) {
      return 0;
   }
   struct driver_placed *argument = &placing->arguments[index];
   if (argument->bytes == NULL) {
      return place_local(placing, index, from, unknown);
   }
   const size_t at = argument->size > 0 ? find(placing, argument, from) : SIZE_MAX;
   argument->found = at != SIZE_MAX;
   argument->offset = argument->found ? (uint32_t)at : 0;
   return argument->found ? 1 + place(placing, index + 1, at + argument->size, unknown)
                          : place(placing, index + 1, from, unknown);
}

unsigned driver_block_place(const uint8_t *block, size_t size, struct driver_placed *arguments, size_t count)
{
   struct placing placing = {block, size, arguments, count};
   return place(&placing, 0, 0, 0);
}
