/* SPDX-License-Identifier: MIT
 *
 * GPU address spaces. vgpu/pages.h has what the cores may ask of one.
 */
#ifndef VGPU_VM_H
#define VGPU_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/pages.h"
#include "vgpu/driver/gem.h"
#include "vgpu/driver/ranges.h"

/* The range of user addresses: spec/uapi.md section 2, rule 2. 39 bits, without the first page and the last two. */
#define VGPU_VM_START UINT64_C(0x4000)
#define VGPU_VM_END UINT64_C(0x7FFFFF8000)
#define VGPU_VM_KERNEL_MIN_SIZE UINT64_C(0x20000000)

struct vgpu_mapping {
   uint64_t start, end; /* GPU addresses */
   struct vgpu_bo *bo;
   uint64_t offset;  /* into bo, of start */
   bool single_page; /* the page at offset, again and again */
   unsigned access;  /* enum vgpu_access bits */
};

/* Changes of mappings that the modelled caches have not seen. The last one grows when there are too many. */
#define VGPU_VM_CHANGES 16u

struct vgpu_vm {
   unsigned refs;                     /* its file's, its queues' */
   uint64_t serial;                   /* never 0, never used again */
   uint64_t kernel_start, kernel_end; /* left to the kernel: no binding here */
   struct vgpu_mapping *mappings;     /* by address, disjoint */
   size_t count, capacity;
   struct vgpu_pages pages;
   struct vgpu_ranges buffers, threadgroups; /* what the client has told: VGPU_IOCTL_RANGE */
   struct {
      uint64_t start, end;
   } changes[VGPU_VM_CHANGES];
   unsigned change_count;
};

int vgpu_vm_create(uint64_t serial, uint64_t kernel_start, uint64_t kernel_end, struct vgpu_vm **out); /* -ENOMEM */
struct vgpu_vm *vgpu_vm_ref(struct vgpu_vm *vm);
void vgpu_vm_unref(struct vgpu_vm *vm); /* NULL is fine */

/* Addresses, range (> 0) and offset are whole pages inside the user's range; what was mapped there is replaced.
 * 0 or -ENOMEM, then nothing has changed. */
int vgpu_vm_bind(struct vgpu_vm *vm, const struct vgpu_mapping *mapping);
int vgpu_vm_unbind(struct vgpu_vm *vm, uint64_t start, uint64_t end);
void vgpu_vm_unbind_bo(struct vgpu_vm *vm, const struct vgpu_bo *bo);
void vgpu_vm_unbind_all(struct vgpu_vm *vm);
/* Drops from the caches what has been bound or unbound since the last call. */
void vgpu_vm_update_caches(struct vgpu_vm *vm, struct vgpu_hierarchy *caches);

#endif
