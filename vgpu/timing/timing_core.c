/* SPDX-License-Identifier: MIT
 *
 * Schedulers issue in order within a simdgroup, one instruction a cycle each, from the next ready simdgroup in
 * round-robin order. An instruction is ready when its operands are (each half register has a time), its pipe accepts
 * it, and no wait, barrier or branch holds its simdgroup back. All those times are known when the previous instruction
 * issues, so the model advances from issue to issue and never simulates an idle cycle.
 */
#include "vgpu/timing/timing_core.h"

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "vgpu/block.h"
#include "vgpu/timing/core_state.h"
#include "vgpu/timing/loops.h"
#include "vgpu/timing/memory/feed.h"
#include "vgpu/timing/path/facts.h"
#include "vgpu/timing/recorder.h"
#include "vgpu/timing/scheduler.h"

_Static_assert(VGPU_PORTS <= UINT8_MAX, "ports are kept in bytes");

/* ---- A simdgroup's next instruction ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

static inline void enter_block(struct vgpu_core_simd *simd, const struct vgpu_block *block)
{
   simd->block = block;
   simd->cost = block->costs;
   simd->block_end = block->costs + block->length;
}

/* Advances from the end of a block along the path. *taken: by a jump. Returns false at the path's end. */
static bool advance_block(struct vgpu_core_simd *simd, bool *taken)
{
   *taken = false;
   if (simd->block != simd->walk.step->last) {
      enter_block(simd, simd->block->next);
      return true;
   }
   if (!vgpu_walk_next(&simd->walk)) {
      return false;
   }
   enter_block(simd, simd->walk.step->first);
   *taken = true;
   return true;
}

/* Advances to the next instruction along the path, as advance_block(). */
static inline bool advance(struct vgpu_core_simd *simd, bool *taken)
{
   *taken = false;
   return ++simd->cost < simd->block_end || advance_block(simd, taken);
}

static bool without(const struct vgpu_core *core, enum vgpu_what_if what)
{
   return core->work->without >> what & 1;
}

/* The simdgroup reaches an instruction at `now`, and can issue it when its line has been fetched. */
static void fetch(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now)
{
   if (!core->fetch.on) {
      return;
   }
   simd->address = simd->cost == simd->block->costs ? simd->block->address : simd->address + simd->cost[-1].length;
   const uint64_t address = without(core, VGPU_WHAT_IF_LOOPS)
                                ? vgpu_loops_place(core->work->loops, simd->address, simd->turn)
                                : simd->address;
   const uint64_t line = address / VGPU_LINE;
   if (line != simd->line) {
      simd->line = line;
      simd->fetched = vgpu_code_fetch_line(&core->fetch, line, now);
   }
}

/* Returns when the simdgroup's next instruction can issue if its pipe is free. Stores its stall of that pipe. */
static inline __attribute__((always_inline)) uint64_t next_ready(const struct vgpu_core *core,
                                                                 struct vgpu_core_simd *simd)
{
   const struct vgpu_cost *cost = simd->cost;
   const unsigned count = simd->split ? cost->read_count : cost->few_reads;
   const struct vgpu_operands operands =
       vgpu_operands_of(core->work->params, cost, count, simd->number, simd->registers);
   const uint64_t ready = later(simd->floor, operands.ready);
   simd->stall = operands.stall;
   return cost->kind == VGPU_COST_ASYNC ? later(ready, simd->pending[cost->slot][simd->next[cost->slot]]) : ready;
}

/* Puts the simdgroup in its scheduler's sets. */
static void prepare(struct vgpu_core *core, struct vgpu_core_simd *simd)
{
   struct vgpu_scheduler *scheduler = &core->schedulers[simd->scheduler];
   vgpu_scheduler_add(scheduler, simd->place, simd->cost->port, later(next_ready(core, simd), simd->fetched));
   simd->stall = without(core, VGPU_WHAT_IF_OPERAND) ? 0 : simd->stall;
   core->stale |= 1u << simd->scheduler;
   if (vgpu_is_shared(simd->cost->port)) {
      vgpu_steady_forget(scheduler); /* other schedulers use that pipe, too */
   }
}

