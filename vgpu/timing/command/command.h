/* SPDX-License-Identifier: MIT
 *
 * What the launches of one command take together: their cycles, and the fixed times of launches and barriers.
 *
 * Without the costs (dvfs= off) launches run one after the other and nothing else takes time. With them, launches
 * between two barriers that wait overlap, as far as the cores and the number of launches in flight allow. Which bit of
 * a barrier waits for what: docs/spec/launch.md, "CDM barrier bits".
 */
#ifndef VGPU_COMMAND_H
#define VGPU_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/timing_params.h"

struct vgpu_command_time {
   const struct vgpu_params *params; /* NULL: no costs */
   double cycles, fixed_ns;          /* of what has ended */
   /* Launches since the last barrier that waited for all. */
   double longest, sum, filled; /* cycles; filled: weighted with the part of the GPU that each launch fills */
   double concurrent;           /* launches in flight at most */
};

void vgpu_command_begin(struct vgpu_command_time *time, const struct vgpu_params *params);
/* share: the part of the GPU's threadgroups that the launch fills, above 0, at most 1. */
void vgpu_command_launch(struct vgpu_command_time *time, uint64_t cycles, double share);
/* word: of the CDM barrier block. */
void vgpu_command_barrier(struct vgpu_command_time *time, uint32_t word);
/* The totals are in cycles and fixed_ns then. */
void vgpu_command_end(struct vgpu_command_time *time);

#endif
