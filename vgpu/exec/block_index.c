/* SPDX-License-Identifier: MIT
 *
 * A program's blocks by address. A block's address is in the index once.
 */
#include "vgpu/exec/block_index.h"

#include <stdlib.h>

#include "vgpu/block.h"
#include "util/array.h"

void vgpu_block_index_finish(struct vgpu_block_index *index)
{
   util_hash_finish(&index->table);
   free(index->blocks);
   *index = (struct vgpu_block_index){0};
}

struct vgpu_block *vgpu_block_index_find(const struct vgpu_block_index *index, uint64_t address)
{
   uint32_t entry;
   for (struct util_hash_probe probe = util_hash_find(&index->table, util_hash_u64(address));
        util_hash_next(&probe, &entry);) {
      if (index->blocks[entry]->address == address) {
         return index->blocks[entry];
      }
   }
   return NULL;
}

static bool add(struct vgpu_block_index *index, struct vgpu_block *block)
{
   if (!ARRAY_RESERVE(index->blocks, index->capacity, index->count + 1)) {
      return false;
   }
   if (!util_hash_add(&index->table, util_hash_u64(block->address), index->count)) {
      return false;
   }
   index->blocks[index->count++] = block;
   return true;
}

bool vgpu_block_index_add(struct vgpu_block_index *index, struct vgpu_block *blocks, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      if (!vgpu_block_index_find(index, blocks[i].address) && !add(index, &blocks[i])) {
         return false;
      }
   }
   return true;
}