/* ---- Threadgroups ---- */

static struct vgpu_scheduler *emptiest(struct vgpu_core *core)
{
   struct vgpu_scheduler *best = &core->schedulers[0];
   for (unsigned i = 1; i < VGPU_SCHEDULERS; i++) {
      if (core->schedulers[i].resident < best->resident) {
         best = &core->schedulers[i];
      }
   }
   return best;
}

static void place(struct vgpu_core *core, struct vgpu_core_simd *simd)
{
   struct vgpu_scheduler *scheduler = emptiest(core);
   uint32_t free = 0;
   while (free < scheduler->places && scheduler->at[free]) {
      free++;
   }
   scheduler->places = free == scheduler->places ? free + 1 : scheduler->places;
   scheduler->resident++;
   scheduler->at[free] = simd;
   simd->scheduler = (uint32_t)(scheduler - core->schedulers);
   simd->place = free;
   vgpu_steady_forget(scheduler);
}

/* Starts the core's next threadgroup in this slot, if there is one left. */
static void start(struct vgpu_core *core, struct vgpu_core_group *group, uint64_t now)
{
   const struct vgpu_core_work *work = core->work;
   if (core->started == work->groups) {
      return;
   }
   const uint64_t number = core->started++ * work->stride, first = (work->first + number) * work->simds_each;
   const struct vgpu_blob *profile = work->feed ? NULL : &work->profiles[work->profile[number]];
   const struct vgpu_simd_profile *simds = profile ? profile->data : NULL;
   group->count = group->left =
       profile ? (uint32_t)(profile->size / sizeof(*simds)) : work->simds[work->first + number];
   group->waiting = 0;
   for (uint32_t i = 0; i < group->count; i++) {
      struct vgpu_core_simd *simd = &group->simds[i];
      struct vgpu_result *registers = simd->registers;
      const struct vgpu_blob *path = &work->paths[simds ? simds[i].path : work->records[first + i].path];
      *simd = (struct vgpu_core_simd){.registers = registers,
                                      .number = VGPU_FIRST,
                                      .floor = now,
                                      .started = now,
                                      .group = group,
                                      .split = !core->plain, /* a recorded launch examines all operands */
                                      .steady = simd->steady};
      vgpu_walk_begin(&simd->walk, path->data, path->size / sizeof(struct vgpu_step));
      if (simds) {
         vgpu_service_begin(&simd->services, &work->streams[simds[i].stream]);
      } else {
         simd->fed = &work->feed->streams[first + i];
         simd->services.run = simd->services.end = simd->fed->runs;
      }
      memset(registers, 0, work->launch->half_registers * sizeof(*registers));
      enter_block(simd, simd->walk.step->first);
      if (core->recorder) {
         vgpu_recorder_start(core->recorder, (uint32_t)(simd - core->simds), now);
      }
      place(core, simd);
      fetch(core, simd, now);
      prepare(core, simd);
   }
}

static void finish(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now)
{
   struct vgpu_scheduler *scheduler = &core->schedulers[simd->scheduler];
   scheduler->ready[simd->place] = VGPU_NEVER;
   scheduler->at[simd->place] = NULL;
   scheduler->resident--;
   core->stale |= 1u << simd->scheduler;
   vgpu_steady_forget(scheduler);
   core->end = later(core->end, now);
   if (core->recorder) {
      core->recorder->profile->sum.simd_time += now - simd->started;
      vgpu_recorder_end(core->recorder, (uint32_t)(simd - core->simds), now);
   }
   if (--simd->group->left == 0) {
      start(core, simd->group, now);
   }
}

/* ---- Issue ---- */

/* Sets the time of the scheduler's next issue. */
static inline void set_turn(struct vgpu_core *core, const struct vgpu_scheduler *scheduler, uint64_t time)
{
   core->turns[scheduler->index] = time == VGPU_NEVER ? VGPU_NEVER : time * VGPU_SCHEDULERS + scheduler->index;
}

