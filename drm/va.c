/* SPDX-License-Identifier: MIT
 *
 * Next fit: a search starts where the last one ended, so that an address is reused as late as possible. So caches that
 * still hold code or USC words of a freed buffer are unlikely to be hit.
 */
#include "drm/va.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

int asahi_va_init(struct asahi_va_heap *heap, uint64_t start, uint64_t end)
{
   *heap = (struct asahi_va_heap){.capacity = 16, .next = start};
   heap->holes = malloc(heap->capacity * sizeof(*heap->holes));
   if (heap->holes == NULL) {
      return -ENOMEM;
   }
   heap->holes[heap->count++] = (struct asahi_va_hole){start, end};
   return 0;
}

void asahi_va_finish(struct asahi_va_heap *heap)
{
   free(heap->holes);
   *heap = (struct asahi_va_heap){0};
}

static void insert(struct asahi_va_heap *heap, size_t index, struct asahi_va_hole hole)
{
   memmove(&heap->holes[index + 1], &heap->holes[index], (heap->count - index) * sizeof(*heap->holes));
   heap->holes[index] = hole;
   heap->count++;
}

static void remove_hole(struct asahi_va_heap *heap, size_t index)
{
   heap->count--;
   memmove(&heap->holes[index], &heap->holes[index + 1], (heap->count - index) * sizeof(*heap->holes));
}

/* Finds the first place at or after `from` in this hole; false if the piece does not fit. */
static bool place(const struct asahi_va_hole *hole, uint64_t from, uint64_t taken, uint64_t align, uint64_t *address)
{
   uint64_t start = hole->start > from ? hole->start : from;
   uint64_t aligned;
   if (__builtin_add_overflow(start, align - 1, &aligned)) {
      return false;
   }
   aligned &= ~(align - 1);
   *address = aligned;
   return aligned < hole->end && hole->end - aligned >= taken;
}

static void take(struct asahi_va_heap *heap, size_t index, uint64_t address, uint64_t taken)
{
   struct asahi_va_hole *hole = &heap->holes[index];
   struct asahi_va_hole rest = {address + taken, hole->end};

   hole->end = address;
   if (rest.start < rest.end) {
      insert(heap, index + 1, rest);
   }
   if (heap->holes[index].start == heap->holes[index].end) {
      remove_hole(heap, index);
   }
   heap->pieces++;
   heap->next = address + taken;
}

int asahi_va_alloc(struct asahi_va_heap *heap, uint64_t size, uint64_t align, uint64_t *address)
{
   uint64_t taken;
   if (__builtin_add_overflow(size, DRM_ASAHI_PAGE_SIZE, &taken)) {
      return -ENOSPC;
   }

   /* n pieces leave at most n + 1 holes: room for one more now means that asahi_va_free never has to ask. */
   if (!ARRAY_RESERVE(heap->holes, heap->capacity, heap->pieces + 2)) {
      return -ENOMEM;
   }

   const uint64_t starts[] = {heap->next, 0};
   for (size_t round = 0; round < 2; round++) {
      for (size_t i = 0; i < heap->count; i++) {
         if (place(&heap->holes[i], starts[round], taken, align, address)) {
            take(heap, i, *address, taken);
            return 0;
         }
      }
   }
   return -ENOSPC;
}

void asahi_va_free(struct asahi_va_heap *heap, uint64_t address, uint64_t size)
{
   uint64_t end = address + size + DRM_ASAHI_PAGE_SIZE;
   size_t index = 0;

   while (index < heap->count && heap->holes[index].start < address) {
      index++;
   }
   bool joins_before = index > 0 && heap->holes[index - 1].end == address;
   bool joins_after = index < heap->count && heap->holes[index].start == end;

   if (joins_before && joins_after) {
      heap->holes[index - 1].end = heap->holes[index].end;
      remove_hole(heap, index);
   } else if (joins_before) {
      heap->holes[index - 1].end = end;
   } else if (joins_after) {
      heap->holes[index].start = address;
   } else {
      insert(heap, index, (struct asahi_va_hole){address, end});
   }
   heap->pieces--;
}
