/* SPDX-License-Identifier: MIT
 *
 * Queues and SUBMIT: spec/uapi.md 1.11 to 1.13 and section 3. The order of the checks is the kernel's: syncs one by
 * one, then whether there still is a firmware, then the command buffer as a whole (scan), then command by command.
 * Until the job is handed over nothing is changed, the out-syncs neither.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/ioctl.h"
#include "vgpu/driver/queue.h"
#include "vgpu/refuse.h"
#include "util/array.h"

#define MAX_PIXELS 16384u
#define MAX_LAYERS 2048u

/* Programs and USC words are found by 32-bit offsets from there. Mesa's base is a multiple of the window's size, and
 * it cuts addresses to 32 bits on the strength of that: section 2. */
static bool valid_window(uint64_t base)
{
   return base >= VGPU_VM_START && base < VGPU_VM_END && !(base & UINT32_MAX);
}

int vgpu_ioctl_queue_create(struct vgpu_file *file, void *data)
{
   struct drm_asahi_queue_create *args = data;
   /* HIGH and REALTIME exist, but the driver does not grant them yet: 1.11. */
   if (vgpu_refuse(args->flags) || vgpu_refuse(args->priority > DRM_ASAHI_PRIORITY_MEDIUM) ||
       vgpu_refuse(file->device->options.strict && !valid_window(args->usc_exec_base))) {
      return -EINVAL;
   }
   struct vgpu_vm *vm = vgpu_ids_get(&file->vms, args->vm_id);
   if (vgpu_refuse(!vm)) {
      return -ENOENT;
   }
   struct vgpu_queue *queue = vgpu_queue_create(file, vm);
   if (!queue) {
      return -ENOMEM;
   }
   queue->priority = args->priority;
   queue->usc_base = args->usc_exec_base;
   int error = vgpu_ids_add(&file->queues, queue, &args->queue_id);
   if (error) {
      vgpu_queue_unref(queue);
   }
   return error;
}

/* Jobs that were submitted to the queue still run. */
int vgpu_ioctl_queue_destroy(struct vgpu_file *file, void *data)
{
   const struct drm_asahi_queue_destroy *args = data;
   if (vgpu_refuse(file->device->options.strict && args->pad)) {
      return -EINVAL;
   }
   struct vgpu_queue *queue = vgpu_ids_remove(&file->queues, args->queue_id);
   if (vgpu_refuse(!queue)) {
      return -ENOENT;
   }
   vgpu_queue_unref(queue);
   return 0;
}

/* An out-sync, with all that setting it takes. */
struct out_sync {
   struct vgpu_syncobj *syncobj;
   struct vgpu_fence *chain; /* NULL: binary */
   uint64_t point;
};

/* A submit on its way to becoming a job. */
struct submit {
   struct vgpu_file *file;
   struct vgpu_job *job;
   struct out_sync *outs;
   size_t out_count;
   uint8_t *commands;
   uint32_t commands_size;
   uint32_t seen[2]; /* render and compute commands so far, by DRM_ASAHI_CMD_* */
};

static int add_in_sync(struct submit *submit, struct vgpu_syncobj *syncobj, const struct drm_asahi_sync *sync)
{
   struct vgpu_job *job = submit->job;
   struct vgpu_fence *fence;
   if (vgpu_refuse(!vgpu_syncobj_find(syncobj, sync->timeline_value, &fence))) {
      return -EINVAL; /* no wait before signal */
   }
   if (!fence) {
      return 0; /* a point long past */
   }
   if (!ARRAY_RESERVE_ONE(job->waits, job->wait_count)) {
      vgpu_fence_unref(fence);
      return -ENOMEM;
   }
   job->waits[job->wait_count++] = fence;
   return 0;
}

static int add_out_sync(struct submit *submit, struct vgpu_syncobj *syncobj, const struct drm_asahi_sync *sync)
{
   if (!ARRAY_RESERVE_ONE(submit->outs, submit->out_count)) {
      return -ENOMEM;
   }
   struct out_sync out = {.point = sync->timeline_value};
   if (sync->sync_type == DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ) {
      out.chain = vgpu_fence_create_chain();
      if (!out.chain) {
         return -ENOMEM;
      }
   }
   out.syncobj = vgpu_syncobj_ref(syncobj);
   submit->outs[submit->out_count++] = out;
   return 0;
}

