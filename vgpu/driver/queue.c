/* SPDX-License-Identifier: MIT
 *
 * Queues and the worker thread.
 *
 * Jobs run one at a time, and a job's commands one after the other, each to its end. That is one of the orders that the
 * uAPI allows: a barrier can only name a command that came before it (spec/uapi.md 3.4), so all barriers hold. A
 * job waits for its in-fences at the head of its queue and so holds back the ones behind it, as in the DRM
 * scheduler. Among jobs that could start, the higher priority goes first, then the earlier submit.
 */
#include "vgpu/driver/queue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/command/order.h"
#include "vgpu/command/run_stream.h"
#include "vgpu/driver/device.h"
#include "vgpu/driver/job_time.h"
#include "vgpu/refuse.h"
#include "vgpu/timing/command/command.h"
#include "vgpu/exec/exec.h"

/* The window that the firmware sees timestamp buffers through: spec/uapi.md 1.10. */
#define OBJECT_WINDOW (UINT64_C(64) << 20)

/* How a fault is called, and the error that the fence carries: spec/uapi.md 3.10. */
static const struct {
   const char *name;
   int error;
} faults[] = {
    [VGPU_FAULT_NONE] = {"no fault", 0},
    [VGPU_FAULT_MEMORY] = {"MMU fault", -EIO},
    [VGPU_FAULT_STREAM] = {"bad command", -EIO},
    [VGPU_FAULT_INSTRUCTION] = {"bad instruction", -EIO},
    [VGPU_FAULT_SCRATCH] = {"scratch fault", -EIO},
    [VGPU_FAULT_RESOURCES] = {"out of core resources", -EIO},
    [VGPU_FAULT_TIMEOUT] = {"timeout", -ETIMEDOUT},
};

int vgpu_object_create(struct vgpu_device *device, struct vgpu_bo *bo, uint64_t offset, uint64_t range,
                       struct vgpu_object **out)
{
   if (vgpu_refuse(!range) || vgpu_refuse(range > OBJECT_WINDOW - device->object_bytes)) {
      return -ENOSPC;
   }
   struct vgpu_object *object = calloc(1, sizeof(*object));
   if (!object) {
      return -ENOMEM;
   }
   *object = (struct vgpu_object){.device = device, .refs = 1, .bo = vgpu_bo_ref(bo), .offset = offset, .range = range};
   device->object_bytes += range;
   *out = object;
   return 0;
}

struct vgpu_object *vgpu_object_ref(struct vgpu_object *object)
{
   object->refs++;
   return object;
}

void vgpu_object_unref(struct vgpu_object *object)
{
   if (object && --object->refs == 0) {
      object->device->object_bytes -= object->range;
      vgpu_bo_unref(object->bo);
      free(object);
   }
}

struct vgpu_queue *vgpu_queue_create(struct vgpu_file *file, struct vgpu_vm *vm)
{
   struct vgpu_device *device = file->device;
   struct vgpu_queue *queue = calloc(1, sizeof(*queue));
   if (queue) {
      queue->device = device;
      queue->refs = 1;
      queue->file = file;
      queue->vm = vgpu_vm_ref(vm);
      queue->context = vgpu_device_serial(device);
      queue->next = device->queues;
      device->queues = queue;
   }
   return queue;
}

void vgpu_queue_unref(struct vgpu_queue *queue)
{
   if (--queue->refs) {
      return;
   }
   struct vgpu_queue **link = &queue->device->queues;
   while (*link != queue) {
      link = &(*link)->next;
   }
   *link = queue->next;
   vgpu_vm_unref(queue->vm);
   free(queue);
}

struct vgpu_job *vgpu_job_create(struct vgpu_queue *queue)
{
   struct vgpu_job *job = calloc(1, sizeof(*job));
   struct vgpu_fence *done = vgpu_fence_create(queue->context, ++queue->seqno);
   if (!job || !done) {
      free(job);
      vgpu_fence_unref(done);
      return NULL;
   }
   job->queue = queue;
   queue->refs++;
   job->done = done;
   return job;
}

