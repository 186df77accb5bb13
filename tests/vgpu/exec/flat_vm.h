/* SPDX-License-Identifier: MIT
 *
 * An address space for tests of the cores alone: a few regions of host memory. Takes the place of vgpu/driver/vm.c.
 */
#ifndef TESTS_VGPU_FLAT_VM_H
#define TESTS_VGPU_FLAT_VM_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"

#define FLAT_REGIONS 8

struct vgpu_vm {
   struct flat_region {
      uint64_t va; /* whole pages */
      size_t size;
      uint8_t *host;
      unsigned access;
   } regions[FLAT_REGIONS];
   unsigned count;
};

/* Maps zeroed memory of at least size bytes, whole pages; exits when there is none left. */
uint8_t *flat_vm_map(struct vgpu_vm *vm, uint64_t va, size_t size, unsigned access);
void flat_vm_finish(struct vgpu_vm *vm);

#endif
