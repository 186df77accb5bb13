/* SPDX-License-Identifier: MIT
 *
 * SUBMIT of a real device, saved as drm/uapi/saved_job.h describes. The job's fences are waited for first, then its
 * memory is saved, then it runs, with one more fence that this library waits for. Invariant: the client's submit is
 * made exactly once, whether the job can be saved or not.
 */
#include <drm.h>
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/user.h"
#include "vgpu/record/record.h"
#include "vgpu/recorder/requests.h"
#include "vgpu/shim/next.h"
#include "util/array.h"

#define MOST_SYNCS 4096u
#define MOST_BYTES (1u << 20) /* of a submit's commands */

/* A submit on its way. */
struct submit {
   struct recorder_client *client;
   int fd;
   struct drm_asahi_submit args;
   const struct recorder_queue *queue;
   struct drm_asahi_sync *syncs; /* the client's, with room for one more */
   uint8_t *commands;
   struct vgpu_record_job job;
   const char *why; /* what keeps the job from being saved */
};

static unsigned serial;          /* of jobs, for their names */
static struct vgpu_pages *pages; /* of all saved jobs; closed by the end of the process */

/* Copies what the client points to. False: the device will refuse it. */
static bool read_arguments(struct submit *submit, const void *argument)
{
   struct drm_asahi_submit *args = &submit->args;
   int fd;
   if (vgpu_user_open(&fd)) {
      return false;
   }
   bool good = !vgpu_user_read(fd, args, (uintptr_t)argument, sizeof(*args)) && args->in_sync_count < MOST_SYNCS &&
               args->out_sync_count < MOST_SYNCS && args->cmdbuf_size <= MOST_BYTES;
   if (good) {
      const size_t count = (size_t)args->in_sync_count + args->out_sync_count;
      submit->syncs = calloc(count + 1, sizeof(*submit->syncs));
      submit->commands = malloc(args->cmdbuf_size + 1);
      good = submit->syncs && submit->commands &&
             !vgpu_user_read(fd, submit->syncs, args->syncs, count * sizeof(*submit->syncs)) &&
             !vgpu_user_read(fd, submit->commands, args->cmdbuf, args->cmdbuf_size);
   }
   NEXT(close)(fd);
   return good;
}

static bool refuse(struct submit *submit, const char *why)
{
   submit->why = why;
   return false;
}

static bool add_buffer(struct submit *submit, struct recorder_buffer *buffer)
{
   struct vgpu_record_job *job = &submit->job;
   if (buffer->index < job->buffer_count && job->buffers[buffer->index].host == buffer->bytes) {
      return true;
   }
   if (!buffer->bytes) {
      return refuse(submit, "a buffer cannot be mapped");
   }
   if (!ARRAY_RESERVE_ONE(job->buffers, job->buffer_count)) {
      return refuse(submit, "out of memory");
   }
   buffer->index = (uint32_t)job->buffer_count;
   job->buffers[job->buffer_count++] =
       (struct vgpu_record_buffer){.host = buffer->bytes, .fd = -1, .size = buffer->size};
   return true;
}

static bool add_mappings(struct submit *submit)
{
   const struct recorder_vm *vm = submit->queue->vm;
   struct vgpu_record_job *job = &submit->job;
   job->mappings = calloc(vm->count + 1, sizeof(*job->mappings));
   for (size_t i = 0; job->mappings && i < vm->count; i++) {
      const struct recorder_mapping *from = &vm->mappings[i];
      if (!add_buffer(submit, from->buffer)) {
         return false;
      }
      job->mappings[job->mapping_count++] = (struct saved_mapping){.buffer = from->buffer->index,
                                                                   .flags = from->flags,
                                                                   .address = from->start,
                                                                   .range = from->end - from->start,
                                                                   .offset = from->offset};
   }
   return job->mappings ? true : refuse(submit, "out of memory");
}