/* Returns when everything in flight is complete, which a simdgroup waits for before it ends. */
static uint64_t drained(const struct vgpu_core_simd *simd, uint64_t now)
{
   return later(now, later(simd->done[0], simd->done[1]));
}

static void arrive(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now)
{
   struct vgpu_core_group *group = simd->group;
   core->schedulers[simd->scheduler].ready[simd->place] = VGPU_NEVER;
   core->stale |= 1u << simd->scheduler;
   vgpu_steady_forget(&core->schedulers[simd->scheduler]);
   if (++group->waiting < group->count) {
      return;
   }
   group->waiting = 0;
   for (uint32_t i = 0; i < group->count; i++) {
      group->simds[i].floor = now + core->work->params->core[VGPU_CORE_BARRIER];
      vgpu_steady_forget(&core->schedulers[group->simds[i].scheduler]);
      prepare(core, &group->simds[i]);
   }
}

/* A taken jump occupies the control pipe for longer, and delays the simdgroup's next instruction. */
static void take_jump(const struct vgpu_core *core, struct vgpu_scheduler *scheduler, struct vgpu_core_simd *simd,
                      uint64_t begun)
{
   const uint32_t *params = core->work->params->core;
   const uint64_t idle = later(scheduler->pipes[VGPU_PIPE_CONTROL], begun + params[VGPU_CORE_TAKEN_INTERVAL]);
   vgpu_core_set_pipe(core, scheduler, VGPU_PIPE_CONTROL, idle);
   simd->floor = later(simd->floor, begun + params[VGPU_CORE_TAKEN_LATENCY]);
}

/* Occupies a pipe of the scheduler for the instruction's interval. Returns when the instruction begins there. */
static inline uint64_t pass_own_pipe(const struct vgpu_core *core, struct vgpu_scheduler *scheduler,
                                     const struct vgpu_cost *cost, uint64_t now, uint64_t interval)
{
   uint64_t begun = later(now, scheduler->pipes[cost->port]);
   begun += vgpu_switch_ticks(core->work->params, cost, &scheduler->unit);
   if (vgpu_pipe_of(cost->port) != VGPU_PIPE_COMPLEX) {
      vgpu_core_set_pipe(core, scheduler, cost->port, begun + interval);
      return begun;
   }
   vgpu_core_set_pipe(core, scheduler, VGPU_PIPE_COMPLEX, begun + interval);
   for (unsigned port = VGPU_PIPES; port < VGPU_PORTS; port++) {
      vgpu_core_set_pipe(core, scheduler, port, begun + interval - vgpu_overlap(core->work->params, cost, port));
   }
   return begun;
}

/* A shared pipe, which the scheduler's next instruction passes through, accepts it later than before. */
static inline void postpone(struct vgpu_core *core, struct vgpu_scheduler *scheduler, unsigned port)
{
   const unsigned stale = 1u << scheduler->index;
   uint64_t time;
   if (core->stale & stale) {
      return;
   }
   if (vgpu_scheduler_postpone(scheduler, port, &time)) {
      set_turn(core, scheduler, time);
   } else {
      core->stale |= stale;
   }
}

/* The same for any pipe. */
static uint64_t occupy(struct vgpu_core *core, struct vgpu_scheduler *scheduler, const struct vgpu_cost *cost,
                       uint64_t now, uint64_t interval)
{
   if (!vgpu_is_shared(cost->port)) {
      return pass_own_pipe(core, scheduler, cost, now, interval);
   }
   for (unsigned i = 0; i < VGPU_SCHEDULERS; i++) { /* a selection that uses another port remains valid */
      struct vgpu_scheduler *other = &core->schedulers[i];
      other->takes[cost->port] = now + interval;
      if (other != scheduler && other->port[other->chosen] == cost->port) {
         postpone(core, other, cost->port);
      }
   }
   return now;
}

