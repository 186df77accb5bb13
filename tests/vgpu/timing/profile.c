/* SPDX-License-Identifier: MIT
 *
 * Where the time of a launch goes: on random blocks with loads, waits and barriers, at several occupancies, the
 * issue and the stalls of all instructions add up to the time of all simdgroups. Expected times come from the launch
 * that is not recorded.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/profile.h"

#define BLOCKS 2000
#define CORES 8 /* of the M1 */
#define SCHEDULERS 4
#define OCCUPANCY_MOST 24
static const unsigned occupancies[] = {1, 4, 24};

static const char *const lines[] = {
    "fadd r%u, r%u, r%u\n",    "imul r%u, r%u, r%u\n", "csel r%u, r%u, r%u, r4, r5, ult\n",
    "hadd r%ul, r%uh, r%ul\n", "shl r%u, r%u, r%u\n",
};
static const char *const others[] = {
    "rcp r%u, r%u\n",
    "shuffle r%u, r%u, 1\n",
    "load r%u, du0, r2, i32, x, a\nwait a\n",
    "store r%u, du2, r2, i32, x, a\n",
    "barrier\n",
};

static uint32_t below(uint32_t limit)
{
   return rig_random() % limit;
}

static void write_block(char *text, size_t size)
{
   size_t used = (size_t)snprintf(text, size, "mov r2, 0\nldimm r1, 0\n");
   for (unsigned i = 5 + below(30); i > 0; i--) {
      unsigned a = 8 + below(12), b = 8 + below(12), c = 8 + below(12);
      const char *line = below(4) ? lines[below(5)] : others[below(5)];
      used += (size_t)snprintf(text + used, size - used, line, a, b, c);
   }
   snprintf(text + used, size - used, "stop\n");
}

/* All executions are events. Those of a simdgroup follow each other without a gap, and a scheduler issues one at a
 * time. */
static void check_events(const struct vgpu_profile *profile, uint64_t executions, const char *text)
{
   uint64_t ends[OCCUPANCY_MOST] = {0}, schedulers[SCHEDULERS] = {0};
   if (profile->event_count != executions || profile->events_dropped != 0) {
      rig_fail("%zu events of %" PRIu64 " executions:\n%s", profile->event_count, executions, text);
   }
   for (size_t i = 0; i < profile->event_count; i++) {
      const struct vgpu_profile_event *event = &profile->events[i];
      if (event->simd >= OCCUPANCY_MOST || event->scheduler >= SCHEDULERS || event->since != ends[event->simd] ||
          event->issue < event->since || event->issue < schedulers[event->scheduler] || event->end < event->issue ||
          (event->stall == VGPU_STALLS) != (event->issue == event->since)) {
         rig_fail("event %zu of simdgroup %u is out of order:\n%s", i, event->simd, text);
      }
      ends[event->simd] = schedulers[event->scheduler] = event->end;
   }
}

/* One launch with and without the recorder. */
static void check(const char *text, unsigned simds)
{
   struct rig rig;
   struct vgpu_profile profile = {0};
   rig_init(&rig, simds * 32 * CORES);
   rig.launch.group[0] = 32;
   rig.launch.timing = true;
   rig.launch.half_registers = 104;
   rig_program(&rig, text);
   rig_run(&rig, vgpu_best_level());
   const uint64_t cycles = rig.outcome.cycles;
   rig.launch.profile = &profile;
   rig_run(&rig, vgpu_best_level());
   uint64_t sum = 0, executions = 0;
   for (size_t i = 0; i < profile.count; i++) {
      executions += profile.rows[i].executions;
      sum += profile.rows[i].issue;
      for (unsigned stall = 0; stall < VGPU_STALLS; stall++) {
         sum += profile.rows[i].stalls[stall];
      }
   }
   if (rig.outcome.cycles != cycles) {
      rig_fail("%" PRIu64 " cycles, %" PRIu64 " recorded:\n%s", cycles, rig.outcome.cycles, text);
   }
   if (profile.sum.simds != simds || executions * CORES != rig.outcome.instructions) {
      rig_fail("%" PRIu64 " simdgroups, %" PRIu64 " executions:\n%s", profile.sum.simds, executions, text);
   }
   /* The last simdgroup ends with the core; alone, it is all there is. */
   if (sum != profile.sum.simd_time || sum > simds * cycles * VGPU_PROFILE_TICKS ||
       (simds == 1 && (sum + VGPU_PROFILE_TICKS - 1) / VGPU_PROFILE_TICKS != cycles)) {
      rig_fail("%u simdgroups: issue and stalls are %" PRIu64 " ticks, %" PRIu64 " were simulated, %" PRIu64
               " cycles:\n%s",
               simds, sum, profile.sum.simd_time, cycles, text);
   }
   for (unsigned what = 0; what < VGPU_WHAT_IFS; what++) {
      if (profile.sum.what_if[what] > profile.sum.ticks + profile.sum.ticks / 4) {
         rig_fail("what-if %u: %" PRIu64 " ticks, %" PRIu64 " with it:\n%s", what, profile.sum.what_if[what],
                  profile.sum.ticks, text);
      }
   }
   check_events(&profile, executions, text);
   vgpu_profile_finish(&profile);
   rig_finish(&rig);
}

int main(void)
{
   char text[4096];
   for (unsigned i = 0; i < BLOCKS; i++) {
      write_block(text, sizeof(text));
      check(text, occupancies[i % 3]);
   }
   return rig_result();
}
