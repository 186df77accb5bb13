/* SPDX-License-Identifier: MIT
 *
 * The uAPI that Mesa up to 25.0 speaks, which never was upstream: what differs from drm/uapi/asahi_drm.h. Written from
 * the ABI facts of Mesa 25.0.7 (src/asahi/lib/unstable_asahi_drm.h); names are ours, with the prefix unstable_. Sizes,
 * offsets and request numbers are asserted at the end. Every struct starts with a pointer to extensions (0: none).
 */
#ifndef VGPU_UNSTABLE_ABI_H
#define VGPU_UNSTABLE_ABI_H

#include <stddef.h>
#include <stdint.h>

#include <drm.h>

/* The ABI version of Mesa's release tarballs. No kernel was ever built with it. */
#define UNSTABLE_VERSION 0xDEADBEEFu
#define UNSTABLE_MAX_CLUSTERS 32
#define UNSTABLE_TIMER_HZ 24000000u /* of GET_TIME */

#define UNSTABLE_FEATURE_SOFT_FAULTS (UINT64_C(1) << 0)
#define UNSTABLE_FEATURE_GET_TIME (UINT64_C(1) << 1)
#define UNSTABLE_FEATURE_TIMESTAMPS (UINT64_C(1) << 2)

struct unstable_params {
   uint32_t version, pad0;
   uint64_t features;     /* UNSTABLE_FEATURE_*: a client may ignore them */
   uint64_t requirements; /* a client must know them all */
   uint32_t gpu_generation, gpu_variant, gpu_revision, chip_id;
   uint32_t num_dies, num_clusters_total, num_cores_per_cluster, num_frags_per_cluster, num_gps_per_cluster;
   uint32_t num_cores_total_active;
   uint64_t core_masks[UNSTABLE_MAX_CLUSTERS];
   uint32_t vm_page_size, pad1;
   uint64_t vm_user_start, vm_user_end;
   uint64_t vm_usc_start, vm_usc_end; /* 0: anywhere */
   uint64_t vm_kernel_min_size;
   uint32_t max_syncs_per_submission, max_commands_per_submission, max_commands_in_flight, max_attachments;
   uint32_t timer_frequency_hz, min_frequency_khz, max_frequency_khz, max_power_mw;
   uint32_t result_render_size, result_compute_size;
   uint32_t firmware_version[4];
   uint64_t user_timestamp_frequency_hz;
};

struct unstable_get_params {
   uint64_t extensions;
   uint32_t param_group, pad;
   uint64_t pointer;
   uint64_t size; /* in and out */
};

struct unstable_vm_create {
   uint64_t extensions;
   uint64_t kernel_start, kernel_end;
   uint32_t vm_id, pad;
};

/* Of VM_DESTROY and QUEUE_DESTROY. */
struct unstable_destroy {
   uint64_t extensions;
   uint32_t id, pad;
};

struct unstable_gem_create {
   uint64_t extensions;
   uint64_t size;
   uint32_t flags, vm_id; /* as upstream */
   uint32_t handle, pad;
};

struct unstable_gem_mmap_offset {
   uint64_t extensions;
   uint32_t handle, flags;
   uint64_t offset;
};

enum { UNSTABLE_OP_BIND, UNSTABLE_OP_UNBIND, UNSTABLE_OP_UNBIND_ALL };
#define UNSTABLE_BIND_READ (1u << 0)
#define UNSTABLE_BIND_WRITE (1u << 1)

struct unstable_gem_bind {
   uint64_t extensions;
   uint32_t op, flags;
   uint32_t handle, vm_id;
   uint64_t offset, range, addr;
};

struct unstable_gem_bind_object {
   uint64_t extensions;
   uint32_t op, flags;
   uint32_t handle, vm_id;
   uint64_t offset, range;
   uint32_t object_handle, pad;
};

struct unstable_queue_create {
   uint64_t extensions;
   uint32_t flags, vm_id;
   uint32_t capabilities; /* bit n: commands of type n */
   uint32_t priority;
   uint32_t queue_id, pad;
};

struct unstable_sync {
   uint64_t extensions;
   uint32_t sync_type, handle; /* as upstream */
   uint64_t timeline_value;
};

enum { UNSTABLE_CMD_RENDER, UNSTABLE_CMD_BLIT, UNSTABLE_CMD_COMPUTE };
#define UNSTABLE_BARRIER_NONE UINT32_MAX

struct unstable_command {
   uint64_t extensions;
   uint32_t type, flags;
   uint64_t payload, payload_size;
   uint64_t result_offset, result_size;
   uint32_t barriers[2]; /* render, compute */
};

struct unstable_submit {
   uint64_t extensions;
   uint64_t in_syncs, out_syncs, commands; /* arrays */
   uint32_t flags, queue_id;
   uint32_t result_handle;
   uint32_t in_sync_count, out_sync_count, command_count;
};

struct unstable_compute {
   uint64_t extensions;
   uint64_t flags;
   uint64_t stream_base, stream_end;
   uint64_t usc_base; /* of the queue, upstream */
   uint64_t attachments;
   uint32_t attachment_count, pad;
   uint32_t helper_binary, helper_cfg;
   uint64_t helper_data;
   uint32_t encoder_id, command_id; /* for the firmware's log */
   uint64_t sampler_heap;
   uint32_t sampler_count, sampler_max;
   uint32_t unknown_40, unknown_mask;
};
#define UNSTABLE_COMPUTE_NO_PREEMPTION (UINT64_C(1) << 0)

/* An extension of a compute command. */
#define UNSTABLE_EXTENSION_TIMESTAMPS 1u
struct unstable_timestamps {
   uint32_t type, pad;
   uint64_t next;
   uint32_t start_handle, start_offset, end_handle, end_offset;
};

