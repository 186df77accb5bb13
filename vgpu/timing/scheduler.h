/* SPDX-License-Identifier: MIT
 *
 * How a scheduler selects the simdgroup to issue from: among those that are ready when the scheduler is free, the
 * first in round-robin order; if none is ready, the earliest. The functions are inline, because the model calls them
 * for every instruction.
 *
 * Invariant: a simdgroup that is not at a barrier is in one of two sets. It is in `due` if it is ready when its
 * scheduler is free, except for its pipe. Then only its pipe matters, so a bit in the set of its port is enough.
 * Otherwise it is in a list that is sorted by time. So a selection looks at the ports and at the first entries of the
 * list, whatever the number of simdgroups. An insertion moves the entries on the side of its place that has fewer.
 *
 * A pipe that all schedulers share never accepts an instruction earlier than it has promised. So a simdgroup that is
 * ready by then may be in `due` before its scheduler is free.
 */
#ifndef VGPU_SCHEDULER_H
#define VGPU_SCHEDULER_H

#include "vgpu/timing/core_state.h"

/* The functions whose names end in _of take `words`, which is scheduler->words. So the compiler can specialize them for
 * 1, which covers up to 64 simdgroups. */
#define VGPU_SCHEDULER_OF static inline __attribute__((always_inline))

VGPU_SCHEDULER_OF uint64_t *vgpu_scheduler_due_of(const struct vgpu_scheduler *scheduler, uint32_t place, unsigned port,
                                                  uint32_t words)
{
   return &scheduler->due[words == 1 ? 0 : place / VGPU_WORD_BITS][port];
}

VGPU_SCHEDULER_OF void vgpu_scheduler_add_due_of(struct vgpu_scheduler *scheduler, uint32_t place, unsigned port,
                                                 uint32_t words)
{
   *vgpu_scheduler_due_of(scheduler, place, port, words) |= UINT64_C(1) << place % VGPU_WORD_BITS;
   scheduler->due_ports |= 1u << port;
}

/* Moves the list to the middle of its room. */
void vgpu_scheduler_center(struct vgpu_scheduler *scheduler);

static inline void vgpu_scheduler_add_future(struct vgpu_scheduler *scheduler, struct vgpu_future added)
{
   if (scheduler->future_first == 0 || scheduler->future_end == scheduler->future_room) {
      vgpu_scheduler_center(scheduler);
   }
   struct vgpu_future *const first = scheduler->future + scheduler->future_first,
                             *const end = scheduler->future + scheduler->future_end, *at;
   if (first < end && added.ready < first[(end - first) / 2].ready) {
      for (at = first - 1; at[1].ready < added.ready; at++) {
         at[0] = at[1];
      }
      scheduler->future_first--;
   } else {
      for (at = end; at > first && at[-1].ready > added.ready; at--) {
         at[0] = at[-1];
      }
      scheduler->future_end++;
   }
   *at = added;
}

/* Whether only the port matters to a simdgroup that is ready at that tick. */
static inline bool vgpu_scheduler_is_due(const struct vgpu_scheduler *scheduler, unsigned port, uint64_t ready)
{
   return ready <= scheduler->free || (vgpu_is_shared(port) && ready <= scheduler->takes[port]);
}

/* Moves simdgroups from the front of the list that a shared pipe keeps waiting. */
VGPU_SCHEDULER_OF void vgpu_scheduler_settle_of(struct vgpu_scheduler *scheduler, uint32_t words)
{
   const struct vgpu_future *future = scheduler->future + scheduler->future_first, *const end = scheduler->future +
                                                                                                scheduler->future_end;
   for (; future < end && vgpu_scheduler_is_due(scheduler, future->port, future->ready); future++) {
      vgpu_scheduler_add_due_of(scheduler, future->place, future->port, words);
      scheduler->future_first++;
   }
}

VGPU_SCHEDULER_OF void vgpu_scheduler_add_of(struct vgpu_scheduler *scheduler, uint32_t place, unsigned port,
                                             uint64_t ready, uint32_t words)
{
   if (vgpu_scheduler_is_due(scheduler, port, ready)) {
      vgpu_scheduler_add_due_of(scheduler, place, port, words);
   } else {
      vgpu_scheduler_add_future(scheduler, (struct vgpu_future){ready, place, port});
   }
   scheduler->ready[place] = ready;
   scheduler->port[place] = (uint8_t)port;
}

VGPU_SCHEDULER_OF void vgpu_scheduler_take_of(struct vgpu_scheduler *scheduler, uint64_t next, uint32_t words)
{
   const uint32_t place = scheduler->chosen;
   const unsigned port = scheduler->port[place];
   const struct vgpu_future *future = scheduler->future + scheduler->future_first, *const end = scheduler->future +
                                                                                                scheduler->future_end;
   for (; future < end && future->ready <= next; future++) {
      vgpu_scheduler_add_due_of(scheduler, future->place, future->port, words);
      scheduler->future_first++;
   }
   *vgpu_scheduler_due_of(scheduler, place, port, words) ^= UINT64_C(1) << place % VGPU_WORD_BITS;
   uint64_t left = 0;
   for (uint32_t word = 0; word < words; word++) {
      left |= scheduler->due[word][port];
   }
   if (left == 0) {
      scheduler->due_ports ^= 1u << port;
   }
   scheduler->free = next;
   scheduler->last = place;
}

