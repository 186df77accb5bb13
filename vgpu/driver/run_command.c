/* SPDX-License-Identifier: MIT
 *
 * Runs one command of a job, between its timestamps. Invariant: a command that faults writes no end timestamp, as the
 * firmware tears it down before.
 */
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "vgpu/command/cdm.h"
#include "vgpu/command/order.h"
#include "vgpu/command/run_stream.h"
#include "vgpu/driver/device.h"
#include "vgpu/driver/job_time.h"
#include "vgpu/driver/queue.h"
#include "vgpu/exec/checks/log.h"
#include "vgpu/render/render.h"
#include "vgpu/timing/command/command.h"
#include "vgpu/timing/timing.h"

static void write_stamp(const struct vgpu_stamp *stamp, uint64_t ns)
{
   if (stamp->object) {
      memcpy(stamp->object->bo->host + stamp->object->offset + stamp->offset, &ns, sizeof(ns));
   }
}

/* The settings of launches, from the device and its options. */
static struct vgpu_launch launch_of(struct vgpu_device *device, const struct vgpu_queue *queue)
{
   return (struct vgpu_launch){
       .chip = device->chip,
       .params = &device->options.params,
       .caches = device->caches,
       .space = queue->vm->serial,
       .pages = &queue->vm->pages,
       .soft_faults = !device->options.strict,
       .strict = device->options.strict,
       .timing = device->options.timing,
       .threads = device->options.fixed_order ? 1 : device->options.threads,
       .host = device->host,
       .budget = device->options.budget,
       .work = device->options.work,
       .usc_base = queue->usc_base,
       .level = device->level,
       .compiler = device->compiler,
       .cancel = &device->cancel,
       .checks = device->options.checks,
       .log = &device->running_checks,
       .postmortem = &device->running_postmortem,
       .races = &device->races,
       .uses = device->uses,
       .kept = device->kept,
       .spare = device->spare,
       .plant = device->options.plant.count ? &device->options.plant : NULL,
       .collection = device->collection,
   };
}

/* Moves what was observed of a command to the device. The lock is held. */
static void keep_observed(struct vgpu_device *device, const struct vgpu_profile *profile,
                          const struct vgpu_trace *trace)
{
   if (profile->sum.launches > 0) {
      vgpu_profile_finish(&device->profile);
      device->profile = *profile;
   }
   if (trace) {
      vgpu_trace_finish(&device->trace);
      device->trace = *trace;
   }
   vgpu_check_log_move(&device->checks, &device->running_checks);
}

static void execute(struct vgpu_device *device, const struct vgpu_command *command, struct vgpu_cdm *cdm,
                    struct vgpu_command_result *result)
{
   vgpu_cdm_start(cdm, &command->compute);
   vgpu_command_begin(&result->time, vgpu_job_time_costs(device));
   vgpu_run_stream(
       &(struct vgpu_stream_device){&device->programs, &device->lock, &device->waiting, device->options.profiled}, cdm,
       result);
   vgpu_command_end(&result->time);
}

static void run_compute(struct vgpu_device *device, const struct vgpu_job *job, size_t index,
                        struct vgpu_command_result *result)
{
   const struct vgpu_command *command = &job->commands[index];
   struct vgpu_vm *vm = job->queue->vm;
   struct vgpu_cdm cdm = {.launch = launch_of(device, job->queue)};
   struct vgpu_profile profile = {.plan = device->profile_plan};
   struct vgpu_trace trace = {0};
   cdm.launch.profile = device->options.profile ? &profile : NULL;
   cdm.launch.trace = device->options.trace && device->options.checks ? &trace : NULL;
   struct vgpu_range *buffers = vgpu_ranges_copy(&vm->buffers, &cdm.launch.range_count);
   struct vgpu_range *threadgroups = vgpu_ranges_copy(&vm->threadgroups, &cdm.launch.threadgroup_count);
   cdm.launch.ranges = buffers;
   cdm.launch.threadgroups = threadgroups;
   if (device->caches) {
      vgpu_vm_update_caches(vm, device->caches);
   }
   uint64_t start = vgpu_job_time_start(device, index);
   const bool is_load = device->repeats && device->options.timing;
   const bool repeats = is_load && device->executed >= VGPU_LOAD_EXECUTED;
   if (repeats) {
      *result = device->repeated;
   }
   pthread_mutex_unlock(&device->lock);

