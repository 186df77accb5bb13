/* SPDX-License-Identifier: MIT
 *
 * The Asahi DRM uAPI as upstream Linux has it, written from the ABI facts in spec/uapi.md (its section numbers
 * are in the comments below) because distributions' kernel headers do not carry it yet. Names are the kernel's,
 * so that code reads the same against either header. Every size, every field's offset and every request number
 * is asserted at the end: a slip here does not build.
 *
 * All integers are little endian. "MBZ": must be zero. All addresses named "GPU" are virtual addresses of the
 * VM; USC offsets count from the queue's usc_exec_base.
 */
#ifndef DRM_ASAHI_DRM_H
#define DRM_ASAHI_DRM_H

#include <stddef.h>
#include <stdint.h>

#include <drm.h>

/* The GPU's page, on every host and chip (2, rule 1). */
#define DRM_ASAHI_PAGE_SIZE 0x4000u

/* 1.1: numbers, from DRM_COMMAND_BASE. */
enum drm_asahi_ioctl_id {
   DRM_ASAHI_GET_PARAMS,
   DRM_ASAHI_GET_TIME,
   DRM_ASAHI_VM_CREATE,
   DRM_ASAHI_VM_DESTROY,
   DRM_ASAHI_VM_BIND,
   DRM_ASAHI_GEM_CREATE,
   DRM_ASAHI_GEM_MMAP_OFFSET,
   DRM_ASAHI_GEM_BIND_OBJECT,
   DRM_ASAHI_QUEUE_CREATE,
   DRM_ASAHI_QUEUE_DESTROY,
   DRM_ASAHI_SUBMIT,
   DRM_ASAHI_IOCTL_COUNT,
};

/* 1.3 */
#define DRM_ASAHI_MAX_CLUSTERS 64
/* Shader loads of unmapped memory give 0, stores vanish. */
#define DRM_ASAHI_FEATURE_SOFT_FAULTS (UINT64_C(1) << 0)

struct drm_asahi_params_global {
   uint64_t features;       /* DRM_ASAHI_FEATURE_* */
   uint32_t gpu_generation; /* 13, 14 */
   uint32_t gpu_variant;    /* 'G', 'S', 'C', 'D' */
   uint32_t gpu_revision;   /* A0 = 0x00, B1 = 0x11, ... */
   uint32_t chip_id;        /* BCD: 0x8103 */
   uint32_t num_dies;
   uint32_t num_clusters_total;                 /* all dies */
   uint32_t num_cores_per_cluster;              /* fused-off ones included */
   uint32_t max_frequency_khz;                  /* not a measured clock; some kernels always say 1000000 */
   uint64_t core_masks[DRM_ASAHI_MAX_CLUSTERS]; /* per cluster; bit i: core i is present */
   uint64_t vm_start;                           /* user GPU addresses: [vm_start, vm_end) */
   uint64_t vm_end;
   uint64_t vm_kernel_min_size; /* bytes */
   uint32_t max_commands_per_submission;
   uint32_t max_attachments;
   uint64_t command_timestamp_frequency_hz;
};

struct drm_asahi_get_params {
   uint32_t param_group; /* MBZ */
   uint32_t pad;         /* MBZ */
   uint64_t pointer;     /* to struct drm_asahi_params_global */
   uint64_t size;        /* bytes that may be written there */
};

/* 1.4 */
struct drm_asahi_get_time {
   uint64_t flags;         /* MBZ */
   uint64_t gpu_timestamp; /* out: nanoseconds */
};

/* 1.5 */
struct drm_asahi_vm_create {
   uint64_t kernel_start; /* GPU range left to the kernel: 16 KiB aligned, at least vm_kernel_min_size */
   uint64_t kernel_end;
   uint32_t vm_id; /* out */
   uint32_t pad;   /* MBZ */
};

/* 1.6 */
struct drm_asahi_vm_destroy {
   uint32_t vm_id;
   uint32_t pad; /* MBZ */
};

/* 1.7 */
#define DRM_ASAHI_BIND_UNBIND (1u << 0)
#define DRM_ASAHI_BIND_READ (1u << 1)
#define DRM_ASAHI_BIND_WRITE (1u << 2)
#define DRM_ASAHI_BIND_SINGLE_PAGE (1u << 3) /* maps the page at `offset` repeatedly */

