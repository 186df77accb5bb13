/* SPDX-License-Identifier: MIT
 *
 * The address space of flat_vm.h. Regions do not overlap, and each is a whole number of pages.
 */
#include "tests/vgpu/exec/flat_vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *flat_vm_map(struct flat_vm *vm, uint64_t va, size_t size, unsigned access)
{
   size_t pages = (size + VGPU_PAGE - 1) / VGPU_PAGE * VGPU_PAGE;
   uint8_t *host = vm->count < FLAT_REGIONS ? aligned_alloc(VGPU_PAGE, pages) : NULL;
   if (!host || vgpu_pages_populate(&vm->pages, va, va + pages)) {
      fprintf(stderr, "flat_vm: no room for %zu bytes\n", size);
      exit(1);
   }
   memset(host, 0, pages);
   vgpu_pages_set(&vm->pages, va, va + pages, (uintptr_t)host | access, VGPU_PAGE);
   vm->regions[vm->count++] = host;
   return host;
}

void flat_vm_finish(struct flat_vm *vm)
{
   for (unsigned i = 0; i < vm->count; i++) {
      free(vm->regions[i]);
   }
   vgpu_pages_finish(&vm->pages);
   vm->count = 0;
}
