/* SPDX-License-Identifier: MIT
 *
 * Option record=FOLDER: what a job is made of, for vgpu/record. Buffers are those that the job's address space maps and
 * those that it writes timestamps to.
 *
 * A job that cannot be saved runs all the same; the reason goes to stderr.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vgpu/driver/device.h"
#include "vgpu/driver/queue.h"
#include "util/array.h"

static int find_buffer(struct vgpu_record_job *saved, const struct vgpu_bo *bo, uint32_t *index)
{
   for (size_t i = 0; i < saved->buffer_count; i++) {
      if (saved->buffers[i].host == bo->host) {
         *index = (uint32_t)i;
         return 0;
      }
   }
   if (!ARRAY_RESERVE_ONE(saved->buffers, saved->buffer_count)) {
      return -ENOMEM;
   }
   *index = (uint32_t)saved->buffer_count;
   saved->buffers[saved->buffer_count++] = (struct vgpu_record_buffer){.host = bo->host,
                                                                       .fd = bo->file >= 0 ? bo->file : bo->heap->fd,
                                                                       .fd_offset = bo->file >= 0 ? 0 : bo->offset,
                                                                       .size = bo->size};
   return 0;
}

static int add_mappings(struct vgpu_record_job *saved, const struct vgpu_vm *vm)
{
   saved->mappings = calloc(vm->count ? vm->count : 1, sizeof(*saved->mappings));
   for (size_t i = 0; saved->mappings && i < vm->count; i++) {
      const struct vgpu_mapping *from = &vm->mappings[i];
      struct saved_mapping *to = &saved->mappings[i];
      *to = (struct saved_mapping){.flags = (from->access & VGPU_READ ? DRM_ASAHI_BIND_READ : 0) |
                                            (from->access & VGPU_WRITE ? DRM_ASAHI_BIND_WRITE : 0) |
                                            (from->single_page ? DRM_ASAHI_BIND_SINGLE_PAGE : 0),
                                   .address = from->start,
                                   .range = from->end - from->start,
                                   .offset = from->offset};
      if (find_buffer(saved, from->bo, &to->buffer)) {
         return -ENOMEM;
      }
      saved->mapping_count++;
   }
   return saved->mappings ? 0 : -ENOMEM;
}

static int add_stamp(struct vgpu_record_job *saved, const struct vgpu_stamp *from, struct saved_stamp *to)
{
   *to = (struct saved_stamp){.buffer = SAVED_NO_BUFFER};
   if (!from->object) {
      return 0;
   }
   to->offset = from->object->offset + from->offset;
   return find_buffer(saved, from->object->bo, &to->buffer);
}

static int add_command(struct vgpu_record_job *saved, const struct vgpu_command *from)
{
   const struct vgpu_stamp *const stamps[SAVED_STAMPS] = {&from->start, &from->end, &from->fragment_start,
                                                          &from->fragment_end};
   struct saved_either *to = &saved->commands[saved->command_count++];
   *to = (struct saved_either){.kind = from->is_render ? SAVED_RENDER : SAVED_COMMAND,
                               .barriers = {from->barriers[0], from->barriers[1]}};
   if (from->is_render) {
      to->render = from->render;
      memset(&to->render.ts_vtx, 0, sizeof(to->render.ts_vtx));
      memset(&to->render.ts_frag, 0, sizeof(to->render.ts_frag));
   } else {
      to->compute = from->compute;
      memset(&to->compute.ts, 0, sizeof(to->compute.ts));
   }
   for (unsigned i = 0; i < SAVED_STAMPS; i++) {
      if (add_stamp(saved, stamps[i], &to->stamps[i])) {
         return -ENOMEM;
      }
   }
   return 0;
}

static int add_commands(struct vgpu_record_job *saved, const struct vgpu_job *job)
{
   saved->commands = calloc(job->command_count, sizeof(*saved->commands));
   int error = saved->commands ? 0 : -ENOMEM;
   for (size_t i = 0; i < job->command_count && !error; i++) {
      error = add_command(saved, &job->commands[i]);
   }
   return error;
}

static void finish(struct vgpu_saving *saving)
{
   free(saving->job.buffers);
   free(saving->job.mappings);
   free(saving->job.commands);
   *saving = (struct vgpu_saving){0};
}

static void complain(const struct vgpu_device *device, const struct vgpu_job *job, int error)
{
   fprintf(stderr, "agx-vgpu: job %" PRIu64 " was not saved in %s: %s\n", job->serial, device->options.record,
           strerror(-error));
}

void vgpu_job_save(struct vgpu_device *device, const struct vgpu_job *job, struct vgpu_saving *saving)
{
   *saving = (struct vgpu_saving){0};
   if (!device->options.record[0]) {
      return;
   }
   const struct vgpu_queue *queue = job->queue;
   char name[64];
   snprintf(name, sizeof(name), "%ld-%06" PRIu64, (long)getpid(), job->serial);
   snprintf(saving->info, sizeof(saving->info), "virtual:%s (a model, no hardware)", device->chip->name);
   saving->job.info = saving->info;
   saving->job.queue = (struct saved_queue){.kernel_start = queue->vm->kernel_start,
                                            .kernel_end = queue->vm->kernel_end,
                                            .usc_exec_base = queue->usc_base,
                                            .priority = queue->priority};
   int error = add_mappings(&saving->job, queue->vm);
   error = error ? error : add_commands(&saving->job, job);
   error = error ? error
                 : vgpu_record_begin(device->options.record, name, &saving->job, &device->saved_pages, &saving->record);
   if (error) {
      complain(device, job, error);
      finish(saving);
   }
}

void vgpu_job_saved(const struct vgpu_device *device, const struct vgpu_job *job, struct vgpu_saving *saving, int error)
{
   const int failed = vgpu_record_end(saving->record, error);
   if (failed) {
      complain(device, job, failed);
   }
   finish(saving);
}