/* Records the simdgroup's time until its instruction issues at `now`. */
static uint32_t record(struct vgpu_core *core, const struct vgpu_scheduler *scheduler,
                       const struct vgpu_core_simd *simd, uint64_t now)
{
   const struct vgpu_cost *cost = simd->cost;
   const uint32_t index = (uint32_t)(simd - core->simds);
   const uint32_t row = vgpu_recorder_row(core->recorder, simd->block, cost);
   struct vgpu_recorded_issue issue = {.floor = simd->floor,
                                       .fetched = simd->fetched,
                                       .now = now,
                                       .end = now + cost->issue,
                                       .source = VGPU_RECORDER_NONE,
                                       .scheduler = simd->scheduler};
   for (unsigned i = 0; i < cost->read_count; i++) {
      uint64_t ready = vgpu_operand_ready(cost, &simd->registers[cost->reads[i]]);
      if (ready > issue.operands) {
         issue.operands = ready;
         issue.source = core->recorder->simds[index].writers[cost->reads[i]];
      }
   }
   if (cost->kind == VGPU_COST_ASYNC) {
      issue.slot = simd->pending[cost->slot][simd->next[cost->slot]];
   }
   issue.pipe = scheduler->takes[cost->port];
   vgpu_recorder_issue(core->recorder, index, row, &issue);
   return row;
}

/* Records the bandwidth that the access uses, and its kind. */
static void record_access(struct vgpu_core *core, const struct vgpu_core_simd *simd, const struct vgpu_service *service)
{
   struct vgpu_fact *fact = vgpu_facts_of(core->work->facts, &simd->block->insns[simd->cost - simd->block->costs]);
   if (fact && fact->bytes > 0) {
      fact->executions++;
      fact->needed += fact->lanes * fact->bytes / VGPU_SECTOR;
      fact->repeated += (service->flags & VGPU_SERVICE_REPEATED) != 0;
      fact->uniform += vgpu_is_uniform(fact, service);
      for (unsigned level = 0; level < VGPU_LEVELS; level++) {
         fact->moved[level] += service->moved[level];
      }
   }
   for (unsigned level = 0; level < VGPU_LEVELS; level++) {
      bool pair = level == VGPU_LEVEL_DRAM && service->flags & VGPU_SERVICE_PAIR;
      double sector = pair ? core->memory.pair : core->memory.sector[level];
      core->recorder->profile->sum.levels[level] += (uint64_t)(service->moved[level] * sector);
   }
}

/* Records what later instructions may wait for. */
static void record_results(struct vgpu_core *core, const struct vgpu_core_simd *simd, uint32_t row, uint64_t done)
{
   const struct vgpu_cost *cost = simd->cost;
   struct vgpu_recorded_simd *recorded = &core->recorder->simds[simd - core->simds];
   vgpu_recorder_done(core->recorder, (uint32_t)(simd - core->simds), done);
   for (unsigned i = 0; i < cost->write_count; i++) {
      recorded->writers[cost->writes[i]] = row;
   }
   if (cost->kind == VGPU_COST_ASYNC && done >= simd->done[cost->slot]) {
      recorded->loads[cost->slot] = row;
   }
   recorded->waits = cost->kind == VGPU_COST_WAIT ? cost->slot : 0;
   recorded->reason = cost->kind == VGPU_COST_WAIT      ? VGPU_STALL_MEMORY
                      : cost->kind == VGPU_COST_BARRIER ? VGPU_STALL_BARRIER
                                                        : VGPU_STALL_CONTROL;
}

/* ---- Loops that are simulated unrolled ---- */

/* Whether a jump that the simdgroup took after the block (NULL: none) costs time. Counts iterations. */
static bool is_slow(const struct vgpu_core *core, struct vgpu_core_simd *simd, const struct vgpu_block *from,
                    bool taken)
{
   if (without(core, VGPU_WHAT_IF_BRANCHES)) {
      return taken && simd->block->address <= from->address;
   }
   if (!without(core, VGPU_WHAT_IF_LOOPS) || !from || !vgpu_loops_is_end(core->work->loops, from)) {
      return taken;
   }
   simd->turn = taken ? (simd->turn + 1) % VGPU_UNROLL : 0;
   return taken && simd->turn == 0;
}

