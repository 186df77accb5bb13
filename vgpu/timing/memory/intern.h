/* SPDX-License-Identifier: MIT
 *
 * Maps byte strings to numbers: equal strings have the same number, different ones different numbers.
 */
#ifndef VGPU_INTERN_H
#define VGPU_INTERN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

struct vgpu_blob {
   void *data;
   size_t size;
};

/* All zeros is an empty table. */
struct vgpu_intern {
   struct vgpu_blob *blobs; /* by number, from 0 */
   uint32_t count, capacity;
   struct util_hash table; /* entries: numbers of blobs */
};

/* Copies data if it is new. Returns false when out of memory. */
bool vgpu_intern_add(struct vgpu_intern *intern, const void *data, size_t size, uint32_t *number);
void vgpu_intern_finish(struct vgpu_intern *intern);

/* Strings that one thread has found in a table lately, by a hash. All zeros is an empty one. */
struct vgpu_intern_recent {
   struct {
      const void *data; /* the table's; NULL: none */
      size_t size;
      uint32_t number;
   } slots[64];
};

/* vgpu_intern_add() to a table that several threads share, under its lock. `recent` is this thread's and this table's:
 * a string that is in it takes no lock. */
bool vgpu_intern_add_shared(struct vgpu_intern *intern, pthread_mutex_t *lock, struct vgpu_intern_recent *recent,
                            const void *data, size_t size, uint32_t *number);

#endif
