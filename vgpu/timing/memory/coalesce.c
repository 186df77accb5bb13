/* SPDX-License-Identifier: MIT
 *
 * Coalescing: turns the addresses of a simdgroup's lanes into the spans that the memory system sees, which are the
 * lanes' sectors, grouped by line. Invariant: every sector that an active lane touches is in exactly one span of the
 * access.
 */
#include "vgpu/timing/memory/accesses.h"
#include "vgpu/timing/memory/memory_params.h"

#define SECTORS (VGPU_LINE / VGPU_SECTOR) /* sectors of a line */

struct line {
   uint64_t number;
   unsigned sectors; /* one bit for each sector that is touched */
};

/* Adds the sectors of [first, first + size) to the lines. Returns the new number of lines. */
static unsigned add(struct line *lines, unsigned count, uint64_t first, unsigned size)
{
   for (uint64_t sector = first / VGPU_SECTOR, last = (first + size - 1) / VGPU_SECTOR; sector <= last; sector++) {
      uint64_t number = sector / SECTORS;
      unsigned i = count;
      while (i > 0 && lines[i - 1].number != number) {
         i--;
      }
      if (i == 0) {
         lines[count++] = (struct line){.number = number};
         i = count;
      }
      lines[i - 1].sectors |= 1u << sector % SECTORS;
   }
   return count;
}

void vgpu_access_lanes(struct vgpu_accesses *accesses, unsigned kind, const uint64_t *address, uint32_t lanes,
                       unsigned size)
{
   struct line lines[2 * VGPU_LANES];
   unsigned count = 0;
   for (; lanes; lanes &= lanes - 1) {
      count = add(lines, count, address[__builtin_ctz(lanes)], size);
   }
   uint64_t first = VGPU_SPAN_FIRST;
   if (count == 0) {
      vgpu_access_none(accesses);
   }
   for (unsigned i = 0; i < count; i++) {
      for (unsigned left = lines[i].sectors; left;) {
         unsigned from = (unsigned)__builtin_ctz(left), run = (unsigned)__builtin_ctz(~(left >> from));
         left &= ~(((1u << run) - 1) << from);
         uint64_t at = lines[i].number * VGPU_LINE + from * VGPU_SECTOR;
         vgpu_access_append(accesses, first | vgpu_span_make(kind, at, run * VGPU_SECTOR));
         first = 0;
      }
   }
}

void vgpu_access_atomic(struct vgpu_accesses *accesses, const uint64_t *address, uint32_t lanes, unsigned size)
{
   uint64_t first = VGPU_SPAN_FIRST;
   if (!lanes) {
      vgpu_access_none(accesses);
   }
   while (lanes) {
      uint64_t word = address[__builtin_ctz(lanes)] / size;
      unsigned sharing = 0;
      for (uint32_t others = lanes; others; others &= others - 1) {
         unsigned lane = (unsigned)__builtin_ctz(others);
         if (address[lane] / size == word) {
            sharing++;
            lanes &= ~(1u << lane);
         }
      }
      vgpu_access_append(accesses, first | vgpu_span_make(VGPU_ACCESS_ATOMIC, word * size, sharing));
      first = 0;
   }
}
