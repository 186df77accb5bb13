/* SPDX-License-Identifier: MIT
 *
 * The state of the timing model for a launch, shared by timing.c, which collects paths and distributes them to cores,
 * and what_if.c, which simulates a core's work again with changes.
 */
#ifndef VGPU_TIMING_STATE_H
#define VGPU_TIMING_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/profile.h"
#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/memory/services.h"
#include "vgpu/timing/timing_core.h"

/* What the memory system did for the launch. */
struct vgpu_replay {
   struct vgpu_services services;
   struct vgpu_intern profiles; /* arrays of struct vgpu_simd_profile, one for each simdgroup of a threadgroup */
   uint32_t *profile;           /* for each threadgroup */
};

struct vgpu_timing {
   const struct vgpu_launch *launch;
   uint64_t groups;
   uint32_t simds_each;
   pthread_mutex_t lock;
   struct vgpu_intern paths;    /* steps of a simdgroup */
   struct vgpu_record *records; /* simds_each for each threadgroup */
   uint8_t *simds;              /* simdgroups of each threadgroup: fewer at the grid's end */
   uint64_t spans;              /* number of spans that are kept */
   unsigned halvings;           /* how often the number of threadgroups whose spans are kept was halved */
   /* halved: with half the bytes of device memory, only if the launch has a profile */
   struct vgpu_replay real, halved;
};

/* ---- what_if.c ---- */

/* Simulates the core's work once with a recorder and once for each what-if. Returns false when out of memory. */
bool vgpu_timing_profile(const struct vgpu_timing *timing, const struct vgpu_core_work *work,
                         struct vgpu_profile *profile);

#endif
