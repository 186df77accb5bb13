/* SPDX-License-Identifier: MIT
 *
 * A region of blocks as LLVM's text form: the function that takes simdgroups from block to block.
 */
#ifndef VGPU_JIT_REGION_H
#define VGPU_JIT_REGION_H

#include <stdio.h>

#include "vgpu/jit/shape.h"

/* A run of a region's block that is compiled: op 1 + its index of the code's ops (vgpu/native.h) describes it. */
struct vgpu_jit_part {
   uint32_t block;        /* index in the region */
   uint32_t first, count; /* ops of the block */
};

/* The name of a part's function: of the region, the part's index, 'f' for all lanes active or 'm' for some inactive. */
#define VGPU_PART_NAME "%s.%u.%c"

/* Writes the region's function. The text has those of the parts. */
void vgpu_emit_region(FILE *out, const char *name, const struct vgpu_jit_region *region,
                      const struct vgpu_jit_part *parts, uint32_t count);

#endif