/* Whether the next instruction is left out, because it only counts an iteration that the unrolled loop does not
 * count. */
static bool is_left_out(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now)
{
   if (!core->work->without && core->work->part == VGPU_PROFILE_NO_PART) {
      return false;
   }
   return without(core, VGPU_WHAT_IF_LOOPS) ? vgpu_loops_leaves_out(core->work->loops, simd->cost, simd->turn)
                                            : vgpu_leave_out_skips(core, simd, now);
}

/* As advance(), but skips instructions that are left out. *slow: a jump that costs time was taken. */
static bool advance_far(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now, bool *taken, bool *slow)
{
   bool left = false; /* the instruction before this one was left out */
   *taken = *slow = false;
   do {
      const struct vgpu_block *from = simd->cost + 1 == simd->block_end ? simd->block : NULL;
      bool jumps;
      if (!advance(simd, &jumps)) {
         return false;
      }
      *taken |= jumps;
      *slow |= is_slow(core, simd, from, jumps) && (!left || without(core, VGPU_WHAT_IF_LOOPS));
      fetch(core, simd, now);
      left = is_left_out(core, simd, now);
   } while (left);
   return true;
}

/* ---- Issue, in any core ---- */

/* Returns the earliest tick at which the simdgroup may issue its next instruction. Records memory operations in
 * flight. */
static uint64_t floor_after(struct vgpu_core_simd *simd, const struct vgpu_cost *cost, uint64_t next, uint64_t done)
{
   switch ((enum vgpu_cost_kind)cost->kind) {
   case VGPU_COST_CONTROL:
      return later(next, done);
   case VGPU_COST_ASYNC: {
      uint8_t *ring = &simd->next[cost->slot];
      simd->pending[cost->slot][*ring] = done;
      *ring = (uint8_t)((*ring + 1) % VGPU_PENDING);
      simd->done[cost->slot] = later(simd->done[cost->slot], done);
      return next;
   }
   case VGPU_COST_WAIT:
      return later(next, simd->done[cost->slot]);
   default:
      return next;
   }
}

static inline void write_results(struct vgpu_core_simd *simd, const struct vgpu_cost *cost, uint64_t done)
{
   const struct vgpu_result result = vgpu_result_of(cost, simd->number, done);
   struct vgpu_result *const registers = simd->registers;
   for (const uint8_t *write = cost->writes, *const end = write + cost->write_count; write < end; write++) {
      registers[*write] = result;
   }
   if (cost->splits) {
      simd->split = true;
   }
   simd->number++;
}

/* The simdgroup has issued, its scheduler is free at `next`, and it advances to its next instruction. */
static inline void go_on(struct vgpu_core *core, struct vgpu_scheduler *scheduler, struct vgpu_core_simd *simd,
                         uint64_t next)
{
   const unsigned port = simd->cost->port;
   if (vgpu_is_shared(port)) {
      vgpu_steady_forget(scheduler); /* other schedulers use that pipe, too */
   }
   set_turn(core, scheduler, vgpu_scheduler_turn(scheduler, next, port, next_ready(core, simd)));
}

/* As go_on() at the end of a block. The last instruction began in its pipe at `begun` and completes at `done`. */
static __attribute__((noinline)) void leave_block(struct vgpu_core *core, struct vgpu_scheduler *scheduler,
                                                  struct vgpu_core_simd *simd, uint64_t next, uint64_t begun,
                                                  uint64_t done)
{
   bool taken;
   if (!advance_block(simd, &taken)) {
      vgpu_scheduler_take(scheduler, next);
      finish(core, simd, drained(simd, done));
      return;
   }
   if (taken) {
      take_jump(core, scheduler, simd, begun);
   }
   go_on(core, scheduler, simd, next);
   if (taken && core->saved) {
      vgpu_steady_look(core, simd);
   }
}

/* The simdgroup has issued on a core where nothing is recorded, left out or fetched. */
static inline void step(struct vgpu_core *core, struct vgpu_scheduler *scheduler, struct vgpu_core_simd *simd,
                        uint64_t next, uint64_t begun, uint64_t done)
{
   if (++simd->cost < simd->block_end) {
      go_on(core, scheduler, simd, next);
   } else {
      leave_block(core, scheduler, simd, next, begun, done);
   }
}

