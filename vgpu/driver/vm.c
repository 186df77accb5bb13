/* SPDX-License-Identifier: MIT
 *
 * GPU address spaces: an ordered list of mappings, which says what is bound, and the page table made from it, which
 * the cores walk.
 *
 * The table is a radix of three levels over 39-bit addresses and 16 KiB pages (spec/uapi.md section 2): 3, 11 and
 * 11 bits. An entry is one word, the host address of the page with the access bits below it. Entries are atomic
 * and nodes stay until the address space dies, so cores walk it without a lock while the client binds; the buffers
 * behind it stay until the running job has ended (gem.h).
 */
#include "vgpu/driver/vm.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/memory/hierarchy.h"
#include "util/array.h"

#define PAGE_BITS 14u
#define NODE_BITS 11u
#define NODE_SIZE (1u << NODE_BITS)
#define ROOT_BITS 3u
#define ADDRESS_BITS (PAGE_BITS + 2 * NODE_BITS + ROOT_BITS)
#define ACCESS_MASK ((uintptr_t)(VGPU_READ | VGPU_WRITE)) /* free in a host address: pages are aligned */

_Static_assert(1u << PAGE_BITS == VGPU_PAGE, "page");
_Static_assert(ADDRESS_BITS == 39, "spec/uapi.md section 2, rule 2");

struct page_leaf {
   atomic_uintptr_t pages[NODE_SIZE];
};

struct page_node {
   _Atomic(struct page_leaf *) leaves[NODE_SIZE];
};

struct vgpu_page_root {
   _Atomic(struct page_node *) nodes[1u << ROOT_BITS];
};

static struct page_leaf *find_leaf(const struct vgpu_vm *vm, uint64_t va)
{
   if (va >> ADDRESS_BITS) {
      return NULL;
   }
   struct page_node *node =
       atomic_load_explicit(&vm->root->nodes[va >> (ADDRESS_BITS - ROOT_BITS)], memory_order_acquire);
   if (!node) {
      return NULL;
   }
   return atomic_load_explicit(&node->leaves[va >> (PAGE_BITS + NODE_BITS) & (NODE_SIZE - 1)], memory_order_acquire);
}

