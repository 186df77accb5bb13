/* SPDX-License-Identifier: MIT
 *
 * SUBMIT of the unstable uAPI, made into upstream's: arrays of syncs and commands become one array and one command
 * buffer. Upstream's handler then checks and runs it. Invariant: nothing has changed when a request is refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/queue.h"
#include "vgpu/driver/unstable/abi.h"
#include "vgpu/driver/unstable/unstable.h"
#include "util/array.h"

#define MAX_SYNCS (1u << 16)

struct translation {
   struct vgpu_file *file;
   struct drm_asahi_sync *syncs;
   uint8_t *commands;
   size_t used;
   uint64_t usc_base; /* of the commands; 0: none names one yet */
};

static int read_syncs(struct translation *to, uint64_t from, uint32_t count, uint32_t first)
{
   for (uint32_t i = 0; i < count; i++) {
      struct unstable_sync sync;
      int error = vgpu_copy_in(to->file->device, &sync, from + i * sizeof(sync), sizeof(sync));
      if (error) {
         return error;
      }
      if (sync.extensions) {
         return -EINVAL;
      }
      to->syncs[first + i] = (struct drm_asahi_sync){
          .sync_type = sync.sync_type, .handle = sync.handle, .timeline_value = sync.timeline_value};
   }
   return 0;
}

static int read_timestamps(struct translation *to, uint64_t from, struct drm_asahi_timestamps *stamps)
{
   while (from) {
      struct unstable_timestamps extension;
      int error = vgpu_copy_in(to->file->device, &extension, from, sizeof(extension));
      if (error) {
         return error;
      }
      if (extension.type != UNSTABLE_EXTENSION_TIMESTAMPS || extension.pad || extension.next == from) {
         return -EINVAL;
      }
      *stamps = (struct drm_asahi_timestamps){.start = {extension.start_handle, extension.start_offset},
                                              .end = {extension.end_handle, extension.end_offset}};
      if (extension.next) {
         return -EINVAL; /* no second extension exists */
      }
      from = extension.next;
   }
   return 0;
}

static int read_compute(struct translation *to, const struct unstable_command *command, void *out)
{
   struct unstable_compute from = {0};
   struct drm_asahi_cmd_compute compute = {0};
   if (command->payload_size > sizeof(from)) {
      return -EINVAL;
   }
   int error = vgpu_copy_in(to->file->device, &from, command->payload, command->payload_size);
   if (error) {
      return error;
   }
   if (from.flags & ~UNSTABLE_COMPUTE_NO_PREEMPTION || from.pad || from.attachment_count > VGPU_MAX_ATTACHMENTS ||
       (to->usc_base && from.usc_base != to->usc_base)) {
      return -EINVAL;
   }
   to->usc_base = from.usc_base;
   compute = (struct drm_asahi_cmd_compute){
       .sampler_count = from.sampler_count,
       .cdm_ctrl_stream_base = from.stream_base,
       .cdm_ctrl_stream_end = from.stream_end,
       .sampler_heap = from.sampler_heap,
       .helper = {.binary = from.helper_binary, .cfg = from.helper_cfg, .data = from.helper_data},
   };
   error = read_timestamps(to, from.extensions, &compute.ts);
   memcpy(out, &compute, sizeof(compute));
   return error;
}

static bool fits(const struct unstable_render *from)
{
   return from->width <= UINT16_MAX && from->height <= UINT16_MAX && from->layers <= UINT16_MAX &&
          from->tile_width <= UINT8_MAX && from->tile_height <= UINT8_MAX && from->samples <= UINT8_MAX &&
          from->sample_size <= UINT8_MAX;
}

static struct drm_asahi_zls_buffer surface_of(const struct unstable_surface *surface,
                                              const struct unstable_surface *metadata)
{
   return (struct drm_asahi_zls_buffer){.base = surface->store,
                                        .comp_base = metadata->store,
                                        .stride = (uint32_t)surface->store_stride,
                                        .comp_stride = (uint32_t)metadata->store_stride};
}

static uint32_t flags_of(const struct unstable_render *from)
{
   return (from->flags & UNSTABLE_RENDER_VERTEX_SPILLS ? DRM_ASAHI_RENDER_VERTEX_SCRATCH : 0) |
          (from->flags & UNSTABLE_RENDER_EMPTY_TILES ? DRM_ASAHI_RENDER_PROCESS_EMPTY_TILES : 0) |
          (from->flags & UNSTABLE_RENDER_NO_CLUSTERING ? DRM_ASAHI_RENDER_NO_VERTEX_CLUSTERING : 0) |
          (from->unk_214 & UNSTABLE_DBIAS_IS_INT ? DRM_ASAHI_RENDER_DBIAS_IS_INT : 0);
}

static struct drm_asahi_cmd_render translate_render(const struct unstable_render *from)
{
   return (struct drm_asahi_cmd_render){
       .flags = flags_of(from),
       .isp_zls_pixels = from->zls_pixels,
       .vdm_ctrl_stream_base = from->stream_base,
       .vertex_helper = {.binary = from->vertex_helper_binary,
                         .cfg = from->vertex_helper_cfg,
                         .data = from->vertex_helper_data},
       .fragment_helper = {.binary = from->fragment_helper_binary,
                           .cfg = from->fragment_helper_cfg,
                           .data = from->fragment_helper_data},
       .isp_scissor_base = from->scissors,
       .isp_dbias_base = from->depth_biases,
       .isp_oclqry_base = from->queries,
       .depth = surface_of(&from->depth, &from->depth_metadata),
       .stencil = surface_of(&from->stencil, &from->stencil_metadata),
       .zls_ctrl = from->zls_ctrl,
       .ppp_multisamplectl = from->multisamplectl,
       .sampler_heap = from->fragment_samplers.base,
       .ppp_ctrl = from->ppp_ctrl,
       .width_px = (uint16_t)from->width,
       .height_px = (uint16_t)from->height,
       .layers = (uint16_t)from->layers,
       .sampler_count = (uint16_t)from->fragment_samplers.count,
       .utile_width_px = (uint8_t)from->tile_width,
       .utile_height_px = (uint8_t)from->tile_height,
       .samples = (uint8_t)from->samples,
       .sample_size_B = (uint8_t)from->sample_size,
       .isp_merge_upper_x = from->merge_x,
       .isp_merge_upper_y = from->merge_y,
       .bg = {from->bg, from->bg_counts},
       .eot = {from->eot, from->eot_counts},
       .partial_bg = {from->partial_bg, from->partial_bg_counts},
       .partial_eot = {from->partial_eot, from->partial_eot_counts},
       .isp_bgobjdepth = from->background_depth,
       .isp_bgobjvals = from->background_values,
   };
}

