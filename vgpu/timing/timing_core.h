/* SPDX-License-Identifier: MIT
 *
 * One core of the timing model.
 */
#ifndef VGPU_TIMING_CORE_H
#define VGPU_TIMING_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/memory/intern.h"
#include "vgpu/launch.h"
#include "vgpu/timing/timing_params.h"

/* A simdgroup of a threadgroup. */
struct vgpu_simd_profile {
   uint32_t path, stream; /* numbers */
};

struct vgpu_profile; /* vgpu/profile.h */

struct vgpu_core_work {
   const struct vgpu_launch *launch;
   const struct vgpu_params *params;
   uint32_t room;                    /* threadgroups that the core holds at a time */
   double share;                     /* of the bandwidth behind the L2: times that of a core when all have work */
   const struct vgpu_blob *paths;    /* arrays of struct vgpu_step */
   const struct vgpu_blob *services; /* struct vgpu_service */
   const struct vgpu_blob *streams;  /* arrays of struct vgpu_service_run */
   const struct vgpu_blob *profiles; /* arrays of struct vgpu_simd_profile */
   const uint32_t *profile;          /* the core's threadgroups in order, `stride` entries apart */
   uint32_t stride;
   uint64_t groups;
   unsigned without;              /* bits of enum vgpu_what_if: what takes no time */
   struct vgpu_profile *recorded; /* where the time is recorded (vgpu/timing/recorder.h); NULL: nowhere */
};

/* Ticks from the first threadgroup's start to the last one's end. false: out of memory. */
bool vgpu_core_simulate(const struct vgpu_core_work *work, uint64_t *ticks);

#endif
