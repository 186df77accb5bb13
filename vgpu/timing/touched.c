/* SPDX-License-Identifier: MIT */
#include "vgpu/timing/touched.h"

#include <stdlib.h>

static struct vgpu_touched_page *slot_of(const struct vgpu_touched *touched, uint64_t tag)
{
   size_t mask = touched->capacity - 1, i = (size_t)((tag * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
   while (touched->pages[i].tag && touched->pages[i].tag != tag) {
      i = (i + 1) & mask;
   }
   return &touched->pages[i];
}

static bool grow(struct vgpu_touched *touched)
{
   struct vgpu_touched bigger = {.capacity = touched->capacity ? touched->capacity * 2 : 256};
   bigger.pages = calloc(bigger.capacity, sizeof(*bigger.pages));
   if (!bigger.pages) {
      return false;
   }
   for (size_t i = 0; i < touched->capacity; i++) {
      if (touched->pages[i].tag) {
         *slot_of(&bigger, touched->pages[i].tag) = touched->pages[i];
      }
   }
   free(touched->pages);
   touched->pages = bigger.pages;
   touched->capacity = bigger.capacity;
   touched->last = NULL;
   return true;
}

/* NULL: out of memory. */
static struct vgpu_touched_page *page_at(struct vgpu_touched *touched, uint64_t tag)
{
   if (touched->last && touched->last->tag == tag) {
      return touched->last;
   }
   if (2 * touched->count >= touched->capacity && !grow(touched)) {
      touched->out_of_memory = true;
      return NULL;
   }
   struct vgpu_touched_page *page = slot_of(touched, tag);
   touched->count += page->tag == 0;
   page->tag = tag;
   touched->last = page;
   return page;
}

void vgpu_touched_add(struct vgpu_touched *touched, uint64_t va, uint64_t bytes)
{
   for (uint64_t line = va / VGPU_LINE, last = (va + bytes - 1) / VGPU_LINE; line <= last; line++) {
      struct vgpu_touched_page *page = page_at(touched, line / VGPU_PAGE_LINES + 1);
      if (!page) {
         return;
      }
      page->lines[line % VGPU_PAGE_LINES / 64] |= UINT64_C(1) << line % 64;
   }
}

void vgpu_touched_merge(struct vgpu_touched *into, const struct vgpu_touched *from)
{
   into->out_of_memory |= from->out_of_memory;
   for (size_t i = 0; i < from->capacity; i++) {
      struct vgpu_touched_page *page = from->pages[i].tag ? page_at(into, from->pages[i].tag) : NULL;
      for (unsigned n = 0; page && n < VGPU_PAGE_LINES / 64; n++) {
         page->lines[n] |= from->pages[i].lines[n];
      }
   }
}

uint64_t vgpu_touched_lines(const struct vgpu_touched *touched)
{
   uint64_t lines = 0;
   for (size_t i = 0; i < touched->capacity; i++) {
      for (unsigned n = 0; n < VGPU_PAGE_LINES / 64; n++) {
         lines += (uint64_t)__builtin_popcountll(touched->pages[i].lines[n]);
      }
   }
   return lines;
}

void vgpu_touched_finish(struct vgpu_touched *touched)
{
   free(touched->pages);
}