enum {
   UNSTABLE_RENDER_VERTEX_SPILLS = 1 << 2,
   UNSTABLE_RENDER_EMPTY_TILES = 1 << 3,
   UNSTABLE_RENDER_NO_CLUSTERING = 1 << 4,
};
#define UNSTABLE_DBIAS_IS_INT 0x40000u /* in unk_214 */

/* A surface of depth or stencil, or its metadata: where it is loaded from, stored to, and stored to in the middle. */
struct unstable_surface {
   uint64_t load, load_stride, store, store_stride, partial, partial_stride;
};

struct unstable_sampler_heap {
   uint64_t base;
   uint32_t count, most;
};

struct unstable_render {
   uint64_t extensions, flags, stream_base;
   uint64_t vertex_usc_base, fragment_usc_base;
   uint64_t vertex_attachments, fragment_attachments;
   uint32_t vertex_attachment_count, fragment_attachment_count;
   uint32_t vertex_helper_binary, fragment_helper_binary, vertex_helper_cfg, fragment_helper_cfg;
   uint64_t vertex_helper_data, fragment_helper_data;
   struct unstable_surface depth, depth_metadata, stencil, stencil_metadata;
   uint64_t scissors, depth_biases, queries;
   struct unstable_sampler_heap vertex_samplers, fragment_samplers;
   uint64_t zls_ctrl, multisamplectl;
   uint32_t ppp_ctrl, width, height, tile_width, tile_height, samples, layers;
   uint32_t encoder_id, vertex_id, fragment_id;
   uint32_t sample_size, tib_blocks, unk_214, merge_x, merge_y;
   uint32_t bg, bg_counts, eot, eot_counts, partial_bg, partial_bg_counts, partial_eot, partial_eot_counts;
   uint32_t zls_pixels, background_depth, background_values;
};
_Static_assert(sizeof(struct unstable_render) == 464, "as Mesa 25.0.7 has it");

struct unstable_get_time {
   uint64_t extensions;
   uint64_t flags;
   uint64_t gpu_timestamp; /* ticks of UNSTABLE_TIMER_HZ */
};

#define UNSTABLE_IOWR(number, type) DRM_IOWR(DRM_COMMAND_BASE + (number), struct unstable_##type)
#define UNSTABLE_IOW(number, type) DRM_IOW(DRM_COMMAND_BASE + (number), struct unstable_##type)
#define UNSTABLE_GET_PARAMS UNSTABLE_IOWR(0, get_params)
#define UNSTABLE_VM_CREATE UNSTABLE_IOWR(1, vm_create)
#define UNSTABLE_VM_DESTROY UNSTABLE_IOW(2, destroy)
#define UNSTABLE_GEM_CREATE UNSTABLE_IOWR(3, gem_create)
#define UNSTABLE_GEM_MMAP_OFFSET UNSTABLE_IOWR(4, gem_mmap_offset)
#define UNSTABLE_GEM_BIND UNSTABLE_IOW(5, gem_bind)
#define UNSTABLE_QUEUE_CREATE UNSTABLE_IOWR(6, queue_create)
#define UNSTABLE_QUEUE_DESTROY UNSTABLE_IOW(7, destroy)
#define UNSTABLE_SUBMIT UNSTABLE_IOW(8, submit)
#define UNSTABLE_GET_TIME UNSTABLE_IOWR(9, get_time)
#define UNSTABLE_GEM_BIND_OBJECT UNSTABLE_IOWR(10, gem_bind_object)

#define UNSTABLE_IS(name, value) _Static_assert(UNSTABLE_##name == (value), #name)
UNSTABLE_IS(GET_PARAMS, 0xC0206440);
UNSTABLE_IS(VM_CREATE, 0xC0206441);
UNSTABLE_IS(VM_DESTROY, 0x40106442);
UNSTABLE_IS(GEM_CREATE, 0xC0206443);
UNSTABLE_IS(GEM_MMAP_OFFSET, 0xC0186444);
UNSTABLE_IS(GEM_BIND, 0x40306445);
UNSTABLE_IS(QUEUE_CREATE, 0xC0206446);
UNSTABLE_IS(QUEUE_DESTROY, 0x40106447);
UNSTABLE_IS(SUBMIT, 0x40386448);
UNSTABLE_IS(GET_TIME, 0xC0186449);
UNSTABLE_IS(GEM_BIND_OBJECT, 0xC030644A);
#undef UNSTABLE_IS

#define UNSTABLE_SIZE(type, bytes) _Static_assert(sizeof(struct unstable_##type) == (bytes), #type)
#define UNSTABLE_AT(type, field, bytes)                                                                                \
   _Static_assert(offsetof(struct unstable_##type, field) == (bytes), #type "." #field)
UNSTABLE_SIZE(params, 432);
UNSTABLE_AT(params, core_masks, 64);
UNSTABLE_AT(params, vm_page_size, 320);
UNSTABLE_AT(params, vm_kernel_min_size, 360);
UNSTABLE_AT(params, max_syncs_per_submission, 368);
UNSTABLE_AT(params, timer_frequency_hz, 384);
UNSTABLE_AT(params, firmware_version, 408);
UNSTABLE_AT(params, user_timestamp_frequency_hz, 424);
UNSTABLE_SIZE(sync, 24);
UNSTABLE_SIZE(command, 56);
UNSTABLE_SIZE(compute, 104);
UNSTABLE_AT(compute, usc_base, 32);
UNSTABLE_AT(compute, helper_binary, 56);
UNSTABLE_AT(compute, sampler_heap, 80);
UNSTABLE_SIZE(timestamps, 32);
#undef UNSTABLE_SIZE
#undef UNSTABLE_AT

#endif
