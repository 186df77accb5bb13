/* SPDX-License-Identifier: MIT
 *
 * Skips time in which the schedulers of a core repeat themselves, as in a loop of arithmetic. A scheduler is compared
 * with a snapshot of itself. If only the remaining iterations of its simdgroups' loops differ, it will repeat itself
 * with that period. Once the periods of all schedulers are known, they advance together by whole periods, up to the
 * end of the first loop.
 *
 * Invariant: a core takes exactly the time that it takes without this file. So a scheduler has no period while
 * anything outside it can act on it: vgpu_steady_forget() is called when a simdgroup starts, ends, reaches a barrier
 * or reaches an instruction of a pipe that the core's schedulers share. All times in the past are equivalent.
 */
#include <string.h>

#include "vgpu/timing/core_state.h"
#include "vgpu/timing/timing_core.h"

#define LOOKS_MOST (1u << 20) /* most comparisons between two snapshots */
/* fewest remaining iterations: skipping fewer saves less time than finding their period */
#define TURNS_LEAST 8
#define GROUP_STEPS 8 /* most steps of a loop whose period is searched for */
#define PASSED INT64_MIN

/* Returns a time relative to the scheduler's. All times in the past are the same. */
static int64_t seen(uint64_t time, uint64_t free)
{
   return time == VGPU_NEVER ? INT64_MAX : time > free ? (int64_t)(time - free) : PASSED;
}

static struct vgpu_result seen_result(const struct vgpu_result *result, uint32_t number, uint64_t free)
{
   const uint32_t distance = number - result->writer;
   return (struct vgpu_result){
       .ready = (uint64_t)seen(result->ready, free),
       .writer = distance > VGPU_FORWARD_DISTANCE ? VGPU_FORWARD_DISTANCE + 1 : distance,
       .latency = result->latency,
       .bypass = result->bypass,
   };
}

static struct vgpu_steady_simd seen_simd(const struct vgpu_scheduler *scheduler, const struct vgpu_core_simd *simd)
{
   struct vgpu_steady_simd steady = {
       .walk = simd->walk, .cost = simd->cost, .turn = simd->turn, .registers = simd->steady->registers};
   steady.ready = seen(scheduler->ready[simd->place], scheduler->free);
   steady.floor = seen(simd->floor, scheduler->free);
   for (unsigned slot = 0; slot < VGPU_SLOTS; slot++) {
      steady.done[slot] = seen(simd->done[slot], scheduler->free);
      steady.next[slot] = simd->next[slot];
      for (unsigned i = 0; i < VGPU_PENDING; i++) {
         steady.pending[slot][i] = seen(simd->pending[slot][i], scheduler->free);
      }
   }
   return steady;
}

/* ---- The snapshot ---- */

static bool is_private(const struct vgpu_scheduler *scheduler)
{
   for (uint32_t place = 0; place < scheduler->places; place++) {
      if (scheduler->at[place] && (vgpu_is_shared(scheduler->port[place]) || scheduler->ready[place] == VGPU_NEVER)) {
         return false; /* it uses a pipe of the core, or waits at a barrier */
      }
   }
   return true;
}

static void take_snapshot(const struct vgpu_core *core, struct vgpu_scheduler *scheduler,
                          const struct vgpu_core_simd *from)
{
   struct vgpu_steady *steady = &scheduler->steady;
   steady->from = from;
   steady->free = scheduler->free;
   steady->unit = scheduler->unit;
   steady->last = scheduler->last;
   steady->looks = 0;
   steady->most = steady->most < LOOKS_MOST ? steady->most * 2 : steady->most;
   for (unsigned i = 0; i < VGPU_PORTS; i++) {
      steady->pipes[i] = seen(scheduler->pipes[i], scheduler->free);
   }
   for (uint32_t place = 0; place < scheduler->places; place++) {
      struct vgpu_core_simd *simd = scheduler->at[place];
      if (simd) {
         *simd->steady = seen_simd(scheduler, simd);
         for (uint32_t i = 0; i < core->work->launch->half_registers; i++) {
            simd->steady->registers[i] = seen_result(&simd->registers[i], simd->number, scheduler->free);
         }
      }
   }
}