static bool add_stamp(struct submit *submit, const struct drm_asahi_timestamp *from, struct saved_stamp *to)
{
   *to = (struct saved_stamp){.buffer = SAVED_NO_BUFFER};
   if (!from->handle) {
      return true;
   }
   const struct recorder_object *object = recorder_find(&submit->client->objects, from->handle);
   if (!object) {
      return refuse(submit, "a timestamp's object is not known");
   }
   if (!add_buffer(submit, object->buffer)) {
      return false;
   }
   to->buffer = object->buffer->index;
   to->offset = object->offset + from->offset;
   return true;
}

static bool add_command(struct submit *submit, const struct drm_asahi_cmd_header *header, const uint8_t *payload)
{
   struct vgpu_record_job *job = &submit->job;
   if (header->cmd_type != DRM_ASAHI_CMD_COMPUTE && header->cmd_type != DRM_ASAHI_CMD_RENDER) {
      return true; /* attachments are hints */
   }
   if (!ARRAY_RESERVE_ONE(job->commands, job->command_count)) {
      return refuse(submit, "out of memory");
   }
   struct saved_either *to = &job->commands[job->command_count++];
   const bool is_render = header->cmd_type == DRM_ASAHI_CMD_RENDER;
   const size_t size = is_render ? sizeof(to->render) : sizeof(to->compute);
   *to = (struct saved_either){.kind = is_render ? SAVED_RENDER : SAVED_COMMAND,
                               .barriers = {header->vdm_barrier, header->cdm_barrier}};
   memcpy(&to->render, payload, header->size < size ? header->size : size);
   struct drm_asahi_timestamps *const parts[2] = {is_render ? &to->render.ts_vtx : &to->compute.ts,
                                                  is_render ? &to->render.ts_frag : NULL};
   for (unsigned i = 0; i < 2; i++) {
      const struct drm_asahi_timestamps stamps = parts[i] ? *parts[i] : (struct drm_asahi_timestamps){0};
      if (!add_stamp(submit, &stamps.start, &to->stamps[2 * i]) ||
          !add_stamp(submit, &stamps.end, &to->stamps[2 * i + 1])) {
         return false;
      }
      if (parts[i]) {
         *parts[i] = (struct drm_asahi_timestamps){0};
      }
   }
   return true;
}

static bool add_commands(struct submit *submit)
{
   const uint32_t size = submit->args.cmdbuf_size;
   for (uint32_t at = 0; at < size;) {
      struct drm_asahi_cmd_header header;
      if (size - at < sizeof(header)) {
         return refuse(submit, "its commands are cut off");
      }
      memcpy(&header, submit->commands + at, sizeof(header));
      at += (uint32_t)sizeof(header);
      if (size - at < header.size) {
         return refuse(submit, "its commands are cut off");
      }
      if (!add_command(submit, &header, submit->commands + at)) {
         return false;
      }
      at += header.size;
   }
   return submit->job.command_count > 0 || refuse(submit, "it has no compute command");
}

/* Waits for the fences that the job waits for. */
static bool wait_for_inputs(struct submit *submit)
{
   for (uint32_t i = 0; i < submit->args.in_sync_count; i++) {
      uint32_t handle = submit->syncs[i].handle;
      uint64_t point = submit->syncs[i].timeline_value;
      struct drm_syncobj_wait wait = {.handles = (uintptr_t)&handle, .count_handles = 1, .timeout_nsec = INT64_MAX};
      struct drm_syncobj_timeline_wait timeline = {
          .handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1, .timeout_nsec = INT64_MAX};
      const bool binary = submit->syncs[i].sync_type == DRM_ASAHI_SYNC_SYNCOBJ;
      if (NEXT(ioctl)(submit->fd, binary ? DRM_IOCTL_SYNCOBJ_WAIT : DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
                      binary ? (void *)&wait : (void *)&timeline)) {
         return refuse(submit, "a fence that it waits for cannot be waited for");
      }
   }
   return true;
}

