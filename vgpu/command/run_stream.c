/* SPDX-License-Identifier: MIT
 *
 * See run_stream.h. Launches are collected until a barrier that orders them, the stream's end or a fault has been
 * read, or there is no more room; then all of them run. Invariant: result and counters are those of running them one
 * after the other, unless they race.
 */
#include "vgpu/collect/collect.h"
#include "vgpu/command/run_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/command/cdm.h"
#include "vgpu/command/programs.h"
#include "vgpu/host_threads.h"
#include "vgpu/postmortem.h"
#include "vgpu/profile.h"
#include "vgpu/timing/timing.h"
#include "vgpu/exec/exec.h"

/* cost of a launch to the host besides its instructions, in instructions; likewise in blocks of the stream */
#define LAUNCH_COST 256u
/* Hardware runs 64 to 100 at a time (docs/spec/launch.md). */
#define MOST_WAITING 64u

struct waiting_launch {
   struct vgpu_launch launch;
   struct vgpu_outcome outcome;
   struct vgpu_postmortem postmortem;
};

struct vgpu_waiting {
   unsigned count;
   atomic_uint first_fault; /* the lowest index of those that faulted; MOST_WAITING: none has */
   struct waiting_launch launches[MOST_WAITING];
};

/* A stream in progress. */
struct stream {
   const struct vgpu_stream_device *device;
   struct vgpu_cdm *cdm;
   struct vgpu_command_result *result;
   unsigned launches; /* that have ended */
   uint64_t blocks;   /* that may still be read */
};

/* Subtracts `cost` from what is left of a limit, but leaves enough to detect that it is exhausted. */
static void spend(uint64_t *left, uint64_t cost)
{
   *left -= cost < *left ? cost : *left - 1;
}

/* Adds the outcome of the next launch in the stream's order. Returns false if it ends the stream. */
static bool add_outcome(struct stream *stream, const struct vgpu_launch *launch, const struct vgpu_outcome *outcome)
{
   struct vgpu_command_result *result = stream->result;
   const struct vgpu_stream_device *device = stream->device;
   if (launch->profile) {
      launch->profile->sum.instructions = outcome->instructions;
      launch->profile->sum.thread_instructions = outcome->thread_instructions;
   }
   result->cycles += outcome->cycles;
   result->without_caches += outcome->without_caches;
   result->instructions += outcome->instructions;
   result->thread_instructions += outcome->thread_instructions;
   vgpu_soft_faults_add(&result->soft, &outcome->soft);
   pthread_mutex_lock(device->lock);
   vgpu_programs_add(device->programs, launch, outcome);
   pthread_mutex_unlock(device->lock);
   if (launch->collection) {
      vgpu_collect(launch->collection, launch, COLLECTED_COMPUTE, outcome);
   }
   vgpu_command_launch(&result->time, outcome->cycles, vgpu_timing_share(launch));
   if (outcome->fault != VGPU_FAULT_NONE) {
      const char *hint = outcome->fault == VGPU_FAULT_SCRATCH ? stream->cdm->no_scratch : "";
      result->fault = outcome->fault;
      if (launch->postmortem && launch->postmortem != stream->cdm->launch.postmortem) {
         *stream->cdm->launch.postmortem = *launch->postmortem;
      }
      snprintf(result->message, sizeof(result->message), "launch %u: %.300s%s%.60s", stream->launches, outcome->message,
               *hint ? "; " : "", hint);
      return false;
   }
   stream->launches++;
   spend(&stream->cdm->launch.work, outcome->instructions);
   return true;
}

/* ---- Launches that wait ---- */

/* Whether launches may run side by side at all. */
static bool may_overlap(const struct vgpu_launch *launch)
{
   return launch->host && !launch->timing && !launch->checks && !launch->profile && launch->threads > 1;
}

/* Returns the device's array of collected launches, emptied; NULL: they cannot overlap, or memory ran out. */
static struct vgpu_waiting *begin_waiting(const struct vgpu_stream_device *device, const struct vgpu_launch *launch)
{
   if (!may_overlap(launch)) {
      return NULL;
   }
   if (!*device->waiting) {
      *device->waiting = malloc(sizeof(struct vgpu_waiting));
   }
   struct vgpu_waiting *waiting = *device->waiting;
   if (waiting) {
      waiting->count = 0;
   }
   return waiting;
}

static void add_waiting(struct vgpu_waiting *waiting, const struct vgpu_launch *launch)
{
   struct waiting_launch *added = &waiting->launches[waiting->count++];
   added->launch = *launch;
   memset(&added->outcome, 0, sizeof(added->outcome));
   added->postmortem.fault = VGPU_FAULT_NONE;
   added->launch.postmortem = launch->postmortem ? &added->postmortem : NULL;
}

