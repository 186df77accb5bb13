/* SPDX-License-Identifier: MIT
 *
 * Identifiers: see table.h.
 */
#include "vgpu/driver/id_allocator.h"

#include <errno.h>
#include <stdlib.h>

int vgpu_table_add(struct vgpu_table *table, void *item, uint32_t *id)
{
   uint32_t index = table->lowest;
   while (index < table->capacity && table->items[index]) {
      index++;
   }
   if (index == table->capacity) {
      uint32_t capacity = table->capacity ? table->capacity * 2 : 16;
      if (capacity <= table->capacity) {
         return -ENOMEM;
      }
      void **items = realloc(table->items, capacity * sizeof(*items));
      if (!items) {
         return -ENOMEM;
      }
      for (uint32_t i = table->capacity; i < capacity; i++) {
         items[i] = NULL;
      }
      table->items = items;
      table->capacity = capacity;
   }
   table->items[index] = item;
   table->lowest = index + 1;
   *id = index + 1;
   return 0;
}

void *vgpu_table_get(const struct vgpu_table *table, uint32_t id)
{
   return id && id <= table->capacity ? table->items[id - 1] : NULL;
}

void *vgpu_table_remove(struct vgpu_table *table, uint32_t id)
{
   void *item = vgpu_table_get(table, id);
   if (item) {
      table->items[id - 1] = NULL;
      if (id - 1 < table->lowest) {
         table->lowest = id - 1;
      }
   }
   return item;
}

void *vgpu_table_next(const struct vgpu_table *table, uint32_t *id)
{
   for (uint32_t index = *id; index < table->capacity; index++) {
      if (table->items[index]) {
         *id = index + 1;
         return table->items[index];
      }
   }
   return NULL;
}

void vgpu_table_finish(struct vgpu_table *table)
{
   free(table->items);
   *table = (struct vgpu_table){0};
}