uint8_t *vgpu_vm_translate(const struct vgpu_vm *vm, uint64_t va, unsigned access, size_t *run)
{
   struct page_leaf *leaf = find_leaf(vm, va);
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

bool vgpu_vm_read(const struct vgpu_vm *vm, uint64_t va, void *data, size_t size, uint64_t *bad)
{
   uint8_t *to = data;
   while (size) {
      size_t run;
      const uint8_t *from = vgpu_vm_translate(vm, va, VGPU_READ, &run);
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

/* Makes the nodes that the pages of [start, end) need. */
static int populate(struct vgpu_vm *vm, uint64_t start, uint64_t end)
{
   uint64_t leaf_span = UINT64_C(1) << (PAGE_BITS + NODE_BITS);
   for (uint64_t va = start & ~(leaf_span - 1); va < end; va += leaf_span) {
      _Atomic(struct page_node *) *slot = &vm->root->nodes[va >> (ADDRESS_BITS - ROOT_BITS)];
      struct page_node *node = atomic_load_explicit(slot, memory_order_relaxed);
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

static void note_change(struct vgpu_vm *vm, uint64_t start, uint64_t end)
{
   const unsigned last = VGPU_VM_CHANGES - 1;
   if (vm->change_count <= last) {
      vm->changes[vm->change_count].start = start;
      vm->changes[vm->change_count++].end = end;
      return;
   }
   vm->changes[last].start = start < vm->changes[last].start ? start : vm->changes[last].start;
   vm->changes[last].end = end > vm->changes[last].end ? end : vm->changes[last].end;
}

void vgpu_vm_update_caches(struct vgpu_vm *vm, struct vgpu_hierarchy *caches)
{
   for (unsigned i = 0; i < vm->change_count; i++) {
      vgpu_hierarchy_drop(caches, vm->serial, vm->changes[i].start, vm->changes[i].end);
   }
   vm->change_count = 0;
}

/* Writes the entries of [start, end), whose nodes exist: `page` and on in steps of `step`, or 0 to clear. */
static void set_pages(struct vgpu_vm *vm, uint64_t start, uint64_t end, uintptr_t page, uintptr_t step)
{
   note_change(vm, start, end);
   for (uint64_t va = start; va < end;) {
      struct page_leaf *leaf = find_leaf(vm, va);
      do {
         atomic_store_explicit(&leaf->pages[va >> PAGE_BITS & (NODE_SIZE - 1)], page, memory_order_release);
         page += step;
         va += VGPU_PAGE;
      } while (va < end && va >> PAGE_BITS & (NODE_SIZE - 1));
   }
}

int vgpu_vm_create(uint64_t serial, uint64_t kernel_start, uint64_t kernel_end, struct vgpu_vm **out)
{
   struct vgpu_vm *vm = calloc(1, sizeof(*vm));
   struct vgpu_page_root *root = calloc(1, sizeof(*root));
   if (!vm || !root) {
      free(vm);
      free(root);
      return -ENOMEM;
   }
   vm->refs = 1;
   vm->serial = serial;
   vm->kernel_start = kernel_start;
   vm->kernel_end = kernel_end;
   vm->root = root;
   *out = vm;
   return 0;
}

struct vgpu_vm *vgpu_vm_ref(struct vgpu_vm *vm)
{
   vm->refs++;
   return vm;
}

void vgpu_vm_unref(struct vgpu_vm *vm)
{
   if (!vm || --vm->refs) {
      return;
   }
   vgpu_vm_unbind_all(vm);
   for (size_t i = 0; i < ARRAY_COUNT(vm->root->nodes); i++) {
      struct page_node *node = atomic_load_explicit(&vm->root->nodes[i], memory_order_relaxed);
      for (size_t j = 0; node && j < NODE_SIZE; j++) {
         free(atomic_load_explicit(&node->leaves[j], memory_order_relaxed));
      }
      free(node);
   }
   free(vm->root);
   free(vm->mappings);
   vgpu_ranges_finish(&vm->buffers);
   vgpu_ranges_finish(&vm->threadgroups);
   free(vm);
}

/* Room for `more` mappings. */
static int reserve(struct vgpu_vm *vm, size_t more)
{
   return ARRAY_RESERVE(vm->mappings, vm->capacity, vm->count + more) ? 0 : -ENOMEM;
}

/* The first mapping that ends after va. */
static size_t find(const struct vgpu_vm *vm, uint64_t va)
{
   size_t low = 0, high = vm->count;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (vm->mappings[middle].end > va) {
         high = middle;
      } else {
         low = middle + 1;
      }
   }
   return low;
}

/* Splits the mapping that `va` lies inside of, so that one starts there. Needs room for one more. */
static void split(struct vgpu_vm *vm, uint64_t va)
{
   size_t index = find(vm, va);
   if (index == vm->count || vm->mappings[index].start >= va) {
      return;
   }
   struct vgpu_mapping *left = &vm->mappings[index];
   memmove(left + 1, left, (vm->count - index) * sizeof(*left));
   vm->count++;
   vgpu_bo_ref(left->bo);
   left[1].start = va;
   left[1].offset += left->single_page ? 0 : va - left->start;
   left->end = va;
}

/* Needs room for two more mappings. */
static void unmap(struct vgpu_vm *vm, uint64_t start, uint64_t end)
{
   split(vm, start);
   split(vm, end);
   size_t first = find(vm, start), last = first;
   for (; last < vm->count && vm->mappings[last].start < end; last++) {
      struct vgpu_mapping *mapping = &vm->mappings[last];
      set_pages(vm, mapping->start, mapping->end, 0, 0);
      vgpu_bo_unref(mapping->bo);
   }
   memmove(&vm->mappings[first], &vm->mappings[last], (vm->count - last) * sizeof(vm->mappings[0]));
   vm->count -= last - first;
}

int vgpu_vm_bind(struct vgpu_vm *vm, const struct vgpu_mapping *mapping)
{
   if (reserve(vm, 3) || populate(vm, mapping->start, mapping->end)) {
      return -ENOMEM;
   }
   unmap(vm, mapping->start, mapping->end);

   size_t index = find(vm, mapping->start);
   memmove(&vm->mappings[index + 1], &vm->mappings[index], (vm->count - index) * sizeof(*mapping));
   vm->count++;
   vm->mappings[index] = *mapping;
   vgpu_bo_ref(mapping->bo);
   set_pages(vm, mapping->start, mapping->end, (uintptr_t)(mapping->bo->host + mapping->offset) | mapping->access,
             mapping->single_page ? 0 : VGPU_PAGE);
   return 0;
}

int vgpu_vm_unbind(struct vgpu_vm *vm, uint64_t start, uint64_t end)
{
   if (reserve(vm, 2)) {
      return -ENOMEM;
   }
   unmap(vm, start, end);
   return 0;
}

void vgpu_vm_unbind_bo(struct vgpu_vm *vm, const struct vgpu_bo *bo)
{
   size_t kept = 0;
   for (size_t i = 0; i < vm->count; i++) {
      struct vgpu_mapping *mapping = &vm->mappings[i];
      if (mapping->bo != bo) {
         vm->mappings[kept++] = *mapping;
         continue;
      }
      set_pages(vm, mapping->start, mapping->end, 0, 0);
      vgpu_bo_unref(mapping->bo);
   }
   vm->count = kept;
}

void vgpu_vm_unbind_all(struct vgpu_vm *vm)
{
   for (size_t i = 0; i < vm->count; i++) {
      set_pages(vm, vm->mappings[i].start, vm->mappings[i].end, 0, 0);
      vgpu_bo_unref(vm->mappings[i].bo);
   }
   vm->count = 0;
}
