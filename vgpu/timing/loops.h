/* SPDX-License-Identifier: MIT
 *
 * The innermost loops of a launch, and which of their instructions only count turns: what a loop that is unrolled
 * VGPU_UNROLL times executes once in as many turns.
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
   const struct vgpu_block **ends; /* blocks whose jump back makes an innermost loop */
   size_t end_count;
   /* Instructions that count: the jump, what it depends on, and the counter. */
   const struct vgpu_cost **before, **behind; /* before the loop's first instruction that does not count; others */
   size_t before_count, behind_count;
};

/* paths: arrays of struct vgpu_step. false: out of memory; vgpu_loops_finish() must follow in any case. */
bool vgpu_loops_find(struct vgpu_loops *loops, const struct vgpu_blob *paths, uint32_t path_count);
void vgpu_loops_finish(struct vgpu_loops *loops);

bool vgpu_loops_is_end(const struct vgpu_loops *loops, const struct vgpu_block *block);
bool vgpu_loops_counts(const struct vgpu_loops *loops, const struct vgpu_cost *cost);
/* In this turn of VGPU_UNROLL, from 0, the unrolled loop does not execute it: of what counts, the code before the work
 * is executed in the first turn, the rest in the last one. */
bool vgpu_loops_leaves_out(const struct vgpu_loops *loops, const struct vgpu_cost *cost, uint32_t turn);
/* Where the code of that address stands in the unrolled program in that turn: the first copy stays where it is. */
uint64_t vgpu_loops_place(const struct vgpu_loops *loops, uint64_t address, uint32_t turn);
/* Bytes that the copies add to the program. */
uint64_t vgpu_loops_growth(const struct vgpu_loops *loops);

#endif
