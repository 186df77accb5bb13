/* SPDX-License-Identifier: MIT */
#include "vgpu/exec/block_index.h"

#include <stdlib.h>

#include "vgpu/exec/code.h"

static struct vgpu_block **slot_of(const struct vgpu_block_index *index, uint64_t address)
{
   uint32_t i = (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (index->capacity - 1);
   while (index->slots[i] && index->slots[i]->address != address) {
      i = (i + 1) & (index->capacity - 1);
   }
   return &index->slots[i];
}

/* At most half of the slots are taken, so that searches end soon. */
static bool reserve(struct vgpu_block_index *index, uint32_t more)
{
   struct vgpu_block_index bigger = {.capacity = index->capacity ? index->capacity : 64};
   while (bigger.capacity / 2 < index->count + more) {
      bigger.capacity *= 2;
   }
   if (bigger.capacity == index->capacity) {
      return true;
   }
   bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
   if (!bigger.slots) {
      return false;
   }
   for (uint32_t i = 0; i < index->capacity; i++) {
      if (index->slots[i]) {
         *slot_of(&bigger, index->slots[i]->address) = index->slots[i];
      }
   }
   free(index->slots);
   index->slots = bigger.slots;
   index->capacity = bigger.capacity;
   return true;
}

void vgpu_block_index_finish(struct vgpu_block_index *index)
{
   free(index->slots);
   *index = (struct vgpu_block_index){0};
}

struct vgpu_block *vgpu_block_index_find(const struct vgpu_block_index *index, uint64_t address)
{
   return index->capacity ? *slot_of(index, address) : NULL;
}

bool vgpu_block_index_add(struct vgpu_block_index *index, struct vgpu_block *blocks, uint32_t count)
{
   if (!reserve(index, count)) {
      return false;
   }
   for (uint32_t i = 0; i < count; i++) {
      struct vgpu_block **slot = slot_of(index, blocks[i].address);
      if (!*slot) {
         *slot = &blocks[i];
         index->count++;
      }
   }
   return true;
}
