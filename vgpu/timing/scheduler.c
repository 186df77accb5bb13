/* SPDX-License-Identifier: MIT
 *
 * The sets of a scheduler (vgpu/timing/scheduler.h). Invariant: each has room for all simdgroups of the core.
 */
#include <stdlib.h>

#include "vgpu/timing/scheduler.h"

bool vgpu_scheduler_init(struct vgpu_scheduler *scheduler, uint32_t simds)
{
   scheduler->words = (simds + VGPU_WORD_BITS - 1) / VGPU_WORD_BITS;
   scheduler->ready = calloc(simds, sizeof(*scheduler->ready));
   scheduler->port = calloc(simds, sizeof(*scheduler->port));
   scheduler->future = calloc(simds, sizeof(*scheduler->future));
   scheduler->due = calloc(scheduler->words, sizeof(*scheduler->due));
   scheduler->can = calloc(scheduler->words, sizeof(*scheduler->can));
   scheduler->at = calloc(simds, sizeof(*scheduler->at));
   return scheduler->ready && scheduler->port && scheduler->future && scheduler->due && scheduler->can && scheduler->at;
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
