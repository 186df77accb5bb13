/* SPDX-License-Identifier: MIT
 *
 * Other numbers for the registers of a run, in the order in which it names them. Runs that differ in registers alone,
 * as an unrolled loop has them, then are the same text for LLVM.
 */
#ifndef VGPU_JIT_RENAME_H
#define VGPU_JIT_RENAME_H

#include "vgpu/exec/simd.h"
#include "vgpu/jit/emit.h"
#include "vgpu/jit/facts/lanes.h"

struct vgpu_renamed {
   struct vgpu_op *ops, *descriptors;
   uint8_t facts[VGPU_JIT_VECTORS];
   uint32_t places[VGPU_JIT_VECTORS]; /* by new lane vector: words from the start of the simdgroup's registers */
};

/* Makes emit's run, a straight one without picks, one with new numbers, which refers to *renamed. r0, which has the
 * stack of the exec mask, keeps its own. false: out of memory; then neither has changed. */
bool vgpu_jit_rename(struct vgpu_emit *emit, struct vgpu_renamed *renamed);
/* Zero is fine. */
void vgpu_jit_rename_finish(struct vgpu_renamed *renamed);

#endif