struct drm_asahi_gem_bind_op {
   uint32_t flags;  /* DRM_ASAHI_BIND_* */
   uint32_t handle; /* GEM; 0 to unbind */
   uint64_t offset; /* bytes into the BO; 0 to unbind */
   uint64_t range;  /* bytes */
   uint64_t addr;   /* GPU */
};

struct drm_asahi_vm_bind {
   uint32_t vm_id;
   uint32_t num_binds;
   uint32_t stride; /* sizeof(struct drm_asahi_gem_bind_op): today's kernel misreads anything larger */
   uint32_t pad;    /* MBZ */
   uint64_t userptr;
};

/* 1.8 */
#define DRM_ASAHI_GEM_WRITEBACK (1u << 0)  /* CPU maps it cached; else write-combined */
#define DRM_ASAHI_GEM_VM_PRIVATE (1u << 1) /* for vm_id alone: not exportable */

struct drm_asahi_gem_create {
   uint64_t size;   /* bytes; rounded up to a page inside */
   uint32_t flags;  /* DRM_ASAHI_GEM_* */
   uint32_t vm_id;  /* with VM_PRIVATE, else 0 */
   uint32_t handle; /* out */
   uint32_t pad;    /* MBZ */
};

/* 1.9 */
struct drm_asahi_gem_mmap_offset {
   uint32_t handle;
   uint32_t flags;  /* MBZ */
   uint64_t offset; /* out: for mmap(2) on the device file */
};

/* 1.10 */
#define DRM_ASAHI_BIND_OBJECT_OP_BIND 0u
#define DRM_ASAHI_BIND_OBJECT_OP_UNBIND 1u
#define DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS (1u << 0)

struct drm_asahi_gem_bind_object {
   uint32_t op;            /* DRM_ASAHI_BIND_OBJECT_OP_* */
   uint32_t flags;         /* DRM_ASAHI_BIND_OBJECT_USAGE_* */
   uint32_t handle;        /* GEM; 0 to unbind */
   uint32_t vm_id;         /* MBZ */
   uint64_t offset, range; /* bytes of the BO; 0 to unbind */
   uint32_t object_handle; /* out for BIND, in for UNBIND */
   uint32_t pad;           /* MBZ */
};

/* 1.11, 3.9 */
#define DRM_ASAHI_PRIORITY_LOW 0u
#define DRM_ASAHI_PRIORITY_MEDIUM 1u
#define DRM_ASAHI_PRIORITY_HIGH 2u     /* refused today */
#define DRM_ASAHI_PRIORITY_REALTIME 3u /* refused today */

struct drm_asahi_queue_create {
   uint32_t flags; /* MBZ */
   uint32_t vm_id;
   uint32_t priority;      /* DRM_ASAHI_PRIORITY_* */
   uint32_t queue_id;      /* out */
   uint64_t usc_exec_base; /* GPU: start of the 4 GiB window of shaders and USC words */
};

/* 1.12 */
struct drm_asahi_queue_destroy {
   uint32_t queue_id;
   uint32_t pad; /* MBZ */
};

/* 3.2 */
#define DRM_ASAHI_SYNC_SYNCOBJ 0u
#define DRM_ASAHI_SYNC_TIMELINE_SYNCOBJ 1u

struct drm_asahi_sync {
   uint32_t sync_type; /* DRM_ASAHI_SYNC_* */
   uint32_t handle;
   uint64_t timeline_value; /* MBZ for a binary one */
};

/* 1.13 */
struct drm_asahi_submit {
   uint64_t syncs;  /* to struct drm_asahi_sync[in_sync_count + out_sync_count] */
   uint64_t cmdbuf; /* to commands: header, payload, header, payload, ... */
   uint32_t flags;  /* MBZ */
   uint32_t queue_id;
   uint32_t in_sync_count;
   uint32_t out_sync_count;
   uint32_t cmdbuf_size; /* bytes */
   uint32_t pad;         /* MBZ */
};