/* Returns the first of these places in round-robin order. There is one. */
VGPU_SCHEDULER_OF uint32_t vgpu_scheduler_next_of(const struct vgpu_scheduler *scheduler, const uint64_t *can,
                                                  uint32_t words)
{
   /* Searches from behind the last place, and at the end the word of that place again. */
   const uint32_t start = scheduler->last + 1;
   uint32_t word = words == 1 ? 0 : start / VGPU_WORD_BITS % words;
   uint64_t places = can[word] & ~UINT64_C(0) << start % VGPU_WORD_BITS;
   if (words == 1) {
      places = places ? places : can[0];
   }
   for (; words > 1 && places == 0; places = can[word]) {
      word = word + 1 < words ? word + 1 : 0;
   }
   return word * VGPU_WORD_BITS + (uint32_t)__builtin_ctzll(places);
}

VGPU_SCHEDULER_OF uint64_t vgpu_scheduler_choose_of(struct vgpu_scheduler *scheduler, uint32_t words)
{
   /* bits of the places that can issue at `time` */
   uint64_t time = VGPU_NEVER, one = 0, *const can = words == 1 ? &one : scheduler->can;
   const uint64_t free = scheduler->free;
   for (unsigned left = scheduler->due_ports; left; left &= left - 1) {
      const unsigned port = (unsigned)__builtin_ctz(left);
      const uint64_t takes = scheduler->takes[port], ready = takes > free ? takes : free;
      for (uint32_t word = 0; word < words; word++) {
         const uint64_t places = scheduler->due[word][port];
         can[word] = ready < time ? places : can[word] | (ready == time ? places : 0);
      }
      time = ready < time ? ready : time;
   }
   const struct vgpu_future *future = scheduler->future + scheduler->future_first, *const end = scheduler->future +
                                                                                                scheduler->future_end;
   for (; future < end && future->ready <= time; future++) {
      const struct vgpu_future next = *future;
      const uint64_t takes = scheduler->takes[next.port], ready = takes > next.ready ? takes : next.ready;
      if (ready < time) {
         for (uint32_t word = 0; word < words; word++) {
            can[word] = 0;
         }
         time = ready;
      }
      can[words == 1 ? 0 : next.place / VGPU_WORD_BITS] |= (uint64_t)(ready == time) << next.place % VGPU_WORD_BITS;
   }
   if (time == VGPU_NEVER) {
      return time;
   }
   scheduler->chosen = vgpu_scheduler_next_of(scheduler, can, words);
   return time;
}

/* The simdgroup at that place can issue through `port` from `ready` on. */
static inline void vgpu_scheduler_add(struct vgpu_scheduler *scheduler, uint32_t place, unsigned port, uint64_t ready)
{
   vgpu_scheduler_add_of(scheduler, place, port, ready, scheduler->words);
}

/* The selected simdgroup issues, and the scheduler is free at `next`. */
static inline void vgpu_scheduler_take(struct vgpu_scheduler *scheduler, uint64_t next)
{
   vgpu_scheduler_take_of(scheduler, next, scheduler->words);
}

uint64_t vgpu_scheduler_choose_any(struct vgpu_scheduler *scheduler); /* for any number of simdgroups (scheduler.c) */

/* Selects the place that issues next. Returns the tick; VGPU_NEVER: no simdgroup will be ready. */
static inline uint64_t vgpu_scheduler_choose(struct vgpu_scheduler *scheduler)
{
   return scheduler->words == 1 ? vgpu_scheduler_choose_of(scheduler, 1) : vgpu_scheduler_choose_any(scheduler);
}

/* The shared pipe that the selected simdgroup passes through accepts an instruction later than when it was selected.
 * Selects again where only simdgroups of that port can be first. Returns whether that was so, and in *time the tick. */
static inline bool vgpu_scheduler_postpone(struct vgpu_scheduler *scheduler, unsigned port, uint64_t *time)
{
   const uint64_t ready = scheduler->ready[scheduler->chosen], free = scheduler->free, takes = scheduler->takes[port];
   *time = ready > free ? ready : free;
   if (takes <= *time) {
      return true;
   }
   if (scheduler->words > 1) {
      return false;
   }
   *time = takes;
   vgpu_scheduler_settle_of(scheduler, 1);
   const struct vgpu_future *future = &scheduler->future[scheduler->future_first];
   if (scheduler->due_ports != 1u << port ||
       (scheduler->future_first < scheduler->future_end && future->ready <= takes)) {
      return false;
   }
   scheduler->chosen = vgpu_scheduler_next_of(scheduler, &scheduler->due[0][port], 1);
   return true;
}

/* The selected simdgroup issues, the scheduler is free at `next`, and the simdgroup can issue again through `port` from
 * `ready` on. It combines take, add and choose. */
VGPU_SCHEDULER_OF uint64_t vgpu_scheduler_turn_of(struct vgpu_scheduler *scheduler, uint64_t next, unsigned port,
                                                  uint64_t ready, uint32_t words)
{
   const uint32_t place = scheduler->chosen;
   vgpu_scheduler_take_of(scheduler, next, words);
   vgpu_scheduler_add_of(scheduler, place, port, ready, words);
   return vgpu_scheduler_choose_of(scheduler, words);
}

/* The same for any number of simdgroups (scheduler.c). */
uint64_t vgpu_scheduler_turn_any(struct vgpu_scheduler *scheduler, uint64_t next, unsigned port, uint64_t ready);

static inline uint64_t vgpu_scheduler_turn(struct vgpu_scheduler *scheduler, uint64_t next, unsigned port,
                                           uint64_t ready)
{
   return scheduler->words == 1 ? vgpu_scheduler_turn_of(scheduler, next, port, ready, 1)
                                : vgpu_scheduler_turn_any(scheduler, next, port, ready);
}

#endif
