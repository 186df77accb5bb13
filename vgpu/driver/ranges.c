/* SPDX-License-Identifier: MIT
 *
 * Lists of exact sizes. Invariant: a freed range overlaps no other.
 */
#include "vgpu/driver/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define MAX_FREED 4096u

/* Drops freed ranges in [start, end), or all of them. */
static void drop_freed(struct vgpu_ranges *ranges, uint64_t start, uint64_t end)
{
   size_t kept = 0;
   for (size_t i = 0; i < ranges->count; i++) {
      const struct vgpu_range *range = &ranges->list[i];
      if (!range->freed || range->start >= end || range->start + range->bytes <= start) {
         ranges->list[kept++] = *range;
      }
   }
   ranges->count = kept;
}

static int append(struct vgpu_ranges *ranges, struct vgpu_range range)
{
   if (!ARRAY_RESERVE(ranges->list, ranges->capacity, ranges->count + 1)) {
      return -ENOMEM;
   }
   ranges->list[ranges->count++] = range;
   return 0;
}

static struct vgpu_range *find(struct vgpu_ranges *ranges, uint64_t start)
{
   for (size_t i = 0; i < ranges->count; i++) {
      if (ranges->list[i].start == start && !ranges->list[i].freed) {
         return &ranges->list[i];
      }
   }
   return NULL;
}

int vgpu_ranges_add(struct vgpu_ranges *ranges, const struct vgpu_range_request *request)
{
   const uint64_t pages = (request->bytes + VGPU_PAGE - 1) & ~(uint64_t)(VGPU_PAGE - 1);
   struct vgpu_range range = {
       .start = request->address, .bytes = request->bytes, .internal = request->kind == VGPU_RANGE_INTERNAL};
   _Static_assert(sizeof(range.name) == sizeof(request->name), "one name");
   memcpy(range.name, request->name, sizeof(range.name));
   range.name[sizeof(range.name) - 1] = '\0';
   struct vgpu_range *same = find(ranges, request->address);
   if (same) {
      *same = range;
      return 0;
   }
   if (ranges->count > MAX_FREED) {
      drop_freed(ranges, 0, UINT64_MAX);
   }
   drop_freed(ranges, range.start, range.start + pages);
   return append(ranges, range);
}

int vgpu_ranges_set(struct vgpu_ranges *ranges, uint64_t start, uint64_t bytes)
{
   for (size_t i = 0; i < ranges->count; i++) {
      if (ranges->list[i].start == start) {
         ranges->list[i].bytes = bytes;
         return 0;
      }
   }
   return append(ranges, (struct vgpu_range){.start = start, .bytes = bytes});
}

void vgpu_ranges_remove(struct vgpu_ranges *ranges, uint64_t start, bool remember)
{
   struct vgpu_range *range = find(ranges, start);
   if (range && remember) {
      range->freed = true;
   } else if (range) {
      *range = ranges->list[--ranges->count];
   }
}

void vgpu_ranges_finish(struct vgpu_ranges *ranges)
{
   free(ranges->list);
   *ranges = (struct vgpu_ranges){0};
}

struct vgpu_range *vgpu_ranges_copy(const struct vgpu_ranges *ranges, size_t *count)
{
   struct vgpu_range *copy = ranges->count ? malloc(ranges->count * sizeof(*copy)) : NULL;
   *count = copy ? ranges->count : 0;
   if (copy) {
      memcpy(copy, ranges->list, ranges->count * sizeof(*copy));
   }
   return copy;
}