/* 3.3 */
#define DRM_ASAHI_CMD_RENDER 0u
#define DRM_ASAHI_CMD_COMPUTE 1u
#define DRM_ASAHI_SET_VERTEX_ATTACHMENTS 2u
#define DRM_ASAHI_SET_FRAGMENT_ATTACHMENTS 3u
#define DRM_ASAHI_SET_COMPUTE_ATTACHMENTS 4u

/* 3.4: otherwise 0 waits for what was submitted before, n for this submit's n-th command of that kind. */
#define DRM_ASAHI_BARRIER_NONE 0xFFFFu

struct drm_asahi_cmd_header {
   uint16_t cmd_type;    /* DRM_ASAHI_CMD_*, DRM_ASAHI_SET_* */
   uint16_t size;        /* of the payload that follows, bytes */
   uint16_t vdm_barrier; /* wait for render commands */
   uint16_t cdm_barrier; /* wait for compute commands */
};

/* 3.7 */
struct drm_asahi_attachment {
   uint64_t pointer; /* GPU */
   uint64_t size;    /* bytes */
   uint32_t pad;     /* MBZ */
   uint32_t flags;   /* MBZ */
};

/* 4.5 */
struct drm_asahi_helper_program {
   uint32_t binary; /* USC offset of the code | 1; 0: none */
   uint32_t cfg;    /* bit 16: a preamble uses scratch */
   uint64_t data;   /* GPU: the scratch header */
};

/* 3.8: nanoseconds, u64, into an object bound by GEM_BIND_OBJECT. */
struct drm_asahi_timestamp {
   uint32_t handle; /* 0: none */
   uint32_t offset; /* bytes into the bound range */
};

struct drm_asahi_timestamps {
   struct drm_asahi_timestamp start, end;
};

/* 3.5 */
struct drm_asahi_cmd_compute {
   uint32_t flags; /* MBZ */
   uint32_t sampler_count;
   uint64_t cdm_ctrl_stream_base; /* GPU */
   uint64_t cdm_ctrl_stream_end;
   uint64_t sampler_heap; /* GPU */
   struct drm_asahi_helper_program helper;
   struct drm_asahi_timestamps ts;
};

/* 3.6. The header's names of the flags were not in the facts at hand; their bits were. */
#define DRM_ASAHI_RENDER_VERTEX_SCRATCH (1u << 0)
#define DRM_ASAHI_RENDER_PROCESS_EMPTY_TILES (1u << 1)
#define DRM_ASAHI_RENDER_NO_VERTEX_CLUSTERING (1u << 2)
#define DRM_ASAHI_RENDER_DBIAS_IS_INT (1u << 18)
#define DRM_ASAHI_RENDER_FLAGS_MASK (1u << 0 | 1u << 1 | 1u << 2 | 1u << 18)

struct drm_asahi_zls_buffer {
   uint64_t base, comp_base; /* GPU */
   uint32_t stride, comp_stride;
};

struct drm_asahi_bg_eot {
   uint32_t usc; /* USC offset | 4 */
   uint32_t rsrc_spec;
};

struct drm_asahi_cmd_render {
   uint32_t flags;
   uint32_t isp_zls_pixels;
   uint64_t vdm_ctrl_stream_base; /* GPU */
   struct drm_asahi_helper_program vertex_helper, fragment_helper;
   uint64_t isp_scissor_base, isp_dbias_base, isp_oclqry_base; /* GPU */
   struct drm_asahi_zls_buffer depth, stencil;
   uint64_t zls_ctrl, ppp_multisamplectl, sampler_heap;
   uint32_t ppp_ctrl;
   uint16_t width_px, height_px, layers, sampler_count;
   uint8_t utile_width_px, utile_height_px, samples, sample_size_B;
   uint32_t isp_merge_upper_x, isp_merge_upper_y;
   struct drm_asahi_bg_eot bg, eot, partial_bg, partial_eot;
   uint32_t isp_bgobjdepth, isp_bgobjvals;
   struct drm_asahi_timestamps ts_vtx, ts_frag;
};

#define DRM_ASAHI_IOW(name, type) DRM_IOW(DRM_COMMAND_BASE + DRM_ASAHI_##name, struct drm_asahi_##type)
#define DRM_ASAHI_IOWR(name, type) DRM_IOWR(DRM_COMMAND_BASE + DRM_ASAHI_##name, struct drm_asahi_##type)