static int read_syncs(struct submit *submit, const struct drm_asahi_submit *args)
{
   uint32_t count;
   if (vgpu_refuse(__builtin_add_overflow(args->in_sync_count, args->out_sync_count, &count))) {
      return -EINVAL;
   }
   for (uint32_t i = 0; i < count; i++) {
      struct drm_asahi_sync sync;
      int error = vgpu_copy_in(submit->file->device, &sync, args->syncs + i * sizeof(sync), sizeof(sync));
      if (vgpu_refuse(error)) {
         return error;
      }
      if (vgpu_refuse(sync.sync_type > DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ) ||
          vgpu_refuse(sync.sync_type == DRM_ASAHI_SYNC_SYNCOBJ && sync.timeline_value)) {
         return -EINVAL;
      }
      struct vgpu_syncobj *syncobj = vgpu_ids_get(&submit->file->syncobjs, sync.handle);
      if (vgpu_refuse(!syncobj)) {
         return -ENOENT;
      }
      error = i < args->in_sync_count ? add_in_sync(submit, syncobj, &sync) : add_out_sync(submit, syncobj, &sync);
      if (error) {
         return error;
      }
   }
   return 0;
}

static bool is_hardware(uint16_t type)
{
   return type == DRM_ASAHI_CMD_RENDER || type == DRM_ASAHI_CMD_COMPUTE;
}

/* First pass, 3.3: headers only. */
static int scan(const struct submit *submit, uint32_t *hardware_commands)
{
   *hardware_commands = 0;
   for (uint64_t at = 0; at < submit->commands_size;) {
      struct drm_asahi_cmd_header header;
      if (vgpu_refuse(submit->commands_size - at < sizeof(header))) {
         return -EINVAL;
      }
      memcpy(&header, submit->commands + at, sizeof(header));
      *hardware_commands += is_hardware(header.cmd_type);
      at += sizeof(header) + header.size;
   }
   return 0;
}

/* Copies a payload into a struct of `known` bytes: a shorter one is zero-filled, a longer one must be zero where we
 * know nothing. (Today's kernel reads what is too long as the next header: 3.3.) */
static int read_payload(const uint8_t *payload, uint16_t size, void *to, size_t known)
{
   memset(to, 0, known);
   memcpy(to, payload, size < known ? size : known);
   for (size_t i = known; i < size; i++) {
      if (vgpu_refuse(payload[i])) {
         return -EINVAL;
      }
   }
   return 0;
}

/* 3.5. `stamp` NULL: check only. */
static int read_stamp(struct submit *submit, const struct drm_asahi_timestamp *from, struct vgpu_stamp *stamp)
{
   uint32_t end;
   if (!from->handle) {
      return 0;
   }
   struct vgpu_object *object = vgpu_ids_get(&submit->file->objects, from->handle);
   if (vgpu_refuse(!object)) {
      return -ENOENT;
   }
   if (vgpu_refuse(__builtin_add_overflow(from->offset, (uint32_t)sizeof(uint64_t), &end))) {
      return -EINVAL;
   }
   if (vgpu_refuse(end > object->range)) {
      return -ERANGE;
   }
   if (stamp) {
      *stamp = (struct vgpu_stamp){vgpu_object_ref(object), from->offset};
   }
   return 0;
}

static struct vgpu_command *add_command(struct submit *submit)
{
   return &submit->job->commands[submit->job->command_count++];
}

static bool mapped(const struct submit *submit, uint64_t va)
{
   size_t run;
   return vgpu_pages_translate(&submit->job->queue->vm->pages, va, VGPU_READ, &run);
}

/* Checks addresses that the kernel passes on unchecked. For strict devices. */
static bool sound_addresses(const struct submit *submit, const struct drm_asahi_cmd_compute *compute)
{
   const struct drm_asahi_helper_program *helper = &compute->helper;
   return !(compute->cdm_ctrl_stream_base & 3) && mapped(submit, compute->cdm_ctrl_stream_base) &&
          compute->cdm_ctrl_stream_end > compute->cdm_ctrl_stream_base &&
          (!compute->sampler_count || mapped(submit, compute->sampler_heap)) &&
          (!helper->binary || ((helper->binary & 1) && mapped(submit, helper->data)));
}

