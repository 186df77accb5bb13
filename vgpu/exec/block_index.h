/* SPDX-License-Identifier: MIT
 *
 * A program's blocks by address, for jumps through registers.
 */
#ifndef VGPU_BLOCK_INDEX_H
#define VGPU_BLOCK_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "util/hash.h"

struct vgpu_block;

/* All zero: empty. */
struct vgpu_block_index {
   struct util_hash table; /* entries: places in `blocks` */
   struct vgpu_block **blocks;
   uint32_t count, capacity;
};

void vgpu_block_index_finish(struct vgpu_block_index *index);
/* NULL: there is none. */
struct vgpu_block *vgpu_block_index_find(const struct vgpu_block_index *index, uint64_t address);
/* Adds the blocks whose address is new. Returns false when out of memory; some may then be missing. */
bool vgpu_block_index_add(struct vgpu_block_index *index, struct vgpu_block *blocks, uint32_t count);

#endif