#define DRM_IOCTL_ASAHI_GET_PARAMS DRM_ASAHI_IOW(GET_PARAMS, get_params)
#define DRM_IOCTL_ASAHI_GET_TIME DRM_ASAHI_IOWR(GET_TIME, get_time)
#define DRM_IOCTL_ASAHI_VM_CREATE DRM_ASAHI_IOWR(VM_CREATE, vm_create)
#define DRM_IOCTL_ASAHI_VM_DESTROY DRM_ASAHI_IOW(VM_DESTROY, vm_destroy)
#define DRM_IOCTL_ASAHI_VM_BIND DRM_ASAHI_IOW(VM_BIND, vm_bind)
#define DRM_IOCTL_ASAHI_GEM_CREATE DRM_ASAHI_IOWR(GEM_CREATE, gem_create)
#define DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET DRM_ASAHI_IOWR(GEM_MMAP_OFFSET, gem_mmap_offset)
#define DRM_IOCTL_ASAHI_GEM_BIND_OBJECT DRM_ASAHI_IOWR(GEM_BIND_OBJECT, gem_bind_object)
#define DRM_IOCTL_ASAHI_QUEUE_CREATE DRM_ASAHI_IOWR(QUEUE_CREATE, queue_create)
#define DRM_IOCTL_ASAHI_QUEUE_DESTROY DRM_ASAHI_IOW(QUEUE_DESTROY, queue_destroy)
#define DRM_IOCTL_ASAHI_SUBMIT DRM_ASAHI_IOW(SUBMIT, submit)

/* Sizes and offsets of spec/uapi.md, checked against the compiled structs. */
#define ASAHI_REQUEST(name, value) _Static_assert(DRM_IOCTL_ASAHI_##name == (value), #name)
ASAHI_REQUEST(GET_PARAMS, 0x40186440);
ASAHI_REQUEST(GET_TIME, 0xC0106441);
ASAHI_REQUEST(VM_CREATE, 0xC0186442);
ASAHI_REQUEST(VM_DESTROY, 0x40086443);
ASAHI_REQUEST(VM_BIND, 0x40186444);
ASAHI_REQUEST(GEM_CREATE, 0xC0186445);
ASAHI_REQUEST(GEM_MMAP_OFFSET, 0xC0106446);
ASAHI_REQUEST(GEM_BIND_OBJECT, 0xC0286447);
ASAHI_REQUEST(QUEUE_CREATE, 0xC0186448);
ASAHI_REQUEST(QUEUE_DESTROY, 0x40086449);
ASAHI_REQUEST(SUBMIT, 0x4028644A);
#undef ASAHI_REQUEST

