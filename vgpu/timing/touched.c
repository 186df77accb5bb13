/* SPDX-License-Identifier: MIT
 *
 * The set of touched lines. Invariant: every page is in the hash table once, and has at least one line.
 */
#include "vgpu/timing/touched.h"

#include <stdlib.h>

/* An empty page of that number, which is not there yet. NULL: out of memory. */
static struct vgpu_touched_page *add_page(struct vgpu_touched *touched, uint64_t number)
{
   if (touched->count == touched->capacity) {
      uint32_t capacity = touched->capacity ? touched->capacity * 2 : 128;
      struct vgpu_touched_page *pages = realloc(touched->pages, capacity * sizeof(*pages));
      if (!pages) {
         return NULL;
      }
      touched->pages = pages;
      touched->capacity = capacity;
   }
   if (!isa_hash_add(&touched->table, isa_hash_u64(number), touched->count)) {
      return NULL;
   }
   touched->last = touched->count++;
   touched->pages[touched->last] = (struct vgpu_touched_page){.number = number};
   return &touched->pages[touched->last];
}

/* The page of that number. NULL: out of memory. */
static struct vgpu_touched_page *page_at(struct vgpu_touched *touched, uint64_t number)
{
   uint32_t entry;
   if (touched->count > 0 && touched->pages[touched->last].number == number) {
      return &touched->pages[touched->last];
   }
   for (struct isa_hash_probe probe = isa_hash_find(&touched->table, isa_hash_u64(number));
        isa_hash_next(&probe, &entry);) {
      if (touched->pages[entry].number == number) {
         touched->last = entry;
         return &touched->pages[entry];
      }
   }
   struct vgpu_touched_page *page = add_page(touched, number);
   touched->out_of_memory |= page == NULL;
   return page;
}

void vgpu_touched_add(struct vgpu_touched *touched, uint64_t va, uint64_t bytes)
{
   for (uint64_t line = va / VGPU_LINE, last = (va + bytes - 1) / VGPU_LINE; line <= last; line++) {
      struct vgpu_touched_page *page = page_at(touched, line / VGPU_PAGE_LINES);
      if (!page) {
         return;
      }
      page->lines[line % VGPU_PAGE_LINES / 64] |= UINT64_C(1) << line % 64;
   }
}

void vgpu_touched_merge(struct vgpu_touched *into, const struct vgpu_touched *from)
{
   into->out_of_memory |= from->out_of_memory;
   for (uint32_t i = 0; i < from->count; i++) {
      struct vgpu_touched_page *page = page_at(into, from->pages[i].number);
      for (unsigned n = 0; page && n < VGPU_PAGE_LINES / 64; n++) {
         page->lines[n] |= from->pages[i].lines[n];
      }
   }
}

uint64_t vgpu_touched_lines(const struct vgpu_touched *touched)
{
   uint64_t lines = 0;
   for (uint32_t i = 0; i < touched->count; i++) {
      for (unsigned n = 0; n < VGPU_PAGE_LINES / 64; n++) {
         lines += (uint64_t)__builtin_popcountll(touched->pages[i].lines[n]);
      }
   }
   return lines;
}

void vgpu_touched_finish(struct vgpu_touched *touched)
{
   free(touched->pages);
   isa_hash_finish(&touched->table);
}
