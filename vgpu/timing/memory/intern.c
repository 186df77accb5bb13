/* SPDX-License-Identifier: MIT
 *
 * Interns byte strings: maps each to a number. Invariant: every string is in the hash table once.
 */
#include "vgpu/timing/memory/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "util/array.h"

static bool find(const struct vgpu_intern *intern, const void *data, size_t size, uint32_t hash, uint32_t *number)
{
   for (struct util_hash_probe probe = util_hash_find(&intern->table, hash); util_hash_next(&probe, number);) {
      const struct vgpu_blob *blob = &intern->blobs[*number];
      if (blob->size == size && memcmp(blob->data, data, size) == 0) {
         return true;
      }
   }
   return false;
}

/* Makes room for one more blob. */
static bool reserve(struct vgpu_intern *intern)
{
   return ARRAY_RESERVE(intern->blobs, intern->capacity, intern->count + 1);
}

static bool add(struct vgpu_intern *intern, const void *data, size_t size, uint32_t hash, uint32_t *number)
{
   if (find(intern, data, size, hash, number)) {
      return true;
   }
   if (!reserve(intern)) {
      return false;
   }
   struct vgpu_blob blob = {.data = malloc(size ? size : 1), .size = size};
   if (!blob.data || !util_hash_add(&intern->table, hash, intern->count)) {
      free(blob.data);
      return false;
   }
   memcpy(blob.data, data, size);
   intern->blobs[intern->count] = blob;
   *number = intern->count++;
   return true;
}

bool vgpu_intern_add(struct vgpu_intern *intern, const void *data, size_t size, uint32_t *number)
{
   return add(intern, data, size, (uint32_t)XXH3_64bits(data, size), number);
}

bool vgpu_intern_add_shared(struct vgpu_intern *intern, pthread_mutex_t *lock, struct vgpu_intern_recent *recent,
                            const void *data, size_t size, uint32_t *number)
{
   const uint32_t hash = (uint32_t)XXH3_64bits(data, size);
   const size_t slot = hash >> 16 & (ARRAY_COUNT(recent->slots) - 1);
   if (recent->slots[slot].data && recent->slots[slot].size == size && !memcmp(recent->slots[slot].data, data, size)) {
      *number = recent->slots[slot].number;
      return true;
   }
   pthread_mutex_lock(lock);
   const bool added = add(intern, data, size, hash, number);
   recent->slots[slot].data = added ? intern->blobs[*number].data : NULL;
   pthread_mutex_unlock(lock);
   recent->slots[slot].size = size;
   recent->slots[slot].number = added ? *number : 0;
   return added;
}

void vgpu_intern_finish(struct vgpu_intern *intern)
{
   for (uint32_t i = 0; i < intern->count; i++) {
      free(intern->blobs[i].data);
   }
   free(intern->blobs);
   util_hash_finish(&intern->table);
}
