/* SPDX-License-Identifier: MIT
 *
 * The input of a compiled block. It works on one simdgroup at a time, all lanes active, through a copy of struct
 * vgpu_simd whose registers are copied, too. Nothing is written back before the end of the run of instructions: until
 * then the interpreter can run it instead. For bitcode alone (VGPU_BITCODE).
 */
#ifndef VGPU_FRAME_H
#define VGPU_FRAME_H

#include "vgpu/exec/semantics/vector.h"

struct vgpu_frame {
   struct vgpu_simd simd;       /* first: what the semantics get */
   const struct vgpu_simd *own; /* the simdgroup of which that is a copy */
   /* Distance of float results from the smallest normal number, by their bits. 0: a lane has a result that only the
    * interpreter can settle. */
   vu distance;
};

VGPU_INLINE void vgpu_frame_suspect(struct vgpu_simd *simd, vu bits)
{
   struct vgpu_frame *frame = (struct vgpu_frame *)(void *)simd;
   const vu distance = (bits ^ VGPU_F32_MIN) & 0x7fffffffu;
   frame->distance = __builtin_elementwise_min(distance, frame->distance);
}

#endif
