/* SPDX-License-Identifier: MIT
 *
 * What the timing model keeps of a launch, for timing.c, which collects it and shares it out to cores, and what_if.c,
 * which simulates a core's work again with changes.
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
   uint32_t *profile;           /* of each threadgroup */
};

struct vgpu_timing {
   const struct vgpu_launch *launch;
   uint64_t groups;
   uint32_t simds_each;
   pthread_mutex_t lock;
   struct vgpu_intern paths;        /* steps of a simdgroup */
   struct vgpu_record *records;     /* simds_each of each threadgroup */
   uint8_t *simds;                  /* of each threadgroup: fewer at the grid's end */
   uint64_t spans;                  /* kept */
   unsigned halvings;               /* of the threadgroups whose spans are kept */
   struct vgpu_replay real, halved; /* halved: with half the bytes of device memory, if the launch has a profile */
};

/* ---- what_if.c ---- */

/* Simulates the core's work once with a recorder and once for each what-if. false: out of memory. */
bool vgpu_timing_profile(const struct vgpu_timing *timing, const struct vgpu_core_work *work,
                         struct vgpu_profile *profile);

#endif
