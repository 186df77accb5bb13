/* SPDX-License-Identifier: MIT
 *
 * The address streams of a threadgroup as its caches' replay reads them. Invariant: what vgpu_records_copy() took is
 * given back by vgpu_records_free(), whose size follows from the records.
 */
#include "vgpu/timing/memory/records.h"

#include <stdlib.h>

#include "vgpu/spare.h"

/* Blocks of the spare memory are pages: a smaller one comes from the system. */
#define SPARE_LEAST 256u /* spans */

/* Appends the access at *at. Returns where the copy ends. */
static inline uint64_t *copy_access(uint64_t *to, const uint64_t **at, const uint64_t *end)
{
   const uint64_t *from = *at;
   do {
      *to++ = *from++;
   } while (from < end && !(*from & VGPU_SPAN_FIRST));
   *at = from;
   return to;
}

bool vgpu_records_copy(struct vgpu_spare *spare, struct vgpu_record *records,
                       const struct vgpu_accesses *const *streams, uint32_t count)
{
   const uint64_t *at[VGPU_GROUP_SIMDS], *end[VGPU_GROUP_SIMDS];
   uint64_t all = 0;
   for (uint32_t i = 0; i < count; i++) {
      const struct vgpu_accesses *accesses = streams[i];
      if (accesses->out_of_memory || accesses->count > UINT32_MAX) {
         return false;
      }
      all += accesses->count;
      at[i] = accesses->spans;
      end[i] = accesses->count > 0 ? at[i] + accesses->count : at[i];
      records[i].size = (uint32_t)accesses->count;
   }
   const size_t bytes = all * sizeof(uint64_t);
   uint64_t *to = all == 0 ? NULL : all < SPARE_LEAST ? malloc(bytes) : vgpu_spare_take(spare, bytes);
   records[0].spans = to;
   for (const uint64_t *const stop = to ? to + all : NULL; to < stop;) {
      for (uint32_t i = 0; i < count; i++) {
         if (at[i] < end[i]) {
            to = copy_access(to, &at[i], end[i]);
            records[i].accesses++;
         }
      }
   }
   return all == 0 || records[0].spans;
}

uint64_t vgpu_records_free(struct vgpu_spare *spare, struct vgpu_record *records, uint32_t count)
{
   uint64_t *block = count > 0 ? records[0].spans : NULL, spans = 0;
   for (uint32_t i = 0; i < count; i++) {
      spans += records[i].size;
      records[i].spans = NULL;
      records[i].size = records[i].accesses = 0;
   }
   if (spans < SPARE_LEAST) {
      free(block);
   } else {
      vgpu_spare_give(spare, block, spans * sizeof(*block));
   }
   return spans;
}
