/* SPDX-License-Identifier: MIT
 *
 * The innermost loops of a launch, and which of their instructions only count iterations. A loop that is unrolled
 * VGPU_UNROLL times executes those once for that many iterations.
 */
#ifndef VGPU_LOOPS_H
#define VGPU_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_UNROLL 4u

struct vgpu_blob;  /* vgpu/timing/memory/intern.h */
struct vgpu_block; /* vgpu/block.h */
struct vgpu_cost;  /* vgpu/timing/cost.h */

/* All lists are sorted. */
struct vgpu_loops {
   const struct vgpu_block **ends; /* blocks whose backward jump closes an innermost loop */
   size_t end_count;
   /* Instructions that only count iterations: the jump, the conditions it depends on, and the counter. */
   const struct vgpu_cost **before, **behind; /* those in front of the loop's first other instruction; the rest */
   size_t before_count, behind_count;
};

/* paths: arrays of struct vgpu_step. Returns false when out of memory; vgpu_loops_finish() must follow in any case. */
bool vgpu_loops_find(struct vgpu_loops *loops, const struct vgpu_blob *paths, uint32_t path_count);
void vgpu_loops_finish(struct vgpu_loops *loops);

bool vgpu_loops_is_end(const struct vgpu_loops *loops, const struct vgpu_block *block);
bool vgpu_loops_counts(const struct vgpu_loops *loops, const struct vgpu_cost *cost);
/* Whether the unrolled loop leaves out an instruction in iteration `turn` (from 0) of VGPU_UNROLL. Instructions that
 * count iterations in front of the loop's other code are executed in the first iteration, the rest of them in the last
 * one. */
bool vgpu_loops_leaves_out(const struct vgpu_loops *loops, const struct vgpu_cost *cost, uint32_t turn);
/* Returns the address of the code in the unrolled program in that iteration. The first copy keeps its address. */
uint64_t vgpu_loops_place(const struct vgpu_loops *loops, uint64_t address, uint32_t turn);
/* Returns the bytes that the copies add to the program. */
uint64_t vgpu_loops_growth(const struct vgpu_loops *loops);

#endif
