/* SPDX-License-Identifier: MIT
 *
 * Identifiers as the kernel hands them out: the lowest free number from 1; 0 is never valid.
 */
#ifndef VGPU_TABLE_H
#define VGPU_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty table. */
struct vgpu_table {
   void **items; /* items[id - 1]; NULL: free */
   uint32_t capacity;
   uint32_t lowest; /* no free id below this index */
};

/* -ENOMEM or 0. */
int vgpu_table_add(struct vgpu_table *table, void *item, uint32_t *id);
void *vgpu_table_get(const struct vgpu_table *table, uint32_t id); /* NULL: no such id */
void *vgpu_table_remove(struct vgpu_table *table, uint32_t id);    /* NULL: no such id */
/* Walks: starts with *id = 0, returns the next item and its id, NULL at the end. */
void *vgpu_table_next(const struct vgpu_table *table, uint32_t *id);
/* Frees the table, not the items. */
void vgpu_table_finish(struct vgpu_table *table);

#endif
