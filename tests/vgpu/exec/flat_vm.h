/* SPDX-License-Identifier: MIT
 *
 * An address space for tests of the cores alone: a page table and the few regions of host memory behind it.
 */
#ifndef TESTS_VGPU_FLAT_VM_H
#define TESTS_VGPU_FLAT_VM_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"

#define FLAT_REGIONS 8

struct flat_vm {
   struct vgpu_pages pages;
   uint8_t *regions[FLAT_REGIONS];
   unsigned count;
};

/* Maps zeroed memory of at least size bytes, whole pages; exits when there is none left. */
uint8_t *flat_vm_map(struct flat_vm *vm, uint64_t va, size_t size, unsigned access);
void flat_vm_finish(struct flat_vm *vm);

#endif
