/* SPDX-License-Identifier: MIT
 *
 * What of a program is compiled together: runs of instructions within a block, loops of two blocks, and regions.
 */
#ifndef VGPU_JIT_SHAPE_H
#define VGPU_JIT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/block.h"
#include "vgpu/jit/llvm.h"

#define VGPU_JIT_MAX_RUN 128u /* LLVM's time grows faster than the run */

/* Whether there is a function for it to be compiled with. */
bool vgpu_jit_supports(const struct vgpu_llvm *llvm, const struct vgpu_block *block, const struct vgpu_op *op);

/* Returns the block whose ops come before another pass while all lanes stay active: the one behind it, which jumps
 * back. NULL: there is no such loop, or it cannot be compiled as one. */
const struct vgpu_block *vgpu_jit_loop_body(const struct vgpu_llvm *llvm, const struct vgpu_block *head);

/* The longest run of ops that can be compiled together, from `first` on. */
uint32_t vgpu_jit_run_length(const struct vgpu_llvm *llvm, const struct vgpu_block *block, uint32_t first);

/* Blocks that are compiled as one function, one after the other in code->blocks, with the jumps among them. A
 * simdgroup enters at any of them and leaves where it jumps elsewhere, waits, stops or calls. */
struct vgpu_jit_region {
   struct vgpu_block *first;
   uint32_t count; /* of blocks; 0: the block belongs to no region */
   uint32_t ops;
   const struct vgpu_block *masked; /* the first of the program that may run with inactive lanes */
};
struct vgpu_jit_region vgpu_jit_region_of(const struct vgpu_llvm *llvm, const struct vgpu_block *block);

/* The kinds of code that a block of the region has. Masked code does for all lanes active, too. */
bool vgpu_jit_has_full(const struct vgpu_jit_region *region, const struct vgpu_block *block);
bool vgpu_jit_has_masked(const struct vgpu_jit_region *region, const struct vgpu_block *block);

/* Whether block n ends with an `if` whose lanes the next block runs and ends with pop_exec, which undoes the `if`. A
 * simdgroup of which all lanes come to the `if` and none runs the next block then goes over that: nothing changes. */
bool vgpu_jit_goes_over(const struct vgpu_jit_region *region, uint32_t n);

/* The first of a program's blocks that may run with inactive lanes in a launch of whole simdgroups: it follows a change
 * of the exec mask, or is jumped to from behind one. */
uint32_t vgpu_jit_first_masked(const struct vgpu_block *blocks, uint32_t count);

#endif
