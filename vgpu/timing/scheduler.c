/* SPDX-License-Identifier: MIT
 *
 * Which simdgroup a scheduler issues from next: of those that are ready when the scheduler is free, the first in
 * round-robin order; if none is, the earliest.
 *
 * Invariant: a simdgroup that is not at a barrier is in one of two sets. It is due when it is ready at the time at
 * which its scheduler is free, but for its pipe; then only its pipe matters, so a bit of its port's set is enough. Else
 * it is in a list by time. So a choice looks at the ports and at the first ones of the list, whatever the number of
 * simdgroups.
 */
#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/core_state.h"

#define WORD_BITS 64u

bool vgpu_scheduler_init(struct vgpu_scheduler *scheduler, uint32_t simds)
{
   scheduler->words = (simds + WORD_BITS - 1) / WORD_BITS;
   scheduler->ready = calloc(simds, sizeof(*scheduler->ready));
   scheduler->port = calloc(simds, sizeof(*scheduler->port));
   scheduler->future = calloc(simds, sizeof(*scheduler->future));
   scheduler->due = calloc(scheduler->words, sizeof(*scheduler->due));
   scheduler->at = calloc(simds, sizeof(*scheduler->at));
   return scheduler->ready && scheduler->port && scheduler->future && scheduler->due && scheduler->at;
}

void vgpu_scheduler_finish(struct vgpu_scheduler *scheduler)
{
   free(scheduler->ready);
   free(scheduler->port);
   free(scheduler->future);
   free(scheduler->due);
   free(scheduler->at);
}

/* ---- The sets ---- */

static void add_due(struct vgpu_scheduler *scheduler, uint32_t place)
{
   const unsigned port = scheduler->port[place];
   scheduler->due[place / WORD_BITS][port] |= UINT64_C(1) << place % WORD_BITS;
   scheduler->due_count[port]++;
   scheduler->due_ports |= 1u << port;
}

void vgpu_scheduler_add(struct vgpu_scheduler *scheduler, uint32_t place, unsigned port, uint64_t ready)
{
   scheduler->ready[place] = ready;
   scheduler->port[place] = (uint8_t)port;
   scheduler->ports[port]++;
   if (ready <= scheduler->free) {
      add_due(scheduler, place);
      return;
   }
   uint32_t i = scheduler->future_count++;
   for (; i > 0 && scheduler->future[i - 1].ready < ready; i--) {
      scheduler->future[i] = scheduler->future[i - 1];
   }
   scheduler->future[i] = (struct vgpu_future){ready, place};
}

void vgpu_scheduler_take(struct vgpu_scheduler *scheduler, uint64_t next)
{
   const uint32_t place = scheduler->chosen;
   const unsigned port = scheduler->port[place];
   scheduler->free = next;
   while (scheduler->future_count > 0 && scheduler->future[scheduler->future_count - 1].ready <= next) {
      add_due(scheduler, scheduler->future[--scheduler->future_count].place);
   }
   scheduler->due[place / WORD_BITS][port] &= ~(UINT64_C(1) << place % WORD_BITS);
   scheduler->due_ports &= ~((unsigned)(--scheduler->due_count[port] == 0) << port);
   scheduler->ports[port]--;
   scheduler->last = place;
}

/* ---- The choice ---- */

/* How many places after the last one it is, in round-robin order. */
static uint32_t rank(const struct vgpu_scheduler *scheduler, uint32_t place)
{
   return place > scheduler->last ? place - scheduler->last : place + scheduler->words * WORD_BITS - scheduler->last;
}

/* The first place in round-robin order of those that are due at these ports. There is one. */
static uint32_t first_due(const struct vgpu_scheduler *scheduler, unsigned ports)
{
   const uint32_t start = scheduler->last + 1;
   uint64_t mask = ~UINT64_C(0) << start % WORD_BITS;
   for (uint32_t word = start / WORD_BITS;; word++, mask = ~UINT64_C(0)) {
      word = word < scheduler->words ? word : 0;
      uint64_t places = 0;
      for (unsigned left = ports; left; left &= left - 1) {
         places |= scheduler->due[word][__builtin_ctz(left)];
      }
      if (places & mask) {
         return word * WORD_BITS + (uint32_t)__builtin_ctzll(places & mask);
      }
   }
}

uint64_t vgpu_scheduler_choose(struct vgpu_scheduler *scheduler)
{
   uint64_t time = VGPU_NEVER;
   unsigned ports = 0; /* of the due ones that can issue at that time */
   for (unsigned left = scheduler->due_ports; left; left &= left - 1) {
      const unsigned port = (unsigned)__builtin_ctz(left);
      const uint64_t takes = scheduler->takes[port], ready = takes > scheduler->free ? takes : scheduler->free;
      ports = ready < time ? 1u << port : ports | (unsigned)(ready == time) << port;
      time = ready < time ? ready : time;
   }
   const struct vgpu_future *chosen = NULL;
   for (uint32_t i = scheduler->future_count; i > 0 && scheduler->future[i - 1].ready <= time; i--) {
      const struct vgpu_future *future = &scheduler->future[i - 1];
      const uint64_t takes = scheduler->takes[scheduler->port[future->place]];
      const uint64_t ready = takes > future->ready ? takes : future->ready;
      if (ready < time) {
         time = ready;
         ports = 0;
         chosen = future;
      } else if (ready == time && (!chosen || rank(scheduler, future->place) < rank(scheduler, chosen->place))) {
         chosen = future;
      }
   }
   if (ports) {
      scheduler->chosen = first_due(scheduler, ports);
   }
   if (chosen && (!ports || rank(scheduler, chosen->place) < rank(scheduler, scheduler->chosen))) {
      scheduler->chosen = chosen->place;
   }
   return time;
}
