/* SPDX-License-Identifier: MIT
 *
 * The address space of flat_vm.h. Regions do not overlap, and each is a whole number of pages.
 */
#include "tests/vgpu/exec/flat_vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *flat_vm_map(struct vgpu_vm *vm, uint64_t va, size_t size, unsigned access)
{
   size_t pages = (size + VGPU_PAGE - 1) / VGPU_PAGE * VGPU_PAGE;
   uint8_t *host = vm->count < FLAT_REGIONS ? aligned_alloc(VGPU_PAGE, pages) : NULL;
   if (!host) {
      fprintf(stderr, "flat_vm: no room for %zu bytes\n", size);
      exit(1);
   }
   memset(host, 0, pages);
   vm->regions[vm->count++] = (struct flat_region){va, pages, host, access};
   return host;
}

void flat_vm_finish(struct vgpu_vm *vm)
{
   for (unsigned i = 0; i < vm->count; i++) {
      free(vm->regions[i].host);
   }
   vm->count = 0;
}

uint8_t *vgpu_vm_translate(const struct vgpu_vm *vm, uint64_t va, unsigned access, size_t *run)
{
   for (unsigned i = 0; i < vm->count; i++) {
      const struct flat_region *region = &vm->regions[i];
      if (va >= region->va && va - region->va < region->size && (region->access & access) == access) {
         *run = region->size - (size_t)(va - region->va);
         return region->host + (va - region->va);
      }
   }
   return NULL;
}

bool vgpu_vm_read(const struct vgpu_vm *vm, uint64_t va, void *data, size_t size, uint64_t *bad)
{
   uint8_t *to = data;
   while (size > 0) {
      size_t run;
      const uint8_t *host = vgpu_vm_translate(vm, va, VGPU_READ, &run);
      if (!host) {
         *bad = va;
         return false;
      }
      size_t part = run < size ? run : size;
      memcpy(to, host, part);
      to += part;
      va += part;
      size -= part;
   }
   return true;
}
