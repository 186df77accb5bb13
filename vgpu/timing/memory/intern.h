/* SPDX-License-Identifier: MIT
 *
 * Equal byte strings get the same number, others another.
 */
#ifndef VGPU_INTERN_H
#define VGPU_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/hash.h"

struct vgpu_blob {
   void *data;
   size_t size;
};

/* All zero is an empty one. */
struct vgpu_intern {
   struct vgpu_blob *blobs; /* by number, from 0 */
   uint32_t count, capacity;
   struct isa_hash table; /* entries: numbers of blobs */
};

/* Copies data when it is new. false: out of memory. */
bool vgpu_intern_add(struct vgpu_intern *intern, const void *data, size_t size, uint32_t *number);
void vgpu_intern_finish(struct vgpu_intern *intern);

#endif
