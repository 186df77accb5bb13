/* SPDX-License-Identifier: MIT */
#include "vgpu/timing/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint32_t *slot_of(const struct vgpu_intern *intern, const void *data, size_t size, uint64_t hash)
{
   uint32_t mask = 2 * intern->capacity - 1, i = (uint32_t)hash & mask;
   for (; intern->slots[i]; i = (i + 1) & mask) {
      const struct vgpu_blob *blob = &intern->blobs[intern->slots[i] - 1];
      if (blob->hash == hash && blob->size == size && !memcmp(blob->data, data, size)) {
         break;
      }
   }
   return &intern->slots[i];
}

static bool grow(struct vgpu_intern *intern)
{
   uint32_t capacity = intern->capacity ? intern->capacity * 2 : 16;
   struct vgpu_blob *blobs = realloc(intern->blobs, capacity * sizeof(*blobs));
   if (blobs) {
      intern->blobs = blobs;
   }
   uint32_t *slots = calloc(2 * (size_t)capacity, sizeof(*slots));
   if (!blobs || !slots) {
      free(slots);
      return false;
   }
   free(intern->slots);
   intern->slots = slots;
   intern->capacity = capacity;
   for (uint32_t i = 0; i < intern->count; i++) {
      const struct vgpu_blob *blob = &intern->blobs[i];
      *slot_of(intern, blob->data, blob->size, blob->hash) = i + 1;
   }
   return true;
}

bool vgpu_intern_add(struct vgpu_intern *intern, const void *data, size_t size, uint32_t *number)
{
   if (intern->count == intern->capacity && !grow(intern)) {
      return false;
   }
   uint64_t hash = XXH3_64bits(data, size);
   uint32_t *slot = slot_of(intern, data, size, hash);
   if (!*slot) {
      struct vgpu_blob blob = {.data = malloc(size ? size : 1), .size = size, .hash = hash};
      if (!blob.data) {
         return false;
      }
      memcpy(blob.data, data, size);
      intern->blobs[intern->count] = blob;
      *slot = ++intern->count;
   }
   *number = *slot - 1;
   return true;
}

void vgpu_intern_finish(struct vgpu_intern *intern)
{
   for (uint32_t i = 0; i < intern->count; i++) {
      free(intern->blobs[i].data);
   }
   free(intern->blobs);
   free(intern->slots);
}