void vgpu_job_destroy(struct vgpu_job *job)
{
   if (!job) {
      return;
   }
   for (size_t i = 0; i < job->wait_count; i++) {
      vgpu_fence_unref(job->waits[i]);
   }
   for (size_t i = 0; i < job->command_count; i++) {
      vgpu_object_unref(job->commands[i].start.object);
      vgpu_object_unref(job->commands[i].end.object);
      vgpu_object_unref(job->commands[i].fragment_start.object);
      vgpu_object_unref(job->commands[i].fragment_end.object);
   }
   free(job->waits);
   free(job->commands);
   vgpu_fence_unref(job->done);
   vgpu_queue_unref(job->queue);
   free(job);
}

void vgpu_job_push(struct vgpu_job *job)
{
   struct vgpu_queue *queue = job->queue;
   job->serial = vgpu_device_serial(queue->device);
   job->synced = queue->device->synced;
   if (queue->last) {
      queue->last->next = job;
   } else {
      queue->first = job;
   }
   queue->last = job;
   pthread_cond_broadcast(&queue->device->changed);
}

static void pop(struct vgpu_queue *queue)
{
   queue->first = queue->first->next;
   if (!queue->first) {
      queue->last = NULL;
   }
}

static void finish_job(struct vgpu_device *device, struct vgpu_job *job, int error)
{
   vgpu_fence_signal(job->done, error);
   vgpu_job_destroy(job);
   pthread_cond_broadcast(&device->changed);
}

/* The file's jobs that do not run yet. */
static void drop_jobs(struct vgpu_file *file)
{
   struct vgpu_device *device = file->device;
   for (struct vgpu_queue *queue = device->queues, *next; queue; queue = next) {
      next = queue->next; /* the last job may take its queue along */
      if (queue->file != file) {
         continue;
      }
      while (queue->first) {
         struct vgpu_job *job = queue->first;
         bool last = !job->next;
         pop(queue);
         finish_job(device, job, -ECANCELED);
         if (last) {
            break;
         }
      }
   }
}

/* Whether one of the file's jobs runs, which is then told to end. */
static bool cancel_running(struct vgpu_file *file)
{
   struct vgpu_device *device = file->device;
   if (!device->running || device->running->queue->file != file) {
      return false;
   }
   atomic_store(&device->cancel, true);
   pthread_cond_broadcast(&device->changed); /* inject=hang sleeps */
   return true;
}

void vgpu_file_abandon_jobs(struct vgpu_file *file)
{
   drop_jobs(file);
   (void)cancel_running(file);
}

void vgpu_file_cancel_jobs(struct vgpu_file *file)
{
   struct vgpu_device *device = file->device;
   drop_jobs(file);
   while (cancel_running(file)) {
      pthread_cond_wait(&device->changed, &device->lock);
   }
}

static void count(struct vgpu_device *device, const struct vgpu_job *job, size_t index,
                  const struct vgpu_command_result *result)
{
   struct vgpu_counters *counters = &device->counters;
   counters->jobs++;
   counters->cycles += result->cycles;
   counters->without_caches += result->without_caches;
   counters->instructions += result->instructions;
   counters->thread_instructions += result->thread_instructions;
   vgpu_soft_faults_add(&device->soft, &result->soft);
   counters->resource_faults += result->fault == VGPU_FAULT_RESOURCES;
   if (result->fault != VGPU_FAULT_NONE) {
      device->faults++;
      device->postmortem = device->running_postmortem;
      device->postmortem.job = job->serial;
      device->postmortem.command = (uint32_t)index;
      snprintf(device->fault, sizeof(device->fault), "%s: %.370s", faults[result->fault].name, result->message);
      snprintf(counters->last_fault, sizeof(counters->last_fault), "job %" PRIu64 ", command %zu: %.400s", job->serial,
               index, device->fault);
   }
}

