/* SPDX-License-Identifier: MIT
 *
 * What a compiled block works on. It sees one simdgroup at a time, all lanes active, through a copy of struct vgpu_simd
 * whose registers are a copy, too. Nothing is written back before the end of the run of instructions: until then the
 * interpreter can run it instead. For bitcode alone (VGPU_BITCODE).
 */
#ifndef VGPU_FRAME_H
#define VGPU_FRAME_H

#include "vgpu/exec/semantics/vector.h"

struct vgpu_frame {
   struct vgpu_simd simd; /* first: what the semantics get */
   vu suspects;           /* lanes with a result that only the interpreter knows to settle */
};

VGPU_INLINE void vgpu_frame_suspect(struct vgpu_simd *simd, vu lanes)
{
   struct vgpu_frame *frame = (struct vgpu_frame *)(void *)simd;
   frame->suspects |= lanes;
}

#endif
