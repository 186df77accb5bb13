/* SPDX-License-Identifier: MIT
 *
 * A launch: runs the preamble once, then distributes all threadgroups to host threads.
 */
#include "vgpu/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/cohort.h"
#include "vgpu/exec/exec.h"
#include "vgpu/exec/fault.h"
#include "vgpu/exec/host.h"
#include "vgpu/exec/scheduler.h"
#include "vgpu/exec/stack.h"
#include "vgpu/host_threads.h"
#include "vgpu/native.h"
#include "vgpu/postmortem.h"
#include "vgpu/spare.h"
#include "vgpu/timing/timing.h"

#define MAX_HOST_THREADS 256u
#define MAX_HALF_REGISTERS 256u
#define SHARES_EACH 16u /* least shares that a host thread takes in a launch */
#define MAX_SHARE 128u  /* cohorts */
#define MAX_WORK (INT64_MAX / 2)
#define MAX_WORK_SHARE 65536
#define MIN_STREAM (8u << 20) /* bytes: less is probably still in a cache when it is read again */

/* A launch in progress. */
struct run {
   struct vgpu_launch launch; /* uniforms: as the preamble leaves them */
   struct vgpu_shared shared;
   struct vgpu_program *program;
   const struct vgpu_block *entry;
   uint64_t groups;
   uint64_t share;             /* threadgroups that a host thread takes at a time */
   struct vgpu_timing *timing; /* NULL: off */
   uint64_t groups_ended;
   struct vgpu_standing *faulted; /* of the faults, that in the threadgroup with the lowest number; NULL: none */
   uint64_t faulted_group;
};

static void fail(struct vgpu_outcome *outcome, enum vgpu_fault fault, const char *message)
{
   if (outcome->fault == VGPU_FAULT_NONE) {
      outcome->fault = fault;
      snprintf(outcome->message, sizeof(outcome->message), "%s", message);
   }
}

static void worker_init(struct vgpu_worker *worker, struct run *run)
{
   memset(worker, 0, sizeof(*worker));
   worker->launch = &run->launch;
   worker->shared = &run->shared;
   worker->program = run->program;
   worker->budget = run->launch.budget && run->launch.budget < MAX_WORK ? (int64_t)run->launch.budget : MAX_WORK;
   worker->until_sample = INT64_MAX; /* until vgpu_samples_begin() */
   vgpu_memory_init(&worker->memory, &run->launch);
}

/* Adds a worker's results to the outcome before its program is released, and frees its descriptors; *first: the
 * threadgroup of the outcome's soft fault. */
static void collect(struct vgpu_worker *worker, struct vgpu_outcome *outcome, uint64_t *first)
{
   const struct vgpu_memory *memory = &worker->memory;
   struct vgpu_soft_faults *soft = &outcome->soft;
   outcome->instructions += worker->instructions;
   outcome->thread_instructions += worker->thread_instructions;
   if (memory->fault_loads + memory->fault_stores > 0 && memory->fault_group < *first) {
      *first = memory->fault_group;
      soft->address = memory->fault_address;
      vgpu_place_print(worker, memory->fault_op, soft->place, sizeof(soft->place));
      vgpu_miss_print(worker, memory->fault_op, memory->fault_address, soft->where, sizeof(soft->where));
   }
   if (worker->launch->compiler) {
      worker->launch->compiler->count(worker->launch->compiler, &worker->interpreted, worker->instructions);
   }
   soft->loads += memory->fault_loads;
   soft->stores += memory->fault_stores;
   soft->preamble_loads += worker->uniforms ? memory->fault_loads : 0;
   if (worker->fault != VGPU_FAULT_NONE) {
      fail(outcome, worker->fault, worker->message);
   }
   free(worker->descriptors);
   worker->descriptors = NULL;
}

/* ---- Post-mortem ---- */

/* The fault that the post-mortem is of. */
static void keep_faulted(struct run *run, struct vgpu_worker *worker)
{
   if (worker->faulted && (!run->faulted || worker->faulted_group < run->faulted_group)) {
      free(run->faulted);
      run->faulted = worker->faulted;
      run->faulted_group = worker->faulted_group;
   } else {
      free(worker->faulted);
   }
   worker->faulted = NULL;
}

