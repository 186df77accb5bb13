/* SPDX-License-Identifier: MIT
 *
 * Running simdgroups to their end on one host thread.
 */
#ifndef VGPU_SCHEDULER_H
#define VGPU_SCHEDULER_H

#include "vgpu/exec/simd.h"

/* Most simdgroups that one host thread runs together. Those at the same place execute each instruction one after the
 * other, so that its dispatch is paid once. */
#define VGPU_COHORT 32u

/* All ready and at their entry. count <= VGPU_COHORT; whole threadgroups. Returns when all have stopped or
 * worker->stop. */
void vgpu_run_cohort(struct vgpu_worker *worker, struct vgpu_simd *const *simds, unsigned count);

/* Before and after what a host thread runs of a launch. The compiler's samples go on from one launch to the next. */
void vgpu_samples_begin(struct vgpu_worker *worker);
void vgpu_samples_end(struct vgpu_worker *worker);

/* Ends the block, which has run, for one simdgroup: where it goes on, or that it waits or has stopped. */
void vgpu_leave_block(struct vgpu_simd *simd, const struct vgpu_block *block);

/* Call it after vgpu_run_cohort() with the same whole threadgroups, groups[0..slots): runs the following threadgroups,
 * below `end`, in their slots as long as nothing must be initialized again. Returns the number of the first remaining
 * one. */
uint64_t vgpu_run_straight(struct vgpu_worker *worker, struct vgpu_threadgroup *groups, uint32_t slots,
                           struct vgpu_simd *const *simds, unsigned count, uint64_t end);

#endif
