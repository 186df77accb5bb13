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
   /* By kind, for all lanes active and for some inactive: the part whose function does for this one, itself or an
    * earlier one, and whether that is told where this one's registers are. */
   struct {
      uint32_t part;
      bool shared;
   } code[2];
};

/* The name of a part's function: of the region, the part's index, 'f' for all lanes active or 'm' for some inactive.
 * With ".places" behind it: that of the table of its registers' places. */
#define VGPU_PART_NAME "%s.%u.%c"

/* Writes the region's function. The text has those of the parts. */
void vgpu_emit_region(FILE *out, const char *name, const struct vgpu_jit_region *region,
                      const struct vgpu_jit_part *parts, uint32_t count);

#endif
