/* SPDX-License-Identifier: MIT
 *
 * Running simdgroups to their end on one host thread.
 */
#ifndef VGPU_SCHEDULER_H
#define VGPU_SCHEDULER_H

#include "vgpu/exec/simd.h"

/* Simdgroups that one host thread runs together. Those that stand at the same place take each instruction one
 * after the other, so that its dispatch is paid once. */
#define VGPU_COHORT 32u

/* Of a launch that is out of budget; the argument is the limit. */
#define VGPU_BUDGET_MESSAGE                                                                                            \
   "the launch did not end within %" PRIu64 " simdgroup instructions, those of all its threadgroups together (the "    \
   "virtual device's option budget=)"

/* All ready and at their entry. count <= VGPU_COHORT; whole threadgroups. Returns when all have stopped or
 * worker->stop. */
void vgpu_run_cohort(struct vgpu_worker *worker, struct vgpu_simd *const *simds, unsigned count);

#endif
