/* SPDX-License-Identifier: MIT
 *
 * The time of a launch on the modelled core. Function and timing are separate: execution records where each simdgroup
 * went (vgpu/timing/path/path.h), and the model replays that on schedulers, pipes and scoreboards.
 */
#ifndef VGPU_TIMING_H
#define VGPU_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/memory/records.h" /* VGPU_GROUP_SIMDS */
#include "vgpu/timing/path/path.h"

struct vgpu_timing;

/* Returns NULL when out of memory. */
struct vgpu_timing *vgpu_timing_create(const struct vgpu_launch *launch, uint64_t groups);
void vgpu_timing_destroy(struct vgpu_timing *timing); /* NULL is fine */
/* Takes the paths of the simdgroups of threadgroup `group`, which has ended; count is at most VGPU_GROUP_SIMDS. Safe
 * from several threads; `recent` is the thread's, and starts empty with each launch. Returns false when out of memory.
 */
bool vgpu_timing_record(struct vgpu_timing *timing, struct vgpu_intern_recent *recent, uint64_t group,
                        const struct vgpu_path *const *paths, uint32_t count);
/* Computes the cycles from the launch's start to its end, when all threadgroups have been recorded. Returns false when
 * out of memory. */
bool vgpu_timing_cycles(struct vgpu_timing *timing, uint64_t *cycles);
/* Whether the launch has more accesses than the model of the caches keeps, even for one threadgroup a core: then its
 * cycles are computed as if all its data were in the L2. */
bool vgpu_timing_without_caches(const struct vgpu_timing *timing);

/* The threadgroups and simdgroups of this launch that a core holds at a time. */
struct vgpu_residency {
   uint32_t groups; /* threadgroups; 0: not even one fits */
   uint32_t simds;  /* simdgroups */
};
struct vgpu_residency vgpu_timing_residency(const struct vgpu_launch *launch);
/* Returns the fraction of the chip's threadgroup slots that the launch fills: above 0, at most 1. */
double vgpu_timing_share(const struct vgpu_launch *launch);

#endif
