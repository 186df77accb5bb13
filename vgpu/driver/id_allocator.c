/* SPDX-License-Identifier: MIT
 *
 * Identifiers: see ids.h.
 */
#include "vgpu/driver/id_allocator.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

int vgpu_ids_add(struct vgpu_ids *ids, void *item, uint32_t *id)
{
   uint32_t index = ids->lowest;
   while (index < ids->capacity && ids->items[index]) {
      index++;
   }
   if (index == ids->capacity) {
      if (index == UINT32_MAX || !ARRAY_RESERVE(ids->items, ids->capacity, index + 1)) {
         return -ENOMEM;
      }
      for (uint32_t i = index; i < ids->capacity; i++) {
         ids->items[i] = NULL;
      }
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