static int read_compute(struct submit *submit, const uint8_t *payload, uint16_t size)
{
   struct drm_asahi_cmd_compute compute;
   int error = read_payload(payload, size, &compute, sizeof(compute));
   /* The firmware is told sampler_count + 1. */
   if (error || vgpu_refuse(compute.flags) || vgpu_refuse(compute.sampler_count == UINT32_MAX) ||
       vgpu_refuse(submit->file->device->options.strict && !sound_addresses(submit, &compute))) {
      return -EINVAL;
   }
   struct vgpu_command *command = add_command(submit);
   command->compute = compute;
   error = read_stamp(submit, &compute.ts.start, &command->start);
   return error ? error : read_stamp(submit, &compute.ts.end, &command->end);
}

static bool refused_render(const struct drm_asahi_cmd_render *render)
{
   static const uint8_t tiles[][2] = {{32, 32}, {32, 16}, {16, 16}};
   bool tile = false;
   for (size_t i = 0; i < ARRAY_COUNT(tiles); i++) {
      tile |= render->utile_width_px == tiles[i][0] && render->utile_height_px == tiles[i][1];
   }
   return vgpu_refuse(render->flags & ~DRM_ASAHI_RENDER_FLAGS_MASK) || vgpu_refuse(!render->width_px) ||
          vgpu_refuse(render->width_px > MAX_PIXELS) || vgpu_refuse(!render->height_px) ||
          vgpu_refuse(render->height_px > MAX_PIXELS) || vgpu_refuse(!render->layers) ||
          vgpu_refuse(render->layers > MAX_LAYERS) || vgpu_refuse(!tile) ||
          vgpu_refuse(render->samples != 1 && render->samples != 2 && render->samples != 4);
}

/* 3.6. Addresses are not looked at: the command faults when its turn comes. */
static int read_render(struct submit *submit, const uint8_t *payload, uint16_t size)
{
   struct drm_asahi_cmd_render render;
   int error = read_payload(payload, size, &render, sizeof(render));
   if (error || refused_render(&render)) {
      return -EINVAL;
   }
   struct vgpu_command *command = add_command(submit);
   command->is_render = true;
   command->render = render;
   const struct {
      const struct drm_asahi_timestamp *from;
      struct vgpu_stamp *to;
   } stamps[] = {{&render.ts_vtx.start, &command->start},
                 {&render.ts_vtx.end, &command->end},
                 {&render.ts_frag.start, &command->fragment_start},
                 {&render.ts_frag.end, &command->fragment_end}};
   for (size_t i = 0; i < ARRAY_COUNT(stamps) && !error; i++) {
      error = read_stamp(submit, stamps[i].from, stamps[i].to);
   }
   return error;
}

/* 3.7: hints for the firmware, which nothing here needs. */
static int read_attachments(struct submit *submit, const uint8_t *payload, uint16_t size)
{
   struct drm_asahi_attachment attachment;
   if (vgpu_refuse(size % sizeof(attachment)) || vgpu_refuse(size / sizeof(attachment) > VGPU_MAX_ATTACHMENTS)) {
      return -EINVAL;
   }
   for (size_t at = 0; at < size; at += sizeof(attachment)) {
      uint64_t rounded;
      memcpy(&attachment, payload + at, sizeof(attachment));
      if (vgpu_refuse(attachment.flags) || vgpu_refuse(attachment.pad) ||
          vgpu_refuse(__builtin_add_overflow(attachment.size, UINT64_C(127), &rounded)) ||
          vgpu_refuse(rounded >> 7 > UINT32_MAX) ||
          vgpu_refuse(submit->file->device->options.strict && !mapped(submit, attachment.pointer))) {
         return -EINVAL;
      }
   }
   return 0;
}

/* 3.4. `seen`: commands of the awaited kind so far in this submit. All that a barrier can name comes earlier in the
 * order in which jobs and commands run here, so there is nothing to remember. */
static bool refused_barrier(uint16_t barrier, uint16_t type, uint32_t seen)
{
   return barrier != DRM_ASAHI_BARRIER_NONE && (vgpu_refuse(!is_hardware(type)) || vgpu_refuse(barrier > seen));
}

