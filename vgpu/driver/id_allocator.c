/* SPDX-License-Identifier: MIT
 *
 * Identifiers: see ids.h.
 */
#include "vgpu/driver/id_allocator.h"

#include <errno.h>
#include <stdlib.h>

int vgpu_ids_add(struct vgpu_ids *ids, void *item, uint32_t *id)
{
   uint32_t index = ids->lowest;
   while (index < ids->capacity && ids->items[index]) {
      index++;
   }
   if (index == ids->capacity) {
      uint32_t capacity = ids->capacity ? ids->capacity * 2 : 16;
      if (capacity <= ids->capacity) {
         return -ENOMEM;
      }
      void **items = realloc(ids->items, capacity * sizeof(*items));
      if (!items) {
         return -ENOMEM;
      }
      for (uint32_t i = ids->capacity; i < capacity; i++) {
         items[i] = NULL;
      }
      ids->items = items;
      ids->capacity = capacity;
   }
   ids->items[index] = item;
   ids->lowest = index + 1;
   *id = index + 1;
   return 0;
}

void *vgpu_ids_get(const struct vgpu_ids *ids, uint32_t id)
{
   return id && id <= ids->capacity ? ids->items[id - 1] : NULL;
}

void *vgpu_ids_remove(struct vgpu_ids *ids, uint32_t id)
{
   void *item = vgpu_ids_get(ids, id);
   if (item) {
      ids->items[id - 1] = NULL;
      if (id - 1 < ids->lowest) {
         ids->lowest = id - 1;
      }
   }
   return item;
}

void *vgpu_ids_next(const struct vgpu_ids *ids, uint32_t *id)
{
   for (uint32_t index = *id; index < ids->capacity; index++) {
      if (ids->items[index]) {
         *id = index + 1;
         return ids->items[index];
      }
   }
   return NULL;
}

void vgpu_ids_finish(struct vgpu_ids *ids)
{
   free(ids->items);
   *ids = (struct vgpu_ids){0};
}
