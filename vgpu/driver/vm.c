/* SPDX-License-Identifier: MIT
 *
 * GPU address spaces: an ordered list of mappings, which says what is bound, and the page table made from it, which
 * the cores walk (vgpu/pages.h). Buffers that were unmapped stay until the running job has ended (gem.h).
 */
#include "vgpu/driver/vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/memory/hierarchy.h"
#include "util/array.h"

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

static void set_pages(struct vgpu_vm *vm, uint64_t start, uint64_t end, uintptr_t entry, uintptr_t step)
{
   note_change(vm, start, end);
   vgpu_pages_set(&vm->pages, start, end, entry, step);
}

int vgpu_vm_create(uint64_t serial, uint64_t kernel_start, uint64_t kernel_end, struct vgpu_vm **out)
{
   struct vgpu_vm *vm = calloc(1, sizeof(*vm));
   if (!vm) {
      return -ENOMEM;
   }
   vm->refs = 1;
   vm->serial = serial;
   vm->kernel_start = kernel_start;
   vm->kernel_end = kernel_end;
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
   vgpu_pages_finish(&vm->pages);
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
   if (reserve(vm, 3) || vgpu_pages_populate(&vm->pages, mapping->start, mapping->end)) {
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