static struct vgpu_record *begin(struct submit *submit)
{
   const char *folder = getenv("AGX_RECORD");
   const struct recorder_queue *queue = submit->queue;
   struct drm_syncobj_create create = {0};
   struct vgpu_record *record = NULL;
   char name[64];
   if (!queue || queue->vm->uncertain) {
      submit->why =
          queue ? "what its address space maps is not known, since a VM_BIND failed" : "its queue is not known";
      return NULL;
   }
   if (!submit->client->syncobj && !NEXT(ioctl)(submit->fd, DRM_IOCTL_SYNCOBJ_CREATE, &create)) {
      submit->client->syncobj = create.handle;
   }
   if (!folder || !submit->client->syncobj) {
      submit->why = folder ? "SYNCOBJ_CREATE failed" : "AGX_RECORD is not set";
      return NULL;
   }
   submit->job.info = submit->client->info;
   submit->job.queue = (struct saved_queue){.kernel_start = queue->vm->kernel_start,
                                            .kernel_end = queue->vm->kernel_end,
                                            .usc_exec_base = queue->usc_exec_base,
                                            .priority = queue->priority};
   if (!add_mappings(submit) || !add_commands(submit) || !wait_for_inputs(submit)) {
      return NULL;
   }
   snprintf(name, sizeof(name), "%ld-%06u", (long)getpid(), serial);
   const int error = vgpu_record_begin(folder, name, &submit->job, &pages, &record);
   if (error) {
      submit->why = strerror(-error);
   }
   return record;
}

/* Waits for the job that was submitted. Its error: 0 or a negative errno. */
static int wait_for_job(struct submit *submit)
{
   uint32_t handle = submit->client->syncobj;
   struct drm_syncobj_wait wait = {.handles = (uintptr_t)&handle, .count_handles = 1, .timeout_nsec = INT64_MAX};
   struct drm_syncobj_handle file = {
       .handle = handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1};
   struct sync_file_info info = {0};
   if (NEXT(ioctl)(submit->fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait) ||
       NEXT(ioctl)(submit->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file)) {
      submit->why = strerror(errno);
      return 0;
   }
   if (NEXT(ioctl)(file.fd, SYNC_IOC_FILE_INFO, &info)) {
      submit->why = strerror(errno);
   }
   NEXT(close)(file.fd);
   return info.status < 0 ? info.status : 0;
}

/* The submit with one more fence. 0, or the errno that it was refused with. */
static int run(struct submit *submit, struct vgpu_record *record)
{
   struct drm_asahi_submit args = submit->args;
   submit->syncs[args.in_sync_count + args.out_sync_count++] =
       (struct drm_asahi_sync){.sync_type = DRM_ASAHI_SYNC_SYNCOBJ, .handle = submit->client->syncobj};
   args.syncs = (uintptr_t)submit->syncs;
   args.cmdbuf = (uintptr_t)submit->commands;
   if (NEXT(ioctl)(submit->fd, DRM_IOCTL_ASAHI_SUBMIT, &args)) {
      const int error = errno;
      vgpu_record_cancel(record);
      return error;
   }
   const int job_error = wait_for_job(submit);
   if (submit->why) {
      vgpu_record_cancel(record);
      return 0;
   }
   const int error = vgpu_record_end(record, job_error);
   submit->why = error ? strerror(-error) : NULL;
   return 0;
}

static void finish(struct submit *submit)
{
   free(submit->syncs);
   free(submit->commands);
   free(submit->job.buffers);
   free(submit->job.mappings);
   free(submit->job.commands);
}

int recorder_submit(struct recorder_client *client, int fd, void *argument)
{
   struct submit submit = {.client = client, .fd = fd};
   int result, error;
   struct vgpu_record *record = NULL;
   if (read_arguments(&submit, argument)) {
      serial++;
      submit.queue = recorder_find(&client->queues, submit.args.queue_id);
      record = begin(&submit);
   }
   if (record) {
      error = run(&submit, record);
      result = error ? -1 : 0;
   } else {
      result = NEXT(ioctl)(fd, DRM_IOCTL_ASAHI_SUBMIT, argument);
      error = errno;
   }
   if (submit.why && !result) {
      fprintf(stderr, "agx-record: job %u of process %ld was not saved: %s\n", serial, (long)getpid(), submit.why);
   }
   finish(&submit);
   errno = error;
   return result;
}