/* As issue_any() for a `simple` instruction on such a core. */
static inline void issue_simple(struct vgpu_core *core, struct vgpu_scheduler *scheduler, struct vgpu_core_simd *simd,
                                uint64_t now)
{
   const struct vgpu_cost *cost = simd->cost;
   const uint64_t next = now + cost->issue,
                  begun = pass_own_pipe(core, scheduler, cost, now, cost->interval + simd->stall),
                  done = begun + cost->latency;
   simd->floor = next;
   write_results(simd, cost, done);
   step(core, scheduler, simd, next, begun, done);
}

/* As issue_any() for any instruction but a barrier on such a core. */
static __attribute__((noinline)) void issue_plain(struct vgpu_core *core, struct vgpu_scheduler *scheduler,
                                                  struct vgpu_core_simd *simd, uint64_t now)
{
   const struct vgpu_cost *cost = simd->cost;
   struct vgpu_trip trip = {.interval = cost->interval, .latency = cost->latency};
   if (cost->access) {
      const uint32_t number = vgpu_service_next(&simd->services);
      vgpu_core_access(&core->memory, cost, vgpu_core_service(&core->memory, number), now, &trip);
   }
   const uint64_t next = now + cost->issue, begun = occupy(core, scheduler, cost, now, trip.interval + simd->stall),
                  done = begun + trip.latency;
   simd->floor = floor_after(simd, cost, next, done);
   write_results(simd, cost, done);
   step(core, scheduler, simd, next, begun, done);
}

static __attribute__((noinline)) void issue_any(struct vgpu_core *core, struct vgpu_scheduler *scheduler,
                                                struct vgpu_core_simd *simd, uint64_t now)
{
   struct vgpu_cost changed;
   const struct vgpu_cost *cost = simd->cost;
   struct vgpu_trip trip = {.interval = cost->interval, .latency = cost->latency};
   uint32_t row = core->recorder ? record(core, scheduler, simd, now) : VGPU_RECORDER_NONE;
   const bool changes = core->work->without || core->work->part != VGPU_PROFILE_NO_PART;
   if (cost->access) {
      const uint32_t number = vgpu_service_next(&simd->services);
      const struct vgpu_service *service = vgpu_core_service(&core->memory, number);
      if (changes) {
         vgpu_leave_out_access(core, simd, service, now, &trip);
      } else {
         vgpu_core_access(&core->memory, cost, service, now, &trip);
      }
      if (core->recorder && number != VGPU_SERVICE_UNKNOWN) {
         record_access(core, simd, service);
      }
   }
   if (changes) {
      changed = *cost;
      vgpu_leave_out(core, simd, &changed, &trip);
      cost = &changed;
   }
   uint64_t next = now + cost->issue;
   vgpu_scheduler_take(scheduler, next);
   uint64_t begun = occupy(core, scheduler, cost, now, trip.interval + simd->stall), done = begun + trip.latency;
   if (core->recorder) {
      core->recorder->profile->sum.pipes[vgpu_pipe_of(cost->port)] += trip.interval + simd->stall;
      record_results(core, simd, row, done);
   }
   simd->floor = floor_after(simd, cost, next, done);
   write_results(simd, cost, done);
   bool taken, slow;
   if (!advance_far(core, simd, now, &taken, &slow)) {
      finish(core, simd, drained(simd, done));
      return;
   }
   if (slow) {
      take_jump(core, scheduler, simd, begun);
   }
   if (cost->kind == VGPU_COST_BARRIER) {
      arrive(core, simd, now);
      return;
   }
   prepare(core, simd);
   if (taken && core->saved) {
      vgpu_steady_look(core, simd);
   }
}

/* Returns the first turn of the schedulers; VGPU_NEVER: none has any. */
static inline uint64_t least_turn(const struct vgpu_core *core)
{
   uint64_t least = core->turns[0];
   for (unsigned i = 1; i < VGPU_SCHEDULERS; i++) {
      least = core->turns[i] < least ? core->turns[i] : least;
   }
   return least;
}