/* Starts the post-mortem with the counts of the launch. */
static void begin_postmortem(const struct run *run, const struct vgpu_outcome *outcome)
{
   struct vgpu_postmortem *postmortem = run->launch.postmortem;
   if (postmortem) {
      const struct vgpu_stage *stage = run->launch.stage;
      *postmortem = (struct vgpu_postmortem){.fault = outcome->fault,
                                             .code = run->launch.code,
                                             .groups = run->groups,
                                             .groups_ended = run->groups_ended,
                                             .draw = stage ? stage->draw : VGPU_NO_DRAW,
                                             .kind = stage ? stage->kind : VGPU_STAGE_COMPUTE};
      snprintf(postmortem->stage, sizeof(postmortem->stage), "%s", stage && stage->name ? stage->name : "compute");
   }
}

/* Before the cohorts go. */
static void examine(struct run *run, const struct vgpu_outcome *outcome, struct vgpu_cohort *const *cohorts,
                    unsigned count)
{
   struct vgpu_postmortem *postmortem = run->launch.postmortem;
   if (postmortem && outcome->fault != VGPU_FAULT_NONE) {
      begin_postmortem(run, outcome);
      if (run->faulted) {
         postmortem->standing[postmortem->count++] = *run->faulted;
      } else if (outcome->fault == VGPU_FAULT_TIMEOUT) {
         run->launch.level->postmortem->take(postmortem, cohorts, count);
      }
   }
   free(run->faulted);
   run->faulted = NULL;
}

/* ---- Host threads ---- */

struct task {
   struct run *run;
   struct vgpu_worker worker;
   struct vgpu_cohort cohort;
   uint64_t groups_ended;
   struct vgpu_intern_recent paths; /* that it has recorded */
};

static void record(struct task *task, uint32_t slots)
{
   for (uint32_t slot = 0; slot < slots; slot++) {
      const struct vgpu_threadgroup *group = &task->cohort.groups[slot];
      const struct vgpu_path *paths[VGPU_GROUP_SIMDS];
      for (uint32_t i = 0; i < group->simds; i++) {
         paths[i] = group->first[i].path;
      }
      if (!vgpu_timing_record(task->run->timing, &task->paths, group->number, paths, group->simds)) {
         vgpu_raise(&task->worker, VGPU_FAULT_RESOURCES, "out of host memory for the timing model");
         return;
      }
   }
}

/* Runs threadgroups until none is left. `data`: all tasks. */
static void work(void *data, unsigned index)
{
   struct task *task = (struct task *)data + index;
   struct run *run = task->run;
   uint64_t mode = vgpu_host_enter();
   uint64_t number = 0, end = 0;
   vgpu_samples_begin(&task->worker);
   while (!task->worker.stop) {
      if (number == end) {
         number = atomic_fetch_add(&run->shared.next_group, run->share);
         number = number < run->groups ? number : run->groups;
         end = run->groups - number < run->share ? run->groups : number + run->share;
      }
      struct vgpu_simd *simds[VGPU_COHORT];
      unsigned count = 0;
      uint32_t slot = 0;
      for (; slot < task->cohort.group_capacity && number < end; slot++, number++) {
         vgpu_cohort_place(&task->cohort, slot, number, run->entry, simds, &count);
      }
      if (slot == 0) {
         break;
      }
      vgpu_run_cohort(&task->worker, simds, count);
      task->groups_ended += task->worker.stop ? 0 : slot;
      if (run->timing && !task->worker.stop) {
         record(task, slot);
      } else if (slot == task->cohort.group_capacity && !task->worker.stop) {
         const uint64_t next = vgpu_run_straight(&task->worker, task->cohort.groups, slot, simds, count, end);
         task->groups_ended += next - number;
         number = next;
      }
   }
   vgpu_samples_end(&task->worker);
   vgpu_host_leave(mode);
}

/* Returns how many host threads are useful: more than there are whole cohorts would idle. */
static unsigned useful_threads(const struct run *run, const struct vgpu_cohort *cohort)
{
   uint64_t cohorts = (run->groups + cohort->group_capacity - 1) / cohort->group_capacity;
   unsigned threads = run->launch.threads < MAX_HOST_THREADS ? run->launch.threads : MAX_HOST_THREADS;
   return cohorts < threads ? (unsigned)cohorts : threads;
}