   uint64_t host_start = util_clock_ns();
   uint64_t start_stamp = vgpu_job_time_stamp(device, start + vgpu_clock_delay(&device->clock));
   write_stamp(&command->start, start_stamp);
   if (!repeats) {
      execute(device, command, &cdm, result);
   }
   free(buffers);
   free(threadgroups);
   /* With the model off, time is what the emulation took; the client is told that timing is off. */
   uint64_t duration =
       device->options.timing ? vgpu_job_time_duration(device, &result->time) : util_clock_ns() - host_start;
   uint64_t end_stamp = vgpu_job_time_stamp(device, start + duration + vgpu_clock_delay(&device->clock));
   end_stamp = end_stamp < start_stamp ? start_stamp : end_stamp;
   /* A faulted command is torn down by the firmware before it gets to its end timestamp. */
   if (result->fault == VGPU_FAULT_NONE) {
      write_stamp(&command->end, end_stamp);
   }

   pthread_mutex_lock(&device->lock);
   vgpu_device_clock_reach(device, end_stamp);
   if (is_load && !repeats && result->fault == VGPU_FAULT_NONE) {
      device->repeated = *result;
      device->executed++;
   }
   keep_observed(device, &profile, cdm.launch.trace);
}

/* How long rendering takes is not modelled: the stamps of a modelled device are those of the start, of others what the
 * emulation took. */
static void run_render(struct vgpu_device *device, const struct vgpu_job *job, size_t index,
                       struct vgpu_command_result *result)
{
   const struct vgpu_command *command = &job->commands[index];
   struct vgpu_launch launch = launch_of(device, job->queue);
   const uint64_t start = vgpu_job_time_start(device, index);
   pthread_mutex_unlock(&device->lock);
   const uint64_t host_start = util_clock_ns();
   const uint64_t start_stamp = vgpu_job_time_stamp(device, start + vgpu_clock_delay(&device->clock));
   write_stamp(&command->start, start_stamp);
   vgpu_render_run(&(struct vgpu_stream_device){.programs = &device->programs, .lock = &device->lock}, &launch,
                   &command->render, result);
   const uint64_t duration = device->options.timing ? 0 : util_clock_ns() - host_start;
   uint64_t end_stamp = vgpu_job_time_stamp(device, start + duration + vgpu_clock_delay(&device->clock));
   end_stamp = end_stamp < start_stamp ? start_stamp : end_stamp;
   if (result->fault == VGPU_FAULT_NONE) {
      write_stamp(&command->end, end_stamp);
      write_stamp(&command->fragment_start, end_stamp);
      write_stamp(&command->fragment_end, end_stamp);
   }
   pthread_mutex_lock(&device->lock);
   vgpu_device_clock_reach(device, end_stamp);
   vgpu_check_log_move(&device->checks, &device->running_checks);
}

void vgpu_run_command(struct vgpu_device *device, const struct vgpu_job *job, size_t index,
                      struct vgpu_command_result *result)
{
   const struct vgpu_command *command = &job->commands[index];
   uint16_t barriers[2];
   for (unsigned i = 0; i < 2; i++) {
      barriers[i] = (uint16_t)vgpu_planted(&device->options.plant, "barriers", command->barriers[i]);
   }
   device->uses = device->order ? vgpu_order_begin(device->order, command->is_render, barriers) : NULL;
   (command->is_render ? run_render : run_compute)(device, job, index, result);
   if (device->uses) {
      vgpu_order_check(device->order, device->level, &device->checks);
   }
}