/* Vertices and fragments have one window and one heap of samplers, as Mesa gives them. Timestamps are not read. */
static int read_render(struct translation *to, const struct unstable_command *command, void *out)
{
   struct unstable_render from = {0};
   if (command->payload_size > sizeof(from)) {
      return -EINVAL;
   }
   int error = vgpu_copy_in(to->file->device, &from, command->payload, command->payload_size);
   if (error) {
      return error;
   }
   if (!fits(&from) || from.vertex_usc_base != from.fragment_usc_base ||
       (to->usc_base && from.vertex_usc_base && from.vertex_usc_base != to->usc_base)) {
      return -EINVAL;
   }
   to->usc_base = from.vertex_usc_base ? from.vertex_usc_base : to->usc_base;
   const struct drm_asahi_cmd_render render = translate_render(&from);
   memcpy(out, &render, sizeof(render));
   return 0;
}

static int read_barrier(uint32_t barrier, uint16_t *out)
{
   *out = barrier == UNSTABLE_BARRIER_NONE ? DRM_ASAHI_BARRIER_NONE : (uint16_t)barrier;
   return barrier != UNSTABLE_BARRIER_NONE && barrier >= DRM_ASAHI_BARRIER_NONE ? -EINVAL : 0;
}

static int read_command(struct translation *to, uint64_t from)
{
   struct unstable_command command;
   int error = vgpu_copy_in(to->file->device, &command, from, sizeof(command));
   if (error) {
      return error;
   }
   bool compute = command.type == UNSTABLE_CMD_COMPUTE;
   struct drm_asahi_cmd_header header = {.cmd_type = compute ? DRM_ASAHI_CMD_COMPUTE : DRM_ASAHI_CMD_RENDER,
                                         .size = compute ? sizeof(struct drm_asahi_cmd_compute)
                                                         : sizeof(struct drm_asahi_cmd_render)};
   if (command.extensions || command.flags || (!compute && command.type != UNSTABLE_CMD_RENDER) ||
       read_barrier(command.barriers[0], &header.vdm_barrier) ||
       read_barrier(command.barriers[1], &header.cdm_barrier)) {
      return -EINVAL;
   }
   memcpy(to->commands + to->used, &header, sizeof(header));
   to->used += sizeof(header);
   error = (compute ? read_compute : read_render)(to, &command, to->commands + to->used);
   to->used += header.size;
   return error;
}

/* The queue runs programs of one window. Its first command tells which. */
static int set_window(struct vgpu_queue *queue, uint64_t usc_base)
{
   if (!usc_base || queue->usc_base == usc_base) {
      return 0;
   }
   if (queue->usc_base) {
      return -EINVAL;
   }
   queue->usc_base = usc_base;
   return 0;
}

static int translate(struct translation *to, const struct unstable_submit *args)
{
   int error = read_syncs(to, args->in_syncs, args->in_sync_count, 0);
   if (!error) {
      error = read_syncs(to, args->out_syncs, args->out_sync_count, args->in_sync_count);
   }
   for (uint32_t i = 0; i < args->command_count && !error; i++) {
      error = read_command(to, args->commands + i * sizeof(struct unstable_command));
   }
   return error;
}

int vgpu_unstable_submit(struct vgpu_file *file, void *data)
{
   const struct unstable_submit *args = data;
   struct vgpu_queue *queue = vgpu_ids_get(&file->queues, args->queue_id);
   if (args->extensions || args->flags || args->command_count > VGPU_MAX_COMMANDS || args->in_sync_count > MAX_SYNCS ||
       args->out_sync_count > MAX_SYNCS) {
      return -EINVAL;
   }
   if (args->result_handle) {
      return -EOPNOTSUPP; /* no Mesa asks for results */
   }
   if (!queue) {
      return -ENOENT;
   }
   const size_t most = sizeof(struct drm_asahi_cmd_header) + sizeof(struct drm_asahi_cmd_render);
   struct translation to = {
       .file = file,
       .syncs = calloc((size_t)args->in_sync_count + args->out_sync_count + 1, sizeof(*to.syncs)),
       .commands = calloc((size_t)args->command_count + 1, most),
   };
   int error = to.syncs && to.commands ? translate(&to, args) : -ENOMEM;
   if (!error) {
      error = set_window(queue, to.usc_base);
   }
   if (!error) {
      struct drm_asahi_submit submit = {.syncs = (uintptr_t)to.syncs,
                                        .cmdbuf = (uintptr_t)to.commands,
                                        .queue_id = args->queue_id,
                                        .in_sync_count = args->in_sync_count,
                                        .out_sync_count = args->out_sync_count,
                                        .cmdbuf_size = (uint32_t)to.used};
      error = vgpu_ioctl_submit(file, &submit);
   }
   free(to.syncs);
   free(to.commands);
   return error;
}
