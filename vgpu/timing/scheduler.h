/* SPDX-License-Identifier: MIT
 *
 * Which simdgroup a scheduler issues from next: of those that are ready when the scheduler is free, the first in
 * round-robin order; if none is, the earliest. Inline, as the model does it for every instruction.
 *
 * Invariant: a simdgroup that is not at a barrier is in one of two sets. It is due when it is ready at the time at
 * which its scheduler is free, but for its pipe; then only its pipe matters, so a bit of its port's set is enough. Else
 * it is in a list by time. So a choice looks at the ports and at the first ones of the list, whatever the number of
 * simdgroups.
 */
#ifndef VGPU_SCHEDULER_H
#define VGPU_SCHEDULER_H

#include "vgpu/timing/core_state.h"

static inline void vgpu_scheduler_add_due(struct vgpu_scheduler *scheduler, uint32_t place, unsigned port)
{
   scheduler->due[place / VGPU_WORD_BITS][port] |= UINT64_C(1) << place % VGPU_WORD_BITS;
   scheduler->due_count[port]++;
   scheduler->due_ports |= 1u << port;
}

/* The simdgroup there can issue through `port` from `ready` on. */
static inline void vgpu_scheduler_add(struct vgpu_scheduler *scheduler, uint32_t place, unsigned port, uint64_t ready)
{
   scheduler->ready[place] = ready;
   scheduler->port[place] = (uint8_t)port;
   scheduler->ports[port]++;
   if (ready <= scheduler->free) {
      vgpu_scheduler_add_due(scheduler, place, port);
      return;
   }
   uint32_t i = scheduler->future_count++;
   for (; i > 0 && scheduler->future[i - 1].ready < ready; i--) {
      scheduler->future[i] = scheduler->future[i - 1];
   }
   scheduler->future[i] = (struct vgpu_future){ready, place};
}

/* The chosen one issues, and the scheduler is free at `next`. */
static inline void vgpu_scheduler_take(struct vgpu_scheduler *scheduler, uint64_t next)
{
   const uint32_t place = scheduler->chosen;
   const unsigned port = scheduler->port[place];
   uint32_t count = scheduler->future_count;
   for (; count > 0 && scheduler->future[count - 1].ready <= next; count--) {
      const uint32_t due = scheduler->future[count - 1].place;
      vgpu_scheduler_add_due(scheduler, due, scheduler->port[due]);
   }
   scheduler->future_count = count;
   scheduler->due[place / VGPU_WORD_BITS][port] ^= UINT64_C(1) << place % VGPU_WORD_BITS;
   if (--scheduler->due_count[port] == 0) {
      scheduler->due_ports ^= 1u << port;
   }
   scheduler->ports[port]--;
   scheduler->free = next;
   scheduler->last = place;
}

/* How many places after the last one it is, in round-robin order. */
static inline uint32_t vgpu_scheduler_rank(const struct vgpu_scheduler *scheduler, uint32_t place)
{
   return place > scheduler->last ? place - scheduler->last
                                  : place + scheduler->words * VGPU_WORD_BITS - scheduler->last;
}

/* The first place in round-robin order of those that are due at these ports. There is one. */
static inline uint32_t vgpu_scheduler_first_due(const struct vgpu_scheduler *scheduler, unsigned ports)
{
   const uint32_t start = scheduler->last + 1;
   uint64_t mask = ~UINT64_C(0) << start % VGPU_WORD_BITS;
   for (uint32_t word = start / VGPU_WORD_BITS;; word++, mask = ~UINT64_C(0)) {
      word = word < scheduler->words ? word : 0;
      uint64_t places = 0;
      for (unsigned left = ports; left; left &= left - 1) {
         places |= scheduler->due[word][__builtin_ctz(left)];
      }
      if (places & mask) {
         return word * VGPU_WORD_BITS + (uint32_t)__builtin_ctzll(places & mask);
      }
   }
}

/* Chooses the place that issues next. Returns when; VGPU_NEVER: no simdgroup is ready at any time. */
static inline uint64_t vgpu_scheduler_choose(struct vgpu_scheduler *scheduler)
{
   uint64_t time = VGPU_NEVER;
   unsigned ports = 0; /* of the due ones that can issue at that time */
   for (unsigned left = scheduler->due_ports; left; left &= left - 1) {
      const unsigned port = (unsigned)__builtin_ctz(left);
      const uint64_t takes = scheduler->takes[port], ready = takes > scheduler->free ? takes : scheduler->free;
      ports = ready < time ? 1u << port : ports | (unsigned)(ready == time) << port;
      time = ready < time ? ready : time;
   }
   uint32_t first = UINT32_MAX; /* least rank of those that can */
   for (uint32_t i = scheduler->future_count; i > 0 && scheduler->future[i - 1].ready <= time; i--) {
      const struct vgpu_future *future = &scheduler->future[i - 1];
      const uint64_t takes = scheduler->takes[scheduler->port[future->place]];
      const uint64_t ready = takes > future->ready ? takes : future->ready;
      const uint32_t rank = vgpu_scheduler_rank(scheduler, future->place);
      if (ready < time) {
         time = ready;
         ports = 0;
         first = rank;
      }
      first = ready == time && rank < first ? rank : first;
   }
   if (ports) {
      const uint32_t rank = vgpu_scheduler_rank(scheduler, vgpu_scheduler_first_due(scheduler, ports));
      first = rank < first ? rank : first;
   }
   if (first != UINT32_MAX) {
      const uint32_t places = scheduler->words * VGPU_WORD_BITS, place = scheduler->last + first;
      scheduler->chosen = place < places ? place : place - places;
   }
   return time;
}

#endif