/* Whether the service of the simdgroup's next instruction is not known yet. */
static inline bool is_starved(struct vgpu_core_simd *simd)
{
   struct vgpu_service_walk *walk = &simd->services;
   struct vgpu_feed_stream *fed = simd->fed;
   if (walk->run < walk->end || !fed || !simd->cost->access) {
      return false;
   }
   if (!walk->run) {
      walk->run = fed->runs;
   }
   walk->end = fed->runs ? fed->runs + fed->count : NULL;
   fed->closed = fed->count;
   return walk->run == walk->end && fed->known < fed->accesses;
}

/* Issues all instructions of the core's work whose services are known. Returns whether these were all. Not inline, so
 * that the compiler addresses everything from few registers. The next scheduler is predicted from the order of the last
 * turns, and the prediction is checked afterwards: so the host's processor can continue before all times are known. */
static __attribute__((noinline)) bool run(struct vgpu_core *core)
{
   /* the scheduler that issued after each one the last time */
   unsigned after[VGPU_SCHEDULERS] = {1, 2, 3, 0}, index = 0;
   for (;;) {
      for (; core->stale; core->stale &= core->stale - 1) {
         struct vgpu_scheduler *stale = &core->schedulers[__builtin_ctz(core->stale)];
         set_turn(core, stale, vgpu_scheduler_choose(stale));
      }
      const unsigned before = index;
      const uint64_t turn = least_turn(core);
      if (turn == VGPU_NEVER) {
         return true;
      }
      index = after[before];
      if (turn != core->turns[index]) {
         index = turn % VGPU_SCHEDULERS;
         after[before] = index;
      }
      const uint64_t now = core->turns[index] / VGPU_SCHEDULERS;
      struct vgpu_scheduler *scheduler = &core->schedulers[index];
      struct vgpu_core_simd *simd = scheduler->at[scheduler->chosen];
      if (core->plain && simd->cost->simple) {
         issue_simple(core, scheduler, simd, now);
      } else if (is_starved(simd)) {
         return false;
      } else if (core->plain && simd->cost->kind != VGPU_COST_BARRIER) {
         issue_plain(core, scheduler, simd, now);
      } else {
         issue_any(core, scheduler, simd, now);
      }
   }
}

/* Allocates zeroed bytes, aligned to a line of the host's cache. free() releases them. Returns NULL when out of
 * memory. */
static void *new_lines(size_t bytes)
{
   const size_t size = (bytes + VGPU_HOST_LINE - 1) / VGPU_HOST_LINE * VGPU_HOST_LINE;
   void *memory = aligned_alloc(VGPU_HOST_LINE, size);
   return memory ? memset(memory, 0, size) : NULL;
}