/* Returns the error that inject= sets on this job's fence; 0: none. */
static int injected(struct vgpu_device *device, const struct vgpu_job *job)
{
   static const struct {
      int error;
      const char *what;
   } endings[VGPU_INJECT_KINDS] = {
       [VGPU_INJECT_TIMEOUT] = {-ETIMEDOUT, "timeout"},
       [VGPU_INJECT_FAULT] = {-EIO, "MMU fault"},
       [VGPU_INJECT_FIRMWARE_DEATH] = {-ENODEV, "the firmware died"},
       [VGPU_INJECT_RECOVERY] = {-ECANCELED, "killed while the GPU recovered from another client's fault"},
       [VGPU_INJECT_HANG] = {-ECANCELED, "hang, ended by close"},
   };
   enum vgpu_inject_kind kind = device->dead ? VGPU_INJECT_FIRMWARE_DEATH : vgpu_inject_job(&device->options.inject);
   if (kind == VGPU_INJECT_NONE) {
      return 0;
   }
   device->counters.jobs++;
   device->dead |= kind == VGPU_INJECT_FIRMWARE_DEATH;
   device->faults++;
   device->postmortem.fault = VGPU_FAULT_NONE;
   snprintf(device->fault, sizeof(device->fault), "%s (injected)", endings[kind].what);
   snprintf(device->counters.last_fault, sizeof(device->counters.last_fault), "job %" PRIu64 ": %.400s", job->serial,
            device->fault);
   device->counters.stuck = kind == VGPU_INJECT_HANG;
   while (kind == VGPU_INJECT_HANG && !atomic_load(&device->cancel)) {
      pthread_cond_wait(&device->changed, &device->lock);
   }
   device->counters.stuck = 0;
   return endings[kind].error;
}

/* The first command that fails ends the job. */
static int run_commands(struct vgpu_device *device, const struct vgpu_job *job)
{
   for (size_t i = 0; i < job->command_count; i++) {
      struct vgpu_command_result result = {.fault = VGPU_FAULT_NONE};
      device->running_postmortem.fault = VGPU_FAULT_NONE;
      vgpu_run_command(device, job, i, &result);
      count(device, job, i, &result);
      if (result.fault != VGPU_FAULT_NONE) {
         return atomic_load(&device->cancel) ? -ECANCELED : faults[result.fault].error;
      }
   }
   return 0;
}

/* The error for the job's fence. */
static int run_job(struct vgpu_device *device, const struct vgpu_job *job)
{
   int error = injected(device, job);
   if (error) {
      return error;
   }
   vgpu_job_time_begin(device);
   if (device->options.checks & VGPU_CHECK_HAZARDS && !device->order) {
      device->order = calloc(1, sizeof(*device->order));
   }
   if (device->order) {
      vgpu_order_submission(device->order, job->queue->context, job->synced, job->wait_count, job->command_count);
   }
   return run_commands(device, job);
}

static bool ready(const struct vgpu_job *job)
{
   for (size_t i = 0; i < job->wait_count; i++) {
      if (!vgpu_fence_signaled(job->waits[i])) {
         return false;
      }
   }
   return true;
}

static struct vgpu_job *pick(const struct vgpu_device *device)
{
   struct vgpu_job *best = NULL;
   for (const struct vgpu_queue *queue = device->queues; queue; queue = queue->next) {
      struct vgpu_job *job = queue->first;
      if (!job || !ready(job)) {
         continue;
      }
      if (!best || queue->priority > best->queue->priority ||
          (queue->priority == best->queue->priority && job->serial < best->serial)) {
         best = job;
      }
   }
   return best;
}

void *vgpu_worker(void *argument)
{
   struct vgpu_device *device = argument;
   pthread_mutex_lock(&device->lock);
   while (!device->stop) {
      struct vgpu_job *job = pick(device);
      if (!job) {
         pthread_cond_wait(&device->changed, &device->lock);
         continue;
      }
      pop(job->queue);
      device->running = job;
      vgpu_heap_set_busy(&device->heap, true);
      struct vgpu_saving saving;
      vgpu_job_save(device, job, &saving);
      int error = run_job(device, job);
      vgpu_job_saved(device, job, &saving, error);
      device->lost |= device->options.lost && error && error != -ECANCELED;
      if (device->job_ended) {
         device->job_ended(device);
      }
      vgpu_job_time_end(device);
      vgpu_heap_set_busy(&device->heap, false);
      device->running = NULL;
      atomic_store(&device->cancel, false);
      finish_job(device, job, error);
   }
   pthread_mutex_unlock(&device->lock);
   return NULL;
}