/* Whether a snapshot is worth its cost: the simdgroup has enough iterations left in its loop or in the enclosing
 * one. */
static bool pays(const struct vgpu_core_simd *simd)
{
   const struct vgpu_walk *walk = &simd->walk;
   const struct vgpu_step *group = walk->step;
   if (walk->left >= TURNS_LEAST) {
      return true;
   }
   for (unsigned i = 0; i < GROUP_STEPS && group < walk->end && group->first; i++) {
      group++;
   }
   return group < walk->end && !group->first && group->repeat - walk->turns >= TURNS_LEAST;
}

/* Whether the simdgroup is at the same place of its path, except for the iterations of one loop. Records how many
 * iterations differ. */
static bool same_place(struct vgpu_core_simd *simd)
{
   const struct vgpu_walk *now = &simd->walk;
   struct vgpu_steady_simd *then = simd->steady;
   then->left = then->walk.left - now->left;
   then->turns = now->turns - then->walk.turns;
   return then->cost == simd->cost && then->turn == simd->turn && then->walk.step == now->step &&
          now->left <= then->walk.left && now->turns >= then->walk.turns && (then->left > 0) != (then->turns > 0);
}

static bool same_simd(const struct vgpu_scheduler *scheduler, struct vgpu_core_simd *simd)
{
   const struct vgpu_steady_simd *then = simd->steady;
   if (!same_place(simd)) {
      return false;
   }
   const struct vgpu_steady_simd now = seen_simd(scheduler, simd);
   return now.ready == then->ready && now.floor == then->floor && !memcmp(now.done, then->done, sizeof(now.done)) &&
          !memcmp(now.next, then->next, sizeof(now.next)) && !memcmp(now.pending, then->pending, sizeof(now.pending));
}

static bool same_registers(const struct vgpu_core *core, const struct vgpu_scheduler *scheduler,
                           const struct vgpu_core_simd *simd)
{
   for (uint32_t i = 0; i < core->work->launch->half_registers; i++) {
      const struct vgpu_result now = seen_result(&simd->registers[i], simd->number, scheduler->free),
                               *then = &simd->steady->registers[i];
      if (now.ready != then->ready || now.writer != then->writer || now.latency != then->latency ||
          now.bypass != then->bypass) {
         return false;
      }
   }
   return true;
}

static bool is_as_then(const struct vgpu_core *core, const struct vgpu_scheduler *scheduler)
{
   const struct vgpu_steady *then = &scheduler->steady;
   if (then->unit != scheduler->unit || then->last != scheduler->last) {
      return false;
   }
   for (unsigned i = 0; i < VGPU_PORTS; i++) {
      if (then->pipes[i] != seen(scheduler->pipes[i], scheduler->free)) {
         return false;
      }
   }
   for (uint32_t place = 0; place < scheduler->places; place++) {
      if (scheduler->at[place] && !same_simd(scheduler, scheduler->at[place])) {
         return false;
      }
   }
   for (uint32_t place = 0; place < scheduler->places; place++) {
      if (scheduler->at[place] && !same_registers(core, scheduler, scheduler->at[place])) {
         return false;
      }
   }
   return true;
}

/* ---- Moving ahead ---- */

/* Returns how many periods the simdgroup's loop lasts at least. */
static uint64_t periods_left(const struct vgpu_core_simd *simd)
{
   const struct vgpu_walk *walk = &simd->walk;
   if (simd->steady->left > 0) {
      return (walk->left - 1) / simd->steady->left;
   }
   const struct vgpu_step *group = walk->step;
   while (group->first) {
      group++;
   }
   return (group->repeat - walk->turns) / simd->steady->turns;
}