/* Returns how many threadgroups a host thread takes at a time: several cohorts, so that streams through memory stay on
 * one thread for a while, but few enough that all threads end at about the same time. */
static uint64_t share_of(const struct run *run, const struct vgpu_cohort *cohort, unsigned threads)
{
   uint64_t cohorts = run->groups / cohort->group_capacity / threads / SHARES_EACH;
   cohorts = cohorts < 1 ? 1 : cohorts < MAX_SHARE ? cohorts : MAX_SHARE;
   return cohorts * cohort->group_capacity;
}

static bool task_init(struct task *task, struct run *run)
{
   const struct vgpu_launch *launch = &run->launch;
   uint32_t stack = vgpu_stack_limit(launch->spill_bucket, launch->scratch_words);
   task->run = run;
   task->groups_ended = 0;
   task->paths = (struct vgpu_intern_recent){.slots = {{NULL}}};
   worker_init(&task->worker, run);
   return vgpu_cohort_init(&task->cohort, &task->worker, launch->half_registers, stack, run->timing != NULL);
}

static void run_groups(struct run *run, struct vgpu_outcome *outcome)
{
   unsigned threads = run->launch.threads < MAX_HOST_THREADS ? run->launch.threads : MAX_HOST_THREADS, made = 0;
   struct task *tasks = vgpu_spare_take(run->launch.spare, threads * sizeof(*tasks));
   const size_t task_bytes = threads * sizeof(*tasks);
   if (!tasks) {
      fail(outcome, VGPU_FAULT_RESOURCES, "out of host memory for the launch");
      return;
   }
   while (made < threads && task_init(&tasks[made], run)) {
      made++;
      threads = useful_threads(run, &tasks[0].cohort);
   }
   if (made == 0) {
      fail(outcome, VGPU_FAULT_RESOURCES, "out of host memory for the launch");
   }
   if (made > 0) {
      run->share = share_of(run, &tasks[0].cohort, made);
   }
   vgpu_host_threads_run(run->launch.host, made, work, tasks);
   uint64_t first = UINT64_MAX;
   struct vgpu_cohort *cohorts[MAX_HOST_THREADS];
   for (unsigned i = 0; i < made; i++) {
      collect(&tasks[i].worker, outcome, &first);
      keep_faulted(run, &tasks[i].worker);
      run->groups_ended += tasks[i].groups_ended;
      cohorts[i] = &tasks[i].cohort;
   }
   examine(run, outcome, cohorts, made);
   for (unsigned i = 0; i < made; i++) {
      vgpu_cohort_finish(&tasks[i].cohort);
   }
   vgpu_spare_give(run->launch.spare, tasks, task_bytes);
}

/* ---- Preamble ---- */

/* One thread of one simdgroup, as a launch of its own. */
static void run_preamble(struct run *run, struct vgpu_outcome *outcome)
{
   struct run one = *run;
   one.launch.grid[0] = one.launch.grid[1] = one.launch.grid[2] = 1;
   one.launch.group[0] = one.launch.group[1] = one.launch.group[2] = 1;
   one.launch.stage = NULL;
   one.program = vgpu_kept_take(&one.launch, true, one.launch.uniforms);
   const struct vgpu_block *entry = one.program ? vgpu_program_block(one.program, one.launch.preamble) : NULL;
   struct vgpu_worker worker;
   struct vgpu_cohort cohort;
   worker_init(&worker, &one);
   worker.shared = &run->shared;
   worker.uniforms = one.launch.uniforms;
   worker.uniforms_written = one.launch.uniforms_written;
   worker.outside = &one.launch.preamble_outside;
   worker.states = &one.launch.states;
   uint32_t stack = one.launch.preamble_scratch ? vgpu_stack_limit(15, one.launch.scratch_words) : 0;
   if (!entry || !vgpu_cohort_init(&cohort, &worker, one.launch.preamble_half_registers, stack, false)) {
      fail(outcome, VGPU_FAULT_RESOURCES, "out of host memory for the preamble");
      vgpu_program_destroy(one.program);
      return;
   }
   struct vgpu_simd *simds[VGPU_COHORT];
   unsigned count = 0;
   vgpu_cohort_place(&cohort, 0, 0, entry, simds, &count);
   uint64_t mode = vgpu_host_enter();
   vgpu_samples_begin(&worker);
   vgpu_run_cohort(&worker, simds, count);
   vgpu_samples_end(&worker);
   vgpu_host_leave(mode);
   uint64_t first = UINT64_MAX;
   collect(&worker, outcome, &first);
   memcpy(run->launch.uniforms, one.launch.uniforms, sizeof(run->launch.uniforms));
   memcpy(run->launch.uniforms_written, one.launch.uniforms_written, sizeof(run->launch.uniforms_written));
   run->launch.preamble_outside = one.launch.preamble_outside;
   run->launch.states = one.launch.states;
   keep_faulted(run, &worker);
   examine(run, outcome, &(struct vgpu_cohort *){&cohort}, 1);
   vgpu_cohort_finish(&cohort);
   vgpu_kept_give(&one.launch, one.program);
}