static int read_command(struct submit *submit, const struct drm_asahi_cmd_header *header, const uint8_t *payload)
{
   static int (*const readers[])(struct submit *, const uint8_t *, uint16_t) = {
       [DRM_ASAHI_CMD_RENDER] = read_render,
       [DRM_ASAHI_CMD_COMPUTE] = read_compute,
       [DRM_ASAHI_SET_VERTEX_ATTACHMENTS] = read_attachments,
       [DRM_ASAHI_SET_FRAGMENT_ATTACHMENTS] = read_attachments,
       [DRM_ASAHI_SET_COMPUTE_ATTACHMENTS] = read_attachments,
   };
   uint16_t type = header->cmd_type;
   int (*read)(struct submit *, const uint8_t *, uint16_t) = type < ARRAY_COUNT(readers) ? readers[type] : NULL;
   if (refused_barrier(header->vdm_barrier, type, submit->seen[DRM_ASAHI_CMD_RENDER]) ||
       refused_barrier(header->cdm_barrier, type, submit->seen[DRM_ASAHI_CMD_COMPUTE]) || vgpu_refuse(!read)) {
      return -EINVAL;
   }
   int error = read(submit, payload, header->size);
   if (!error && is_hardware(type)) {
      struct vgpu_command *command = &submit->job->commands[submit->job->command_count - 1];
      command->barriers[0] = header->vdm_barrier;
      command->barriers[1] = header->cdm_barrier;
      submit->seen[type]++;
   }
   return error;
}

/* Second pass, after a scan that found all headers whole. */
static int read_commands(struct submit *submit)
{
   for (size_t at = 0; at < submit->commands_size;) {
      struct drm_asahi_cmd_header header;
      memcpy(&header, submit->commands + at, sizeof(header));
      at += sizeof(header);
      if (vgpu_refuse(header.size > submit->commands_size - at)) {
         return -EINVAL;
      }
      int error = read_command(submit, &header, submit->commands + at);
      if (error) {
         return error;
      }
      at += header.size;
   }
   return 0;
}

static int read_command_buffer(struct submit *submit, const struct drm_asahi_submit *args)
{
   uint32_t count;
   submit->commands_size = args->cmdbuf_size;
   submit->commands = malloc(args->cmdbuf_size ? args->cmdbuf_size : 1);
   if (!submit->commands) {
      return -ENOMEM;
   }
   int error = vgpu_copy_in(submit->file->device, submit->commands, args->cmdbuf, args->cmdbuf_size);
   if (vgpu_refuse(error)) {
      return error;
   }
   if (submit->file->device->dead) {
      return -ENODEV;
   }
   if (scan(submit, &count) || vgpu_refuse(!count) || vgpu_refuse(count > VGPU_MAX_COMMANDS)) {
      return -EINVAL;
   }
   submit->job->commands = calloc(count, sizeof(*submit->job->commands));
   return submit->job->commands ? read_commands(submit) : -ENOMEM;
}

static void set_out_syncs(struct submit *submit)
{
   for (size_t i = 0; i < submit->out_count; i++) {
      struct out_sync *out = &submit->outs[i];
      if (out->chain) {
         vgpu_syncobj_add_point(out->syncobj, out->chain, submit->job->done, out->point,
                                vgpu_device_serial(submit->file->device));
         out->chain = NULL;
      } else {
         vgpu_syncobj_replace(out->syncobj, submit->job->done);
      }
   }
}

static void finish(struct submit *submit)
{
   for (size_t i = 0; i < submit->out_count; i++) {
      vgpu_fence_unref(submit->outs[i].chain);
      vgpu_syncobj_unref(submit->outs[i].syncobj);
   }
   free(submit->outs);
   free(submit->commands);
   vgpu_job_destroy(submit->job);
}

int vgpu_ioctl_submit(struct vgpu_file *file, void *data)
{
   const struct drm_asahi_submit *args = data;
   if (vgpu_refuse(args->flags) || vgpu_refuse(args->pad)) {
      return -EINVAL;
   }
   struct vgpu_queue *queue = vgpu_ids_get(&file->queues, args->queue_id);
   if (vgpu_refuse(!queue)) {
      return -ENOENT;
   }
   struct submit submit = {.file = file, .job = vgpu_job_create(queue)};
   if (!submit.job) {
      return -ENOMEM;
   }
   int error = read_syncs(&submit, args);
   if (!error) {
      error = read_command_buffer(&submit, args);
   }
   if (!error) {
      set_out_syncs(&submit);
      vgpu_job_push(submit.job);
      submit.job = NULL;
   }
   finish(&submit);
   return error;
}