/* Returns the tick at which the scheduler's first loop may end, until which its period holds. */
static uint64_t end_of_period(const struct vgpu_scheduler *scheduler)
{
   uint64_t least = UINT64_MAX, ticks;
   for (uint32_t place = 0; place < scheduler->places; place++) {
      if (scheduler->at[place]) {
         const uint64_t left = periods_left(scheduler->at[place]);
         least = left < least ? left : least;
      }
   }
   if (__builtin_mul_overflow(least, scheduler->steady.period, &ticks) ||
       __builtin_add_overflow(ticks, scheduler->free, &ticks)) {
      return VGPU_NEVER - 1;
   }
   return ticks;
}

static void move_time(uint64_t *time, uint64_t ticks)
{
   *time += *time == VGPU_NEVER ? 0 : ticks;
}

static void move_ahead(struct vgpu_core *core, struct vgpu_scheduler *scheduler, uint64_t periods)
{
   const uint64_t ticks = periods * scheduler->steady.period;
   scheduler->free += ticks;
   core->stale |= 1u << (scheduler - core->schedulers);
   scheduler->steady.free += ticks;
   for (unsigned i = 0; i < VGPU_PORTS; i++) {
      vgpu_core_set_pipe(core, scheduler, i, scheduler->pipes[i] + ticks);
   }
   for (uint32_t i = scheduler->future_first; i < scheduler->future_end; i++) {
      scheduler->future[i].ready += ticks;
   }
   for (uint32_t place = 0; place < scheduler->places; place++) {
      struct vgpu_core_simd *simd = scheduler->at[place];
      if (!simd) {
         continue;
      }
      move_time(&scheduler->ready[place], ticks);
      simd->floor += ticks;
      simd->walk.left -= periods * simd->steady->left;
      simd->walk.turns += periods * simd->steady->turns;
      for (unsigned slot = 0; slot < VGPU_SLOTS; slot++) {
         simd->done[slot] += ticks;
         for (unsigned i = 0; i < VGPU_PENDING; i++) {
            simd->pending[slot][i] += ticks;
         }
      }
      for (uint32_t i = 0; i < core->work->launch->half_registers; i++) {
         simd->registers[i].ready += ticks;
      }
   }
}

static void skip(struct vgpu_core *core)
{
   uint64_t end = VGPU_NEVER;
   for (unsigned i = 0; i < VGPU_SCHEDULERS; i++) {
      const struct vgpu_scheduler *scheduler = &core->schedulers[i];
      if (scheduler->resident > 0 && (scheduler->steady.period == 0 || scheduler->free > scheduler->steady.until)) {
         return;
      }
      end = scheduler->resident > 0 && scheduler->steady.until < end ? scheduler->steady.until : end;
   }
   for (unsigned i = 0; i < VGPU_SCHEDULERS; i++) {
      struct vgpu_scheduler *scheduler = &core->schedulers[i];
      if (scheduler->resident > 0 && end > scheduler->free) {
         move_ahead(core, scheduler, (end - scheduler->free) / scheduler->steady.period);
      }
   }
}

void vgpu_steady_look(struct vgpu_core *core, const struct vgpu_core_simd *simd)
{
   struct vgpu_scheduler *scheduler = &core->schedulers[simd->scheduler];
   struct vgpu_steady *steady = &scheduler->steady;
   if (steady->from && steady->from != simd) {
      return;
   }
   if (steady->period > 0 && scheduler->free > steady->until) {
      vgpu_steady_forget(scheduler);
   }
   if (steady->period == 0) {
      if (!steady->from || steady->looks++ >= steady->most) {
         if (pays(simd) && is_private(scheduler)) {
            take_snapshot(core, scheduler, simd);
         }
         return;
      }
      if (!is_as_then(core, scheduler)) {
         return;
      }
      steady->period = scheduler->free - steady->free;
      steady->until = end_of_period(scheduler);
   }
   skip(core);
}
