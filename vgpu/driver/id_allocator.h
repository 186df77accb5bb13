/* SPDX-License-Identifier: MIT
 *
 * Identifiers as the kernel hands them out: the lowest free number from 1; 0 is never valid.
 */
#ifndef VGPU_ID_ALLOCATOR_H
#define VGPU_ID_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

/* All zero: no identifier is given out. */
struct vgpu_ids {
   void **items; /* items[id - 1]; NULL: free */
   uint32_t capacity;
   uint32_t lowest; /* no free id below this index */
};

/* -ENOMEM or 0. */
int vgpu_ids_add(struct vgpu_ids *ids, void *item, uint32_t *id);
void *vgpu_ids_get(const struct vgpu_ids *ids, uint32_t id); /* NULL: no such id */
void *vgpu_ids_remove(struct vgpu_ids *ids, uint32_t id);    /* NULL: no such id */
/* Walks: starts with *id = 0, returns the next item and its id, NULL at the end. */
void *vgpu_ids_next(const struct vgpu_ids *ids, uint32_t *id);
/* Frees the identifiers, not the items. */
void vgpu_ids_finish(struct vgpu_ids *ids);

#endif
