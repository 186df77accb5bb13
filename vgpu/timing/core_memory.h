/* SPDX-License-Identifier: MIT
 *
 * The time of a core's accesses: the latency of the level that serves them, the bandwidth of the levels that they
 * cross, and the number of lines that a core can wait for at once. vgpu/timing/memory/services.h has determined before
 * which level serves each access.
 */
#ifndef VGPU_CORE_MEMORY_H
#define VGPU_CORE_MEMORY_H

#include "vgpu/timing/cost.h"
#include "vgpu/timing/memory/services.h"
#include "vgpu/timing/timing_params.h"

/* A position in a stream of services. */
struct vgpu_service_walk {
   const struct vgpu_service_run *run, *end;
   uint32_t taken; /* services of *run that have been taken */
};

static inline void vgpu_service_begin(struct vgpu_service_walk *walk, const struct vgpu_blob *stream)
{
   const struct vgpu_service_run *runs = stream->data;
   *walk = (struct vgpu_service_walk){runs, runs + stream->size / sizeof(*runs), 0};
}

#define VGPU_SERVICE_UNKNOWN UINT32_MAX /* the launch's address streams were too long to be recorded */

/* Returns the number of the service of the next access. */
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
   double sector[VGPU_LEVELS];          /* ticks that a sector takes on the link to that level */
   double pair;                         /* ticks of a memory sector in a request of two lines */
   double free[VGPU_LEVELS];            /* tick at which the link accepts the next sector */
   uint64_t port, queue; /* tick at which the port to the L1 is free; ticks of work that its queue holds */
   uint64_t *misses;     /* ring of the ticks at which the last lines arrive */
   uint32_t miss_count, next;
};

/* `share`: the core's fraction of the bandwidth behind the L2, relative to its fraction when all cores have work.
 * Returns false when out of memory. */
bool vgpu_core_memory_init(struct vgpu_core_memory *memory, const struct vgpu_params *all,
                           const struct vgpu_blob *services, double share);
void vgpu_core_memory_finish(struct vgpu_core_memory *memory);

/* Ticks for which an instruction occupies its pipe, and ticks until its result is available. */
struct vgpu_trip {
   uint64_t interval, latency;
};

/* Returns the service of that number; for VGPU_SERVICE_UNKNOWN, one sector from the L2. */
const struct vgpu_service *vgpu_core_service(const struct vgpu_core_memory *memory, uint32_t number);
/* On entry, *trip has the least time that the instruction can take. */
void vgpu_core_access(struct vgpu_core_memory *memory, const struct vgpu_cost *cost, const struct vgpu_service *service,
                      uint64_t now, struct vgpu_trip *trip);
/* Uses the bandwidth of an access whose result nobody waits for. */
void vgpu_core_move(struct vgpu_core_memory *memory, const struct vgpu_service *service, uint64_t now);

#endif