/* `data`: the launches. */
static void run_one(void *data, unsigned index)
{
   struct vgpu_waiting *waiting = data;
   struct waiting_launch *one = &waiting->launches[index];
   unsigned first = atomic_load(&waiting->first_fault);
   if (index > first) {
      return; /* its outcome is not needed */
   }
   vgpu_core_run(&one->launch, &one->outcome);
   while (one->outcome.fault != VGPU_FAULT_NONE && index < first &&
          !atomic_compare_exchange_weak(&waiting->first_fault, &first, index)) {
   }
}

/* A launch has the work that was left when it was read; earlier ones, which had not run then, have used `spent`
 * since. */
static void charge(struct waiting_launch *one, uint64_t spent)
{
   struct vgpu_outcome *outcome = &one->outcome;
   const uint64_t work = spent < one->launch.work ? one->launch.work - spent : 0;
   if (outcome->fault == VGPU_FAULT_NONE && outcome->instructions > work) {
      outcome->fault = VGPU_FAULT_TIMEOUT;
      snprintf(outcome->message, sizeof(outcome->message), VGPU_WORK_MESSAGE, work);
   }
}

/* Runs all collected launches. Returns false if one of them ended the stream. */
static bool run_waiting(struct stream *stream, struct vgpu_waiting *waiting)
{
   const unsigned count = waiting ? waiting->count : 0;
   if (count == 0) {
      return true;
   }
   atomic_init(&waiting->first_fault, MOST_WAITING);
   vgpu_host_threads_run(stream->cdm->launch.host, count, run_one, waiting);
   waiting->count = 0;
   uint64_t spent = 0;
   for (unsigned i = 0; i < count; i++) {
      struct waiting_launch *one = &waiting->launches[i];
      charge(one, spent);
      if (!add_outcome(stream, &one->launch, &one->outcome)) {
         return false;
      }
      spent += one->outcome.instructions;
   }
   return true;
}

/* ---- The whole ---- */

/* Runs the launch that was read, or collects it. Returns false if it ended the stream. */
static bool launch_now_or_later(struct stream *stream, struct vgpu_waiting *waiting)
{
   struct vgpu_launch *launch = &stream->cdm->launch;
   spend(&stream->blocks, LAUNCH_COST);
   if (waiting) {
      add_waiting(waiting, launch);
      spend(&launch->work, LAUNCH_COST);
      return waiting->count < MOST_WAITING || run_waiting(stream, waiting);
   }
   struct vgpu_outcome outcome = {0};
   struct vgpu_profile *profile = launch->profile;
   const uint64_t profiled = stream->device->profiled;
   launch->profile = profiled == UINT64_MAX || profiled == stream->device->programs->ended ? profile : NULL;
   vgpu_core_run(launch, &outcome);
   const bool goes_on = add_outcome(stream, launch, &outcome);
   launch->profile = profile;
   if (goes_on) {
      spend(&launch->work, LAUNCH_COST);
   }
   return goes_on;
}

/* An endless stream ends when it has read as many blocks as a simdgroup may execute instructions, in about the time of
 * an endless program. */
void vgpu_run_stream(const struct vgpu_stream_device *device, struct vgpu_cdm *cdm, struct vgpu_command_result *result)
{
   struct vgpu_launch *launch = &cdm->launch;
   const uint64_t blocks = launch->budget && launch->budget < launch->work ? launch->budget : launch->work;
   struct stream stream = {.device = device, .cdm = cdm, .result = result, .blocks = blocks};
   struct vgpu_waiting *waiting = begin_waiting(device, launch);
   for (; stream.blocks && launch->work && !atomic_load(launch->cancel); stream.blocks--, launch->work--) {
      const enum vgpu_cdm_step step = vgpu_cdm_next(cdm);
      const bool orders = step == VGPU_CDM_BARRIER && vgpu_cdm_barrier_orders(cdm->barrier);
      if (step == VGPU_CDM_BARRIER) {
         vgpu_command_barrier(&result->time, cdm->barrier);
      }
      if ((step == VGPU_CDM_LAUNCH && !launch_now_or_later(&stream, waiting)) ||
          ((orders || step == VGPU_CDM_END || step == VGPU_CDM_FAULT) && !run_waiting(&stream, waiting)) ||
          step == VGPU_CDM_END) {
         return;
      }
      if (step == VGPU_CDM_FAULT) {
         result->fault = cdm->fault;
         snprintf(result->message, sizeof(result->message), "%s", cdm->message);
         return;
      }
   }
   if (run_waiting(&stream, waiting)) {
      result->fault = VGPU_FAULT_TIMEOUT;
      snprintf(result->message, sizeof(result->message), "CDM stream still running at 0x%" PRIx64, cdm->va);
   }
}