static bool allocate(struct vgpu_core *core)
{
   const struct vgpu_core_work *work = core->work;
   const struct vgpu_launch *launch = work->launch;
   /* Registers of two simdgroups are one cache line further apart than necessary: at a power of two, the same register
    * of all simdgroups would share a few sets of the host's cache. */
   const size_t apart = launch->half_registers + VGPU_HOST_LINE / sizeof(*core->registers);
   uint32_t groups = work->groups < work->room ? (uint32_t)work->groups : work->room;
   core->simds_each = (launch->group[0] * launch->group[1] * launch->group[2] + VGPU_LANES - 1) / VGPU_LANES;
   uint32_t simds = groups * core->simds_each;
   bool done = (core->groups = calloc(groups, sizeof(*core->groups))) != NULL;
   done &= (core->simds = new_lines(simds * sizeof(*core->simds))) != NULL;
   done &= (core->registers = new_lines((size_t)simds * apart * sizeof(*core->registers))) != NULL;
   /* The recorder and the fetch need every instruction, and snapshots do not contain the account of left-out
    * executions. */
   const unsigned counted = 1u << VGPU_WHAT_IF_LANES | 1u << VGPU_WHAT_IF_NARROW;
   if (!core->recorder && !core->fetch.on && !(work->without & counted)) {
      done &= (core->saved = calloc((size_t)simds * launch->half_registers, sizeof(*core->saved))) != NULL;
      done &= (core->snapshots = calloc(simds, sizeof(*core->snapshots))) != NULL;
   }
   if (work->facts) {
      const size_t count = work->facts->count * VGPU_SCHEDULERS;
      done &= (core->owed = calloc(count + 1, sizeof(*core->owed))) != NULL;
      /* Blocks begin with different fractions, so that no simdgroup skips all of them. */
      for (size_t i = 0; core->owed && i < count; i++) {
         core->owed[i] = (double)(i * 5 % 8) / 8;
      }
   }
   core->plain = !core->recorder && !core->fetch.on && !work->without && work->part == VGPU_PROFILE_NO_PART;
   core->stale = (1u << VGPU_SCHEDULERS) - 1;
   for (unsigned pipe = 0; pipe < VGPU_PORTS; pipe++) {
      core->queues[pipe] = vgpu_queue_ticks(work->params, pipe);
   }
   for (unsigned i = 0; i < VGPU_SCHEDULERS; i++) {
      core->schedulers[i].index = i;
      done &= vgpu_scheduler_init(&core->schedulers[i], (simds + VGPU_SCHEDULERS - 1) / VGPU_SCHEDULERS);
   }
   for (uint32_t i = 0; done && i < simds; i++) {
      core->simds[i].registers = core->registers + i * apart;
      if (core->saved) {
         core->simds[i].steady = &core->snapshots[i];
         core->snapshots[i].registers = core->saved + (size_t)i * launch->half_registers;
      }
   }
   for (uint32_t i = 0; done && i < groups; i++) {
      core->groups[i].simds = core->simds + i * core->simds_each;
      start(core, &core->groups[i], 0);
   }
   return done;
}

static void release(struct vgpu_core *core)
{
   for (unsigned i = 0; i < VGPU_SCHEDULERS; i++) {
      vgpu_scheduler_finish(&core->schedulers[i]);
   }
   vgpu_core_memory_finish(&core->memory);
   vgpu_code_fetch_finish(&core->fetch);
   free(core->groups);
   free(core->simds);
   free(core->registers);
   free(core->snapshots);
   free(core->saved);
   free(core->owed);
}

static bool init(struct vgpu_core *core, const struct vgpu_core_work *work)
{
   *core = (struct vgpu_core){.work = work};
   return vgpu_core_memory_init(&core->memory, work->params, work->services, work->share) &&
          vgpu_code_fetch_init(&core->fetch, work->params, work->code_bytes);
}

struct vgpu_core *vgpu_core_begin(const struct vgpu_core_work *work)
{
   struct vgpu_core *core = malloc(sizeof(*core));
   if (core && (!init(core, work) || !allocate(core))) {
      vgpu_core_end(core);
      return NULL;
   }
   return core;
}

bool vgpu_core_go_on(struct vgpu_core *core)
{
   core->memory.services = core->work->feed->kinds;
   return run(core);
}

uint64_t vgpu_core_end(struct vgpu_core *core)
{
   const uint64_t end = core ? core->end : 0;
   if (core) {
      release(core);
      free(core);
   }
   return end;
}

bool vgpu_core_simulate(const struct vgpu_core_work *work, uint64_t *ticks)
{
   struct vgpu_core core;
   struct vgpu_recorder recorder = {0};
   bool done = init(&core, work);
   if (work->recorded) {
      const uint32_t *group = work->launch->group;
      uint32_t simds = (group[0] * group[1] * group[2] + VGPU_LANES - 1) / VGPU_LANES * work->room;
      done = done && vgpu_recorder_init(&recorder, work->recorded, work->launch->code, simds);
      core.recorder = &recorder;
   }
   done = done && allocate(&core);
   if (done) {
      (void)run(&core);
   }
   *ticks = core.end;
   release(&core);
   vgpu_recorder_finish(&recorder);
   return done && !recorder.failed;
}