#define ASAHI_SIZE(type, bytes) _Static_assert(sizeof(struct drm_asahi_##type) == (bytes), #type)
#define ASAHI_AT(type, field, bytes)                                                                                   \
   _Static_assert(offsetof(struct drm_asahi_##type, field) == (bytes), #type "." #field)

ASAHI_SIZE(params_global, 592);
ASAHI_AT(params_global, features, 0);
ASAHI_AT(params_global, gpu_generation, 8);
ASAHI_AT(params_global, gpu_variant, 12);
ASAHI_AT(params_global, gpu_revision, 16);
ASAHI_AT(params_global, chip_id, 20);
ASAHI_AT(params_global, num_dies, 24);
ASAHI_AT(params_global, num_clusters_total, 28);
ASAHI_AT(params_global, num_cores_per_cluster, 32);
ASAHI_AT(params_global, max_frequency_khz, 36);
ASAHI_AT(params_global, core_masks, 40);
ASAHI_AT(params_global, vm_start, 552);
ASAHI_AT(params_global, vm_end, 560);
ASAHI_AT(params_global, vm_kernel_min_size, 568);
ASAHI_AT(params_global, max_commands_per_submission, 576);
ASAHI_AT(params_global, max_attachments, 580);
ASAHI_AT(params_global, command_timestamp_frequency_hz, 584);

ASAHI_SIZE(get_params, 24);
ASAHI_AT(get_params, param_group, 0);
ASAHI_AT(get_params, pad, 4);
ASAHI_AT(get_params, pointer, 8);
ASAHI_AT(get_params, size, 16);

ASAHI_SIZE(get_time, 16);
ASAHI_AT(get_time, flags, 0);
ASAHI_AT(get_time, gpu_timestamp, 8);

ASAHI_SIZE(vm_create, 24);
ASAHI_AT(vm_create, kernel_start, 0);
ASAHI_AT(vm_create, kernel_end, 8);
ASAHI_AT(vm_create, vm_id, 16);
ASAHI_AT(vm_create, pad, 20);

ASAHI_SIZE(vm_destroy, 8);
ASAHI_AT(vm_destroy, vm_id, 0);
ASAHI_AT(vm_destroy, pad, 4);

ASAHI_SIZE(gem_bind_op, 32);
ASAHI_AT(gem_bind_op, flags, 0);
ASAHI_AT(gem_bind_op, handle, 4);
ASAHI_AT(gem_bind_op, offset, 8);
ASAHI_AT(gem_bind_op, range, 16);
ASAHI_AT(gem_bind_op, addr, 24);

ASAHI_SIZE(vm_bind, 24);
ASAHI_AT(vm_bind, vm_id, 0);
ASAHI_AT(vm_bind, num_binds, 4);
ASAHI_AT(vm_bind, stride, 8);
ASAHI_AT(vm_bind, pad, 12);
ASAHI_AT(vm_bind, userptr, 16);

ASAHI_SIZE(gem_create, 24);
ASAHI_AT(gem_create, size, 0);
ASAHI_AT(gem_create, flags, 8);
ASAHI_AT(gem_create, vm_id, 12);
ASAHI_AT(gem_create, handle, 16);
ASAHI_AT(gem_create, pad, 20);

ASAHI_SIZE(gem_mmap_offset, 16);
ASAHI_AT(gem_mmap_offset, handle, 0);
ASAHI_AT(gem_mmap_offset, flags, 4);
ASAHI_AT(gem_mmap_offset, offset, 8);

ASAHI_SIZE(gem_bind_object, 40);
ASAHI_AT(gem_bind_object, op, 0);
ASAHI_AT(gem_bind_object, flags, 4);
ASAHI_AT(gem_bind_object, handle, 8);
ASAHI_AT(gem_bind_object, vm_id, 12);
ASAHI_AT(gem_bind_object, offset, 16);
ASAHI_AT(gem_bind_object, range, 24);
ASAHI_AT(gem_bind_object, object_handle, 32);
ASAHI_AT(gem_bind_object, pad, 36);

ASAHI_SIZE(queue_create, 24);
ASAHI_AT(queue_create, flags, 0);
ASAHI_AT(queue_create, vm_id, 4);
ASAHI_AT(queue_create, priority, 8);
ASAHI_AT(queue_create, queue_id, 12);
ASAHI_AT(queue_create, usc_exec_base, 16);

ASAHI_SIZE(queue_destroy, 8);
ASAHI_AT(queue_destroy, queue_id, 0);
ASAHI_AT(queue_destroy, pad, 4);

ASAHI_SIZE(sync, 16);
ASAHI_AT(sync, sync_type, 0);
ASAHI_AT(sync, handle, 4);
ASAHI_AT(sync, timeline_value, 8);

ASAHI_SIZE(submit, 40);
ASAHI_AT(submit, syncs, 0);
ASAHI_AT(submit, cmdbuf, 8);
ASAHI_AT(submit, flags, 16);
ASAHI_AT(submit, queue_id, 20);
ASAHI_AT(submit, in_sync_count, 24);
ASAHI_AT(submit, out_sync_count, 28);
ASAHI_AT(submit, cmdbuf_size, 32);
ASAHI_AT(submit, pad, 36);

ASAHI_SIZE(cmd_header, 8);
ASAHI_AT(cmd_header, cmd_type, 0);
ASAHI_AT(cmd_header, size, 2);
ASAHI_AT(cmd_header, vdm_barrier, 4);
ASAHI_AT(cmd_header, cdm_barrier, 6);

ASAHI_SIZE(attachment, 24);
ASAHI_AT(attachment, pointer, 0);
ASAHI_AT(attachment, size, 8);
ASAHI_AT(attachment, pad, 16);
ASAHI_AT(attachment, flags, 20);

ASAHI_SIZE(helper_program, 16);
ASAHI_AT(helper_program, binary, 0);
ASAHI_AT(helper_program, cfg, 4);
ASAHI_AT(helper_program, data, 8);

ASAHI_SIZE(timestamp, 8);
ASAHI_AT(timestamp, handle, 0);
ASAHI_AT(timestamp, offset, 4);

ASAHI_SIZE(timestamps, 16);
ASAHI_AT(timestamps, start, 0);
ASAHI_AT(timestamps, end, 8);

ASAHI_SIZE(cmd_compute, 64);
ASAHI_AT(cmd_compute, flags, 0);
ASAHI_AT(cmd_compute, sampler_count, 4);
ASAHI_AT(cmd_compute, cdm_ctrl_stream_base, 8);
ASAHI_AT(cmd_compute, cdm_ctrl_stream_end, 16);
ASAHI_AT(cmd_compute, sampler_heap, 24);
ASAHI_AT(cmd_compute, helper.binary, 32);
ASAHI_AT(cmd_compute, helper.cfg, 36);
ASAHI_AT(cmd_compute, helper.data, 40);
ASAHI_AT(cmd_compute, ts.start.handle, 48);
ASAHI_AT(cmd_compute, ts.start.offset, 52);
ASAHI_AT(cmd_compute, ts.end.handle, 56);
ASAHI_AT(cmd_compute, ts.end.offset, 60);

ASAHI_SIZE(zls_buffer, 24);
ASAHI_AT(zls_buffer, base, 0);
ASAHI_AT(zls_buffer, comp_base, 8);
ASAHI_AT(zls_buffer, stride, 16);
ASAHI_AT(zls_buffer, comp_stride, 20);

ASAHI_SIZE(bg_eot, 8);
ASAHI_AT(bg_eot, usc, 0);
ASAHI_AT(bg_eot, rsrc_spec, 4);

ASAHI_SIZE(cmd_render, 240);
ASAHI_AT(cmd_render, flags, 0);
ASAHI_AT(cmd_render, isp_zls_pixels, 4);
ASAHI_AT(cmd_render, vdm_ctrl_stream_base, 8);
ASAHI_AT(cmd_render, vertex_helper, 16);
ASAHI_AT(cmd_render, fragment_helper, 32);
ASAHI_AT(cmd_render, isp_scissor_base, 48);
ASAHI_AT(cmd_render, isp_dbias_base, 56);
ASAHI_AT(cmd_render, isp_oclqry_base, 64);
ASAHI_AT(cmd_render, depth, 72);
ASAHI_AT(cmd_render, stencil, 96);
ASAHI_AT(cmd_render, zls_ctrl, 120);
ASAHI_AT(cmd_render, ppp_multisamplectl, 128);
ASAHI_AT(cmd_render, sampler_heap, 136);
ASAHI_AT(cmd_render, ppp_ctrl, 144);
ASAHI_AT(cmd_render, width_px, 148);
ASAHI_AT(cmd_render, height_px, 150);
ASAHI_AT(cmd_render, layers, 152);
ASAHI_AT(cmd_render, sampler_count, 154);
ASAHI_AT(cmd_render, utile_width_px, 156);
ASAHI_AT(cmd_render, utile_height_px, 157);
ASAHI_AT(cmd_render, samples, 158);
ASAHI_AT(cmd_render, sample_size_B, 159);
ASAHI_AT(cmd_render, isp_merge_upper_x, 160);
ASAHI_AT(cmd_render, isp_merge_upper_y, 164);
ASAHI_AT(cmd_render, bg, 168);
ASAHI_AT(cmd_render, eot, 176);
ASAHI_AT(cmd_render, partial_bg, 184);
ASAHI_AT(cmd_render, partial_eot, 192);
ASAHI_AT(cmd_render, isp_bgobjdepth, 200);
ASAHI_AT(cmd_render, isp_bgobjvals, 204);
ASAHI_AT(cmd_render, ts_vtx, 208);
ASAHI_AT(cmd_render, ts_frag, 224);
#undef ASAHI_SIZE
#undef ASAHI_AT

#endif
