/* SPDX-License-Identifier: MIT
 *
 * How long a core's accesses take: latency of the level that serves them, bandwidth of the levels that they pass, and
 * the lines that a core can wait for at once. What is served from where has been decided before
 * (vgpu/timing/memory/services.h).
 */
#ifndef VGPU_CORE_MEMORY_H
#define VGPU_CORE_MEMORY_H

#include "vgpu/timing/cost.h"
#include "vgpu/timing/memory/services.h"
#include "vgpu/timing/timing_params.h"

/* A place in a stream of services. */
struct vgpu_service_walk {
   const struct vgpu_service_run *run, *end;
   uint32_t taken; /* of *run */
};

static inline void vgpu_service_begin(struct vgpu_service_walk *walk, const struct vgpu_blob *stream)
{
   const struct vgpu_service_run *runs = stream->data;
   *walk = (struct vgpu_service_walk){runs, runs + stream->size / sizeof(*runs), 0};
}

#define VGPU_SERVICE_UNKNOWN UINT32_MAX /* the address streams of the launch were too long to be kept */

/* The number of the service of the next access. */
static inline uint32_t vgpu_service_next(struct vgpu_service_walk *walk)
{
   if (walk->run == walk->end) {
      return VGPU_SERVICE_UNKNOWN;
   }
   uint32_t service = walk->run->service;
   if (++walk->taken == walk->run->repeat) {
      walk->run++;
      walk->taken = 0;
   }
   return service;
}

struct vgpu_core_memory {
   const struct vgpu_blob *services;
   uint64_t latency[VGPU_LEVELS], walk; /* ticks; latency[0] is the instruction class's */
   double sector[VGPU_LEVELS];          /* ticks that a sector takes on the way from or to that level */
   double pair;                         /* of the memory, in a request of two lines */
   double free[VGPU_LEVELS];            /* when the way takes the next sector */
   uint64_t port, queue; /* when the port to the L1 is free, and how far its queue may be behind, ticks */
   uint64_t *misses;     /* when the last lines are there, a ring */
   uint32_t miss_count, next;
};

/* `share`: the core's part of the bandwidth behind the L2, in times that of a core when all have work. false: out of
 * memory. */
bool vgpu_core_memory_init(struct vgpu_core_memory *memory, const struct vgpu_params *all,
                           const struct vgpu_blob *services, double share);
void vgpu_core_memory_finish(struct vgpu_core_memory *memory);

/* Ticks that an instruction occupies its pipe, and until its result is there. */
struct vgpu_trip {
   uint64_t interval, latency;
};

/* The service of that number; of VGPU_SERVICE_UNKNOWN, one sector of the L2. */
const struct vgpu_service *vgpu_core_service(const struct vgpu_core_memory *memory, uint32_t number);
/* On entry *trip is what the instruction takes at best. */
void vgpu_core_access(struct vgpu_core_memory *memory, const struct vgpu_cost *cost, const struct vgpu_service *service,
                      uint64_t now, struct vgpu_trip *trip);
/* The access takes its share of the ways, and nobody waits for it. */
void vgpu_core_move(struct vgpu_core_memory *memory, const struct vgpu_service *service, uint64_t now);

#endif
