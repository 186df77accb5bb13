/* SPDX-License-Identifier: MIT
 *
 * A scheduler's choice (vgpu/timing/scheduler.c) is that of a search over all simdgroups, which this test has: the
 * first in round-robin order that can issue when the scheduler is free, or the earliest. Random simdgroups, ports and
 * times; also with more simdgroups than a word of a bit set has bits. So is that of a simdgroup's whole turn,
 * and that after a shared pipe accepts an instruction later.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/timing/scheduler.h"

#define STEPS 20000
#define MOST 200

static unsigned postponed, quick; /* selections; those of them that needed no full look */

static uint32_t below(uint32_t limit)
{
   return rig_random() % limit;
}

static uint64_t later(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

/* What the definition says. Returns the time; VGPU_NEVER: there is no simdgroup. */
static uint64_t search(const struct vgpu_scheduler *scheduler, const bool *present, uint32_t simds, uint32_t *chosen)
{
   uint64_t least = VGPU_NEVER;
   for (uint32_t i = 1; i <= simds; i++) {
      const uint32_t place = (scheduler->last + i) % simds;
      if (present[place]) {
         const uint64_t ready = later(scheduler->ready[place], scheduler->takes[scheduler->port[place]]);
         const uint64_t time = later(ready, scheduler->free);
         if (time < least) {
            least = time;
            *chosen = place;
         }
      }
   }
   return least;
}

/* A random time about now: often one of a few, so that there are ties. */
static uint64_t random_time(uint64_t now)
{
   const uint64_t far = below(4) ? 4 : 2000;
   const uint64_t time = now + below((uint32_t)far) * 50;
   return time > 100 ? time - 100 : 0;
}

/* Compares a choice with the search. */
static bool is_right(const struct vgpu_scheduler *scheduler, const bool *present, uint32_t simds, uint64_t time)
{
   uint32_t expected = 0;
   const uint64_t least = search(scheduler, present, simds, &expected);
   if (time == least && (time == VGPU_NEVER || scheduler->chosen == expected)) {
      return true;
   }
   rig_fail("%u simdgroups: place %u at %" PRIu64 " is chosen, not place %u at %" PRIu64, simds, scheduler->chosen,
            time, expected, least);
   return false;
}

/* The pipe of the simdgroup that was selected for `time` accepts it later. Returns the new time. */
static uint64_t postpone(struct vgpu_scheduler *scheduler, uint64_t time)
{
   const unsigned port = scheduler->port[scheduler->chosen];
   if (!vgpu_is_shared(port)) {
      return time;
   }
   scheduler->takes[port] = later(scheduler->takes[port], time + below(4) * 50);
   postponed++;
   if (vgpu_scheduler_postpone(scheduler, port, &time)) {
      quick++;
      return time;
   }
   return vgpu_scheduler_choose(scheduler);
}

static void check(uint32_t simds)
{
   struct vgpu_scheduler scheduler = {0};
   bool present[MOST] = {false};
   if (!vgpu_scheduler_init(&scheduler, simds)) {
      rig_fail("out of memory");
      return;
   }
   for (unsigned step = 0; step < STEPS; step++) {
      const uint32_t place = below(simds);
      if (!present[place] && below(3)) {
         present[place] = true;
         vgpu_scheduler_add(&scheduler, place, below(VGPU_PIPES), random_time(scheduler.free));
      }
      if (!below(4)) {
         const unsigned port = below(VGPU_PIPES);
         scheduler.takes[port] = later(scheduler.takes[port], random_time(scheduler.free));
      }
      uint64_t time = vgpu_scheduler_choose(&scheduler);
      bool right = is_right(&scheduler, present, simds, time);
      while (right && time != VGPU_NEVER && below(2)) {
         time = postpone(&scheduler, time);
         right = is_right(&scheduler, present, simds, time);
      }
      for (; right && time != VGPU_NEVER && below(4) > 1; right = is_right(&scheduler, present, simds, time)) {
         const uint64_t next = time + below(3) * 50;
         time = vgpu_scheduler_turn(&scheduler, next, below(VGPU_PIPES), later(next, random_time(next)));
      }
      if (!right) {
         break;
      }
      if (time != VGPU_NEVER && below(2)) {
         present[scheduler.chosen] = false;
         vgpu_scheduler_take(&scheduler, time + below(3) * 50);
      }
   }
   vgpu_scheduler_finish(&scheduler);
}

int main(void)
{
   static const uint32_t simds[] = {1, 2, 9, 24, 63, 64, 65, 128, MOST};
   for (unsigned i = 0; i < sizeof(simds) / sizeof(simds[0]); i++) {
      check(simds[i]);
   }
   printf("%u selections were postponed, %u of them without a full look\n", postponed, quick);
   if (quick < postponed / 10) {
      rig_fail("too few without a full look");
   }
   return rig_result();
}