/* ---- The whole ---- */

/* Where Linux does not report the cache, as in many virtual machines, sysconf() may add up those of all cores: 508 MiB
 * where each eight cores share 32. Then one core counts as having this at most. */
#define MOST_UNREPORTED (32u << 20)

/* Returns the part of the host's last cache that one core has; 0: not known. */
static uint64_t last_cache_bytes(void)
{
   static _Atomic uint64_t known;
   uint64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
   if (bytes) {
      return bytes - 1;
   }
   FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
   unsigned long kibibytes;
   if (file && fscanf(file, "%8luK", &kibibytes) == 1) {
      bytes = (uint64_t)kibibytes * 1024;
   } else {
      const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
      bytes = size <= 0 ? 0 : size < MOST_UNREPORTED ? (uint64_t)size : MOST_UNREPORTED;
   }
   if (file) {
      fclose(file);
   }
   atomic_store_explicit(&known, bytes + 1, memory_order_relaxed);
   return bytes;
}

/* Whether one word of each thread exceeds the host's last cache. */
static bool exceeds_caches(const struct vgpu_launch *launch)
{
   const uint64_t bytes = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] * sizeof(uint32_t);
   if (bytes <= MIN_STREAM) {
      return false;
   }
   const uint64_t cache = last_cache_bytes();
   return cache == 0 || bytes > cache;
}

/* Rounds registers as the hardware allocates them: in eights, 1..256. */
static uint16_t register_count(uint16_t asked)
{
   unsigned count = (asked + 7u) / 8 * 8;
   return (uint16_t)(count < 8 ? 8 : count < MAX_HALF_REGISTERS ? count : MAX_HALF_REGISTERS);
}

static const char *check(const struct vgpu_launch *launch)
{
   uint64_t threads = (uint64_t)launch->group[0] * launch->group[1] * launch->group[2];
   if (!launch->group[0] || !launch->group[1] || !launch->group[2] || launch->group[0] > 1024 ||
       launch->group[1] > 1024 || launch->group[2] > 1024 || threads > VGPU_COHORT * VGPU_LANES) {
      return "a threadgroup has 1 to 1024 threads";
   }
   return vgpu_timing_residency(launch).groups ? NULL : "the threadgroup's registers or memory exceed a core's";
}

/* Whether a launch is within its limit of work must not depend on the number of host threads. Each host thread takes a
 * share of the work in advance, which it may not use up; so the pool holds one more share for each thread, and one for
 * the preamble. A thread that finds no share left reports a timeout. What the launch executed is checked at its end,
 * too. A simdgroup's own budget is counted by itself. */
static void init_work(struct vgpu_shared *shared, const struct vgpu_launch *launch)
{
   int64_t work = launch->work < MAX_WORK ? (int64_t)launch->work : MAX_WORK, takers = launch->threads + 1;
   shared->share = work / 4 / takers + 1;
   shared->share = shared->share < MAX_WORK_SHARE ? shared->share : MAX_WORK_SHARE;
   atomic_init(&shared->work, work + takers * shared->share);
}

static void fail_work(const struct run *run, struct vgpu_outcome *outcome)
{
   char message[sizeof(outcome->message)];
   if (outcome->fault == VGPU_FAULT_NONE) {
      snprintf(message, sizeof(message), VGPU_WORK_MESSAGE, run->launch.work);
      fail(outcome, VGPU_FAULT_TIMEOUT, message);
      begin_postmortem(run, outcome);
   }
}

