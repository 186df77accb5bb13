/* SPDX-License-Identifier: MIT
 *
 * The address allocator, against a map of every page that says who has it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/va.h"
#include "tests/check.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)
#define BASE UINT64_C(0x1200000000)
#define PAGES 512
#define PIECES 200

struct piece {
   uint64_t address, size;
};

/* Marks the piece and its guard in the map; false when a page of them is taken or outside. */
static bool mark(uint8_t *map, const struct piece *piece, uint8_t value)
{
   uint64_t first = (piece->address - BASE) / PAGE, last = first + piece->size / PAGE; /* last: the guard */
   if (piece->address < BASE || last >= PAGES) {
      return false;
   }
   for (uint64_t i = first; i <= last; i++) {
      if ((map[i] != 0) == (value != 0)) {
         return false;
      }
      map[i] = value;
   }
   return true;
}

static void check_holes(const struct asahi_va_heap *heap, const uint8_t *map)
{
   uint64_t free_pages = 0, holes = 0;
   for (size_t i = 0; i < PAGES; i++) {
      free_pages += map[i] == 0;
   }
   for (size_t i = 0; i < heap->count; i++) {
      holes += (heap->holes[i].end - heap->holes[i].start) / PAGE;
      bool ordered =
          heap->holes[i].start < heap->holes[i].end && (i == 0 || heap->holes[i - 1].end < heap->holes[i].start);
      CHECK(ordered, "hole %zu touches or precedes the one before", i);
   }
   CHECK(holes == free_pages, "%llu pages in holes, %llu are free", (unsigned long long)holes,
         (unsigned long long)free_pages);
}

static void test_random(void)
{
   struct asahi_va_heap heap;
   struct piece pieces[PIECES] = {{0}};
   uint8_t map[PAGES] = {0};
   uint32_t random = 1;
   unsigned refused = 0, given = 0;

   CHECK(asahi_va_init(&heap, BASE, BASE + PAGES * PAGE) == 0, "init");
   for (unsigned step = 0; step < 20000; step++) {
      random = random * 1664525 + 1013904223;
      struct piece *piece = &pieces[(random >> 8) % PIECES];
      if (piece->size != 0) {
         CHECK(mark(map, piece, 0), "a piece was not whole");
         asahi_va_free(&heap, piece->address, piece->size);
         piece->size = 0;
      } else {
         uint64_t align = PAGE << (random >> 20) % 5;
         piece->size = (1 + (random >> 24) % 9) * PAGE;
         int error = asahi_va_alloc(&heap, piece->size, align, &piece->address);
         if (error != 0) {
            CHECK(error == -ENOSPC, "error %d", error);
            piece->size = 0;
            refused++;
            continue;
         }
         given++;
         CHECK(piece->address % align == 0, "address not aligned");
         CHECK(mark(map, piece, 1), "a piece or its guard overlaps another, or leaves the heap");
      }
      if (step % 64 == 0) {
         check_holes(&heap, map);
      }
   }
   CHECK(refused > 100 && given > 1000, "the test never filled the heap (%u given, %u refused)", given, refused);
   for (size_t i = 0; i < PIECES; i++) {
      if (pieces[i].size != 0) {
         asahi_va_free(&heap, pieces[i].address, pieces[i].size);
      }
   }
   CHECK(heap.count == 1 && heap.holes[0].start == BASE && heap.holes[0].end == BASE + PAGES * PAGE,
         "all is free, but not one hole");
   asahi_va_finish(&heap);
}

static void test_limits(void)
{
   struct asahi_va_heap heap;
   uint64_t address, other;
   CHECK(asahi_va_init(&heap, BASE, BASE + 4 * PAGE) == 0, "init");
   CHECK(asahi_va_alloc(&heap, 4 * PAGE, PAGE, &address) == -ENOSPC, "no room for the guard, yet given");
   CHECK(asahi_va_alloc(&heap, UINT64_MAX & ~(PAGE - 1), PAGE, &address) == -ENOSPC, "overflow of the size");
   CHECK(asahi_va_alloc(&heap, PAGE, UINT64_C(1) << 63, &address) == -ENOSPC, "overflow of the alignment");
   CHECK(asahi_va_alloc(&heap, 3 * PAGE, PAGE, &address) == 0 && address == BASE, "what fits exactly");
   CHECK(asahi_va_alloc(&heap, PAGE, PAGE, &other) == -ENOSPC, "a full heap gave something");
   asahi_va_free(&heap, address, 3 * PAGE);
   asahi_va_finish(&heap);
}

/* Alignment leaves a hole before each piece: the most holes there can be. */
static void test_most_holes(void)
{
   struct asahi_va_heap heap;
   uint64_t address;
   CHECK(asahi_va_init(&heap, BASE + PAGE, BASE + PAGES * PAGE) == 0, "init");
   for (size_t i = 1; i <= 100; i++) {
      CHECK(asahi_va_alloc(&heap, PAGE, 4 * PAGE, &address) == 0, "piece %zu", i);
      CHECK(heap.count == i + 1 && heap.count <= heap.capacity, "%zu pieces, %zu holes, room for %zu", i, heap.count,
            heap.capacity);
   }
   asahi_va_finish(&heap);
}

/* An address comes round again only after all the others. */
static void test_next_fit(void)
{
   struct asahi_va_heap heap;
   uint64_t first, next;
   CHECK(asahi_va_init(&heap, BASE, BASE + 20 * PAGE) == 0, "init");
   CHECK(asahi_va_alloc(&heap, PAGE, PAGE, &first) == 0, "alloc");
   asahi_va_free(&heap, first, PAGE);
   for (unsigned i = 0; i < 9; i++) {
      CHECK(asahi_va_alloc(&heap, PAGE, PAGE, &next) == 0 && next == first + (i + 1) * 2 * PAGE,
            "turn %u: address 0x%llx", i, (unsigned long long)next);
      asahi_va_free(&heap, next, PAGE);
   }
   CHECK(asahi_va_alloc(&heap, PAGE, PAGE, &next) == 0 && next == first, "the round did not close");
   asahi_va_free(&heap, next, PAGE);
   asahi_va_finish(&heap);
}

int main(void)
{
   test_random();
   test_limits();
   test_most_holes();
   test_next_fit();
   return check_result();
}
