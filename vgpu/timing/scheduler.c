/* SPDX-License-Identifier: MIT
 *
 * The sets of a scheduler (vgpu/timing/scheduler.h). Invariant: each has room for all simdgroups of the core.
 */
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/scheduler.h"

bool vgpu_scheduler_init(struct vgpu_scheduler *scheduler, uint32_t simds)
{
   scheduler->words = (simds + VGPU_WORD_BITS - 1) / VGPU_WORD_BITS;
   scheduler->ready = calloc(simds, sizeof(*scheduler->ready));
   scheduler->port = calloc(simds, sizeof(*scheduler->port));
   /* A third is free on each side of a full list in the middle. */
   scheduler->future_room = 3 * simds;
   scheduler->future_first = scheduler->future_end = simds;
   scheduler->future = calloc(scheduler->future_room, sizeof(*scheduler->future));
   scheduler->due = calloc(scheduler->words, sizeof(*scheduler->due));
   scheduler->can = calloc(scheduler->words, sizeof(*scheduler->can));
   scheduler->at = calloc(simds, sizeof(*scheduler->at));
   return scheduler->ready && scheduler->port && scheduler->future && scheduler->due && scheduler->can && scheduler->at;
}

void vgpu_scheduler_center(struct vgpu_scheduler *scheduler)
{
   const uint32_t count = scheduler->future_end - scheduler->future_first, first = (scheduler->future_room - count) / 2;
   memmove(scheduler->future + first, scheduler->future + scheduler->future_first, count * sizeof(*scheduler->future));
   scheduler->future_first = first;
   scheduler->future_end = first + count;
}

uint64_t vgpu_scheduler_choose_any(struct vgpu_scheduler *scheduler)
{
   return vgpu_scheduler_choose_of(scheduler, scheduler->words);
}

uint64_t vgpu_scheduler_turn_any(struct vgpu_scheduler *scheduler, uint64_t next, unsigned port, uint64_t ready)
{
   return vgpu_scheduler_turn_of(scheduler, next, port, ready, scheduler->words);
}

void vgpu_scheduler_finish(struct vgpu_scheduler *scheduler)
{
   free(scheduler->ready);
   free(scheduler->port);
   free(scheduler->future);
   free(scheduler->due);
   free(scheduler->can);
   free(scheduler->at);
}