/* Rounds register counts as they are allocated, and drops a compiler that may not be used. */
static void settle(struct vgpu_launch *launch)
{
   const struct vgpu_compiler *compiler = launch->compiler;
   if (compiler && (compiler->level != launch->level || launch->checks)) {
      launch->compiler = NULL;
   }
   launch->threads = launch->threads && !launch->checks ? launch->threads : 1;
   launch->half_registers = register_count(launch->half_registers);
   launch->preamble_half_registers = register_count(launch->preamble_half_registers);
}

void vgpu_core_run_preamble(struct vgpu_launch *launch, struct vgpu_outcome *outcome)
{
   struct run run = {.launch = *launch};
   memset(outcome, 0, sizeof(*outcome));
   if (!launch->preamble) {
      return;
   }
   settle(&run.launch);
   run.shared.launch = &run.launch;
   atomic_init(&run.shared.next_group, 0);
   init_work(&run.shared, &run.launch);
   atomic_init(&run.shared.stop, false);
   run_preamble(&run, outcome);
   memcpy(launch->uniforms, run.launch.uniforms, sizeof(launch->uniforms));
   memcpy(launch->uniforms_written, run.launch.uniforms_written, sizeof(launch->uniforms_written));
   launch->states = run.launch.states;
   launch->preamble = 0;
}

/* run->launch: the launch as it was asked for; the rest is zero. */
static void run_launch(struct run *run, struct vgpu_outcome *outcome)
{
   struct vgpu_launch *launch = &run->launch;
   memset(outcome, 0, sizeof(*outcome));
   settle(launch);
   const char *wrong = check(launch);
   if (wrong) {
      fail(outcome, VGPU_FAULT_RESOURCES, wrong);
      return;
   }
   run->shared.launch = launch;
   atomic_init(&run->shared.next_group, 0);
   init_work(&run->shared, launch);
   run->shared.streams = launch->compiler && exceeds_caches(launch);
   atomic_init(&run->shared.stop, false);
   uint32_t counts[3];
   run->groups = vgpu_group_count(launch, counts);
   if (run->groups == 0) {
      return;
   }
   /* Each threadgroup executes something, so the limit cannot suffice: fail now. */
   if (run->groups > launch->work) {
      fail_work(run, outcome);
      return;
   }
   if (launch->preamble) {
      run_preamble(run, outcome);
   }
   if (outcome->fault != VGPU_FAULT_NONE) {
      return;
   }
   struct vgpu_host_threads *own = launch->host ? NULL : vgpu_host_threads_create(launch->threads);
   launch->host = launch->host ? launch->host : own;
   run->program = vgpu_kept_take(launch, false, launch->uniforms);
   run->entry = run->program ? vgpu_program_block(run->program, launch->code) : NULL;
   run->timing = launch->timing && run->entry ? vgpu_timing_create(launch, run->groups) : NULL;
   if (!run->entry || !launch->host || (launch->timing && !run->timing)) {
      fail(outcome, VGPU_FAULT_RESOURCES, "out of host memory for the launch");
   } else {
      run_groups(run, outcome);
      if (outcome->instructions > launch->work) {
         fail_work(run, outcome);
      }
      if (run->timing && outcome->fault == VGPU_FAULT_NONE && !vgpu_timing_cycles(run->timing, &outcome->cycles)) {
         fail(outcome, VGPU_FAULT_RESOURCES, "out of host memory for the timing model");
      }
      outcome->without_caches = run->timing && vgpu_timing_without_caches(run->timing);
   }
   vgpu_timing_destroy(run->timing);
   vgpu_kept_give(launch, run->program);
   vgpu_host_threads_destroy(own);
}

void vgpu_core_run(const struct vgpu_launch *launch, struct vgpu_outcome *outcome)
{
   struct run run = {.launch = *launch};
   run_launch(&run, outcome);
}

void vgpu_core_run_stage(const struct vgpu_launch *launch, struct vgpu_stage *stage, uint32_t threads,
                         struct vgpu_postmortem *postmortem, struct vgpu_outcome *outcome)
{
   struct run run = {.launch = *launch};
   run.launch.stage = stage;
   run.launch.postmortem = postmortem;
   run.launch.grid[0] = run.launch.group[0] = threads;
   run.launch.grid[1] = run.launch.grid[2] = run.launch.group[1] = run.launch.group[2] = 1;
   run_launch(&run, outcome);
}
