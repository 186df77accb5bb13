/* SPDX-License-Identifier: MIT
 *
 * Queues, the jobs that SUBMIT puts into them, and the thread that runs them.
 */
#ifndef VGPU_QUEUE_H
#define VGPU_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/gem.h"
#include "vgpu/driver/sync.h"
#include "vgpu/driver/vm.h"
#include "vgpu/record/record.h"

struct vgpu_device;
struct vgpu_file;

/* Part of a buffer that timestamps can be written to: spec/uapi.md 1.10. */
struct vgpu_object {
   struct vgpu_device *device;
   unsigned refs; /* its handle, and the jobs that write to it */
   struct vgpu_bo *bo;
   uint64_t offset, range;
};

struct vgpu_stamp {
   struct vgpu_object *object; /* NULL: not wanted */
   uint32_t offset;            /* into the object's range */
};

struct vgpu_command {
   bool is_render;
   uint16_t barriers[2]; /* the barriers of the command's header; all commands run in order, so they always hold */
   struct drm_asahi_cmd_compute compute;
   struct drm_asahi_cmd_render render;
   struct vgpu_stamp start, end;                   /* of a render command: of its vertices */
   struct vgpu_stamp fragment_start, fragment_end; /* of render commands */
};

/* One SUBMIT. */
struct vgpu_job {
   struct vgpu_job *next; /* of its queue */
   struct vgpu_queue *queue;
   uint64_t serial;
   uint64_t synced; /* the device's when it was submitted */
   struct vgpu_fence *done;
   struct vgpu_fence **waits; /* before it starts */
   size_t wait_count;
   struct vgpu_command *commands;
   size_t command_count;
};

struct vgpu_queue {
   struct vgpu_device *device;
   struct vgpu_queue *next; /* of the device's */
   unsigned refs;           /* its file's, its jobs' */
   struct vgpu_file *file;
   struct vgpu_vm *vm;
   uint32_t priority;
   uint64_t usc_base;
   uint64_t context, seqno; /* of its fences */
   struct vgpu_job *first, *last;
};

/* Takes a reference of its own to the buffer. -ENOSPC: the window is full; -ENOMEM. */
int vgpu_object_create(struct vgpu_device *device, struct vgpu_bo *bo, uint64_t offset, uint64_t range,
                       struct vgpu_object **out);
struct vgpu_object *vgpu_object_ref(struct vgpu_object *object);
void vgpu_object_unref(struct vgpu_object *object); /* NULL is fine */

struct vgpu_queue *vgpu_queue_create(struct vgpu_file *file, struct vgpu_vm *vm); /* NULL: out of memory */
void vgpu_queue_unref(struct vgpu_queue *queue);

/* An empty job for that queue with its fence; NULL: out of memory. */
struct vgpu_job *vgpu_job_create(struct vgpu_queue *queue);
void vgpu_job_destroy(struct vgpu_job *job); /* NULL is fine */
/* Hands it to the worker. */
void vgpu_job_push(struct vgpu_job *job);
/* Ends what the file has submitted: queued jobs with ECANCELED, the running one soon. Returns when none is left. */
void vgpu_file_cancel_jobs(struct vgpu_file *file);
/* The same, but the job that runs is not waited for. */
void vgpu_file_abandon_jobs(struct vgpu_file *file);

/* A job that is being saved. */
struct vgpu_saving {
   struct vgpu_record *record; /* NULL: it is not */
   struct vgpu_record_job job;
   char info[64];
};

/* Option record=: saves the job and its memory, right before it runs; and what it changed, when it has ended with that
 * error. (save_job.c) */
void vgpu_job_save(struct vgpu_device *device, const struct vgpu_job *job, struct vgpu_saving *saving);
void vgpu_job_saved(const struct vgpu_device *device, const struct vgpu_job *job, struct vgpu_saving *saving,
                    int error);

struct vgpu_command_result;
/* Runs one of the job's commands. Called and returns with the device's lock held, and runs without it. (run_command.c)
 */
void vgpu_run_command(struct vgpu_device *device, const struct vgpu_job *job, size_t index,
                      struct vgpu_command_result *result);

/* The device's thread; runs until device->stop. `argument` is the device. */
void *vgpu_worker(void *argument);

#endif
