/* SPDX-License-Identifier: MIT
 *
 * Straight-line code that is simulated without execution, to compare orders of instructions.
 */
#ifndef VGPU_TIMING_PREDICT_STRAIGHT_H
#define VGPU_TIMING_PREDICT_STRAIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_cost;   /* vgpu/timing/cost.h */
struct vgpu_params; /* vgpu/timing/timing_params.h */

struct vgpu_straight {
   const struct vgpu_cost *costs;
   uint32_t count;       /* number of instructions, at least 1 */
   uint64_t repeat;      /* times that each simdgroup runs the code, with a jump after each; at least 1 */
   uint32_t group_simds; /* simdgroups of a threadgroup, 1 to VGPU_GROUP_SIMDS: barriers wait for these */
   uint32_t groups;      /* threadgroups, all on the core at the same time */
   /* enum vgpu_memory_level: the level that serves each access to device memory; an access is one line */
   unsigned level;
};

/* Returns in *ticks the time from the start to the end of the last simdgroup. Returns false when out of memory. */
bool vgpu_straight_simulate(const struct vgpu_params *params, const struct vgpu_straight *code, uint64_t *ticks);

#endif
