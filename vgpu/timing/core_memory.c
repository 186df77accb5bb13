/* SPDX-License-Identifier: MIT
 *
 * A core's path to memory. Invariant: an access never takes less than the latency of the level that serves it, and no
 * link between two levels exceeds its bandwidth.
 */
#include "vgpu/timing/core_memory.h"

#include <stdlib.h>

bool vgpu_core_memory_init(struct vgpu_core_memory *memory, const struct vgpu_params *all,
                           const struct vgpu_blob *services, double share)
{
   const double *params = all->memory;
   const double ticks = (double)VGPU_SECTOR * VGPU_TICKS, dram = params[VGPU_MEMORY_DRAM_BANDWIDTH] * share / 100;
   *memory = (struct vgpu_core_memory){
       .services = services,
       .latency = {0, (uint64_t)(params[VGPU_MEMORY_L2_LATENCY] * VGPU_TICKS),
                   (uint64_t)(params[VGPU_MEMORY_SLC_LATENCY] * VGPU_TICKS),
                   (uint64_t)(params[VGPU_MEMORY_DRAM_LATENCY] * VGPU_TICKS)},
       .walk = (uint64_t)(params[VGPU_MEMORY_TLB_LATENCY] * VGPU_TICKS),
       .sector = {ticks / params[VGPU_MEMORY_L1_BANDWIDTH], ticks / params[VGPU_MEMORY_L2_BANDWIDTH],
                  ticks / params[VGPU_MEMORY_SLC_BANDWIDTH] / share,
                  ticks / dram / params[VGPU_MEMORY_DRAM_EFFICIENCY]},
       .pair = ticks / dram / params[VGPU_MEMORY_DRAM_PAIR],
       .queue = (uint64_t)(params[VGPU_MEMORY_L1_QUEUE] * VGPU_TICKS),
       .miss_count = (uint32_t)params[VGPU_MEMORY_L1_MISSES],
   };
   memory->misses = calloc(memory->miss_count, sizeof(*memory->misses));
   return memory->misses != NULL;
}

void vgpu_core_memory_finish(struct vgpu_core_memory *memory)
{
   free(memory->misses);
}

/* Returns the tick at which the last of the lines can be requested, which is when it gets an entry of the miss
 * queue. */
static uint64_t first_entry(const struct vgpu_core_memory *memory, unsigned lines, uint64_t now)
{
   if (lines == 0) {
      return now;
   }
   uint32_t last = memory->next + lines - 1;
   last = last < memory->miss_count ? last : last % memory->miss_count;
   return memory->misses[last] > now ? memory->misses[last] : now;
}

static void keep_entries(struct vgpu_core_memory *memory, unsigned lines, uint64_t done)
{
   for (unsigned i = 0; i < lines; i++) {
      memory->misses[memory->next] = done;
      memory->next = memory->next + 1 < memory->miss_count ? memory->next + 1 : 0;
   }
}

/* Returns the ticks beyond the latency: waiting for the links between levels, and moving all sectors but the first. */
static double pass_ways(struct vgpu_core_memory *memory, const struct vgpu_service *service, uint64_t request)
{
   double most = 0;
   for (unsigned level = VGPU_LEVEL_L2; level < VGPU_LEVELS; level++) {
      if (service->moved[level]) {
         bool pair = level == VGPU_LEVEL_DRAM && service->flags & VGPU_SERVICE_PAIR;
         double sector = pair ? memory->pair : memory->sector[level];
         double begun = memory->free[level] > (double)request ? memory->free[level] : (double)request;
         memory->free[level] = begun + service->moved[level] * sector;
         double late = memory->free[level] - sector - (double)request;
         most = late > most ? late : most;
      }
   }
   return most;
}

/* Returns the tick at which the port to the L1 accepts the access. The port works in order. Accesses in its queue do
 * not occupy the pipe. *interval: ticks for which the port is busy on entry, ticks for which the pipe is busy on
 * return. */
static uint64_t pass_port(struct vgpu_core_memory *memory, const struct vgpu_cost *cost, uint64_t now,
                          uint64_t *interval)
{
   const uint64_t begun = memory->port > now ? memory->port : now;
   memory->port = begun + *interval;
   const uint64_t behind = memory->port - now, least = cost->interval;
   *interval = behind > memory->queue + least ? behind - memory->queue : least;
   return begun;
}

/* the service of an access that the L2 serves with one sector */
static const struct vgpu_service unknown = {.passes = 1, .lines = 1, .moved = {1, 1, 0, 0}, .level = VGPU_LEVEL_L2};

const struct vgpu_service *vgpu_core_service(const struct vgpu_core_memory *memory, uint32_t number)
{
   return number == VGPU_SERVICE_UNKNOWN ? &unknown : memory->services[number].data;
}

void vgpu_core_move(struct vgpu_core_memory *memory, const struct vgpu_service *service, uint64_t now)
{
   (void)pass_ways(memory, service, now);
}

void vgpu_core_access(struct vgpu_core_memory *memory, const struct vgpu_cost *cost, const struct vgpu_service *done,
                      uint64_t now, struct vgpu_trip *trip)
{
   uint64_t passes = (uint64_t)done->passes * VGPU_TICKS, serial = (uint64_t)done->serial * VGPU_TICKS;
   uint64_t bytes = (uint64_t)(done->moved[VGPU_LEVEL_L1] * memory->sector[VGPU_LEVEL_L1]);
   trip->interval = passes > trip->interval ? passes : trip->interval;
   trip->interval = bytes > trip->interval ? bytes : trip->interval;
   uint64_t turns = (passes > VGPU_TICKS ? passes - VGPU_TICKS : 0) + (serial > VGPU_TICKS ? serial - VGPU_TICKS : 0);
   trip->latency += turns;
   const uint64_t begun = cost->pipe == VGPU_PIPE_LOCAL ? now : pass_port(memory, cost, now, &trip->interval),
                  wait = begun - now;
   if (cost->pipe == VGPU_PIPE_LOCAL || done->level == VGPU_LEVEL_L1) {
      trip->latency += wait;
      return;
   }
   now = begun;
   uint64_t request = first_entry(memory, done->lines, now), level = memory->latency[done->level];
   uint64_t latency = (request - now) + (uint64_t)pass_ways(memory, done, request);
   latency += level + turns > trip->latency ? level + turns : trip->latency;
   latency += done->flags & VGPU_SERVICE_TLB ? memory->walk : 0;
   trip->latency = latency + wait;
   keep_entries(memory, done->lines, now + latency);
}
