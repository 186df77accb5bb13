/* SPDX-License-Identifier: MIT
 *
 * Simulates one core of the timing model.
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
   uint32_t path, stream; /* numbers of its path and its services */
};

struct vgpu_cost;    /* vgpu/timing/cost.h */
struct vgpu_facts;   /* vgpu/timing/path/facts.h */
struct vgpu_feed;    /* vgpu/timing/memory/feed.h */
struct vgpu_loops;   /* vgpu/timing/loops.h */
struct vgpu_profile; /* vgpu/profile.h */
struct vgpu_record;  /* vgpu/timing/memory/records.h */

struct vgpu_core_work {
   const struct vgpu_launch *launch;
   const struct vgpu_params *params;
   uint32_t room; /* threadgroups that fit on the core */
   /* the core's share of the bandwidth behind the L2, relative to its share when all cores have work */
   double share;
   const struct vgpu_blob *paths;    /* arrays of struct vgpu_step */
   const struct vgpu_blob *services; /* struct vgpu_service */
   const struct vgpu_blob *streams;  /* arrays of struct vgpu_service_run */
   const struct vgpu_blob *profiles; /* arrays of struct vgpu_simd_profile */
   const uint32_t *profile;          /* the profiles of the core's threadgroups in order, `stride` entries apart */
   uint32_t stride;
   /* Instead of services, streams and profiles, where the services are still being made. NULL: they are all there. */
   struct vgpu_feed *feed;
   uint64_t first;                    /* the core's first threadgroup */
   const struct vgpu_record *records; /* simds_each for each threadgroup of the launch */
   const uint8_t *simds;              /* simdgroups of each threadgroup */
   uint32_t simds_each;
   uint64_t groups;
   /* from the first to the last instruction of the paths; 0: instruction fetch costs nothing */
   uint64_t code_bytes;
   unsigned without; /* bits of enum vgpu_what_if that change the work */
   uint32_t part;    /* the part that is left out; VGPU_PROFILE_NO_PART: none */
   /* needed by `without`, `part` and the recorder, which adds to them; NULL: none of these is used */
   struct vgpu_facts *facts;
   /* for VGPU_WHAT_IF_LANES: the fraction of a simdgroup's lanes that have threads */
   double filled;
   const struct vgpu_loops *loops; /* for VGPU_WHAT_IF_LOOPS and VGPU_WHAT_IF_BRANCHES; NULL without these */
   /* receives the recorded time (vgpu/timing/recorder.h); NULL: nothing is recorded */
   struct vgpu_profile *recorded;
};

/* Returns in *ticks the time from the first threadgroup's start to the last one's end. Returns false when out of
 * memory. */
bool vgpu_core_simulate(const struct vgpu_core_work *work, uint64_t *ticks);

/* The same for a work with a feed, step by step. Returns NULL when out of memory. */
struct vgpu_core *vgpu_core_begin(const struct vgpu_core_work *work);
/* Simulates the core as far as its services are known. Returns whether that was all of it. */
bool vgpu_core_go_on(struct vgpu_core *core);
/* Frees the core; NULL is fine. Returns the ticks until its last threadgroup has ended. */
uint64_t vgpu_core_end(struct vgpu_core *core);

#endif
