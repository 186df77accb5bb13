/* SPDX-License-Identifier: MIT
 *
 * The page table of a GPU address space, see vgpu/pages.h.
 */
#include "vgpu/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define PAGE_BITS 14u
#define NODE_BITS 11u
#define NODE_SIZE (1u << NODE_BITS)
#define ROOT_BITS 3u
#define ADDRESS_BITS (PAGE_BITS + 2 * NODE_BITS + ROOT_BITS)
#define ACCESS_MASK ((uintptr_t)(VGPU_READ | VGPU_WRITE)) /* free in a host address: pages are aligned */

_Static_assert(1u << PAGE_BITS == VGPU_PAGE, "page");
_Static_assert(ADDRESS_BITS == 39 && 1u << ROOT_BITS == ARRAY_COUNT(((struct vgpu_pages *)0)->nodes),
               "spec/uapi.md section 2, rule 2");

struct page_leaf {
   atomic_uintptr_t pages[NODE_SIZE];
};

struct vgpu_page_node {
   _Atomic(struct page_leaf *) leaves[NODE_SIZE];
};

static struct page_leaf *find_leaf(const struct vgpu_pages *pages, uint64_t va)
{
   if (va >> ADDRESS_BITS) {
      return NULL;
   }
   struct vgpu_page_node *node =
       atomic_load_explicit(&pages->nodes[va >> (ADDRESS_BITS - ROOT_BITS)], memory_order_acquire);
   if (!node) {
      return NULL;
   }
   return atomic_load_explicit(&node->leaves[va >> (PAGE_BITS + NODE_BITS) & (NODE_SIZE - 1)], memory_order_acquire);
}

uint8_t *vgpu_pages_translate(const struct vgpu_pages *pages, uint64_t va, unsigned access, size_t *run)
{
   struct page_leaf *leaf = find_leaf(pages, va);
   if (!leaf) {
      return NULL;
   }
   uintptr_t page = atomic_load_explicit(&leaf->pages[va >> PAGE_BITS & (NODE_SIZE - 1)], memory_order_acquire);
   if ((page & access) != access) {
      return NULL;
   }
   uintptr_t offset = va & (VGPU_PAGE - 1);
   *run = VGPU_PAGE - offset;
   return (uint8_t *)((page & ~ACCESS_MASK) + offset);
}

bool vgpu_pages_read(const struct vgpu_pages *pages, uint64_t va, void *data, size_t size, uint64_t *bad)
{
   uint8_t *to = data;
   while (size) {
      size_t run;
      const uint8_t *from = vgpu_pages_translate(pages, va, VGPU_READ, &run);
      if (!from) {
         *bad = va;
         return false;
      }
      if (run > size) {
         run = size;
      }
      memcpy(to, from, run);
      to += run;
      va += run;
      size -= run;
   }
   return true;
}

int vgpu_pages_populate(struct vgpu_pages *pages, uint64_t start, uint64_t end)
{
   uint64_t leaf_span = UINT64_C(1) << (PAGE_BITS + NODE_BITS);
   for (uint64_t va = start & ~(leaf_span - 1); va < end; va += leaf_span) {
      _Atomic(struct vgpu_page_node *) *slot = &pages->nodes[va >> (ADDRESS_BITS - ROOT_BITS)];
      struct vgpu_page_node *node = atomic_load_explicit(slot, memory_order_relaxed);
      if (!node) {
         node = calloc(1, sizeof(*node));
         if (!node) {
            return -ENOMEM;
         }
         atomic_store_explicit(slot, node, memory_order_release);
      }
      _Atomic(struct page_leaf *) *leaf_slot = &node->leaves[va >> (PAGE_BITS + NODE_BITS) & (NODE_SIZE - 1)];
      if (!atomic_load_explicit(leaf_slot, memory_order_relaxed)) {
         struct page_leaf *leaf = calloc(1, sizeof(*leaf));
         if (!leaf) {
            return -ENOMEM;
         }
         atomic_store_explicit(leaf_slot, leaf, memory_order_release);
      }
   }
   return 0;
}

void vgpu_pages_set(struct vgpu_pages *pages, uint64_t start, uint64_t end, uintptr_t entry, uintptr_t step)
{
   for (uint64_t va = start; va < end;) {
      struct page_leaf *leaf = find_leaf(pages, va);
      do {
         atomic_store_explicit(&leaf->pages[va >> PAGE_BITS & (NODE_SIZE - 1)], entry, memory_order_release);
         entry += step;
         va += VGPU_PAGE;
      } while (va < end && va >> PAGE_BITS & (NODE_SIZE - 1));
   }
}

void vgpu_pages_finish(struct vgpu_pages *pages)
{
   for (size_t i = 0; i < ARRAY_COUNT(pages->nodes); i++) {
      struct vgpu_page_node *node = atomic_load_explicit(&pages->nodes[i], memory_order_relaxed);
      for (size_t j = 0; node && j < NODE_SIZE; j++) {
         free(atomic_load_explicit(&node->leaves[j], memory_order_relaxed));
      }
      free(node);
      atomic_store_explicit(&pages->nodes[i], NULL, memory_order_relaxed);
   }
}
