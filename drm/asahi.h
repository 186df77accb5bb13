/* SPDX-License-Identifier: MIT
 *
 * The Asahi uAPI client: an open device, real or virtual, buffers on it, programs uploaded to it, and
 * dispatches submitted to it and timed by the device's own timestamps.
 *
 * Every function that can fail returns 0 or a negative errno and leaves one line for people in
 * asahi_device_error(): what failed, with which value, and what to do where that is known.
 */
#ifndef DRM_ASAHI_H
#define DRM_ASAHI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"

struct asahi_device;
struct asahi_buffer;
struct asahi_program; /* an agx_program in GPU memory */

#define ASAHI_OPERATING_POINTS_MAX 32

enum asahi_chip_class { ASAHI_G13G, ASAHI_G13X, ASAHI_G14G, ASAHI_G14X };

struct asahi_device_info {
   char name[64];   /* "Apple M1 (G13G B1)" */
   char chip[16];   /* "m1", "m2-max"; "t8103"-like when unknown */
   char path[128];  /* "/dev/dri/renderD128" or "virtual:m1" */
   bool is_virtual; /* timings come from a model */
   enum asahi_chip_class chip_class;
   uint32_t generation, variant, revision, chip_id;
   uint32_t dies, clusters, cores; /* cores: present ones, all clusters */
   uint64_t features;              /* bit 0: soft faults */
   bool soft_faults;
   bool atomic_coherency;      /* device atomics want bit 45: spec/uapi.md section 6 */
   bool atomics_64;            /* umin64 and umax64 exist and mean nothing else: G14 of one die (spec/isa.md 4.3) */
   uint64_t timestamp_hz;      /* command_timestamp_frequency_hz */
   uint32_t max_frequency_khz; /* as the kernel says; not a measured clock */
   double timestamp_step_ns;   /* of the counter behind the timestamps */
   uint32_t commands_max;      /* of one submission, 1 to ASAHI_COMMANDS_MAX */
   uint64_t settle_ns;         /* of load, until a clock that follows the load has settled; 0: the clock does not */
   uint64_t clock_hz;          /* virtual: the model's clock; hardware, or a virtual one that wanders: 0 (infer it) */
   /* Clocks that the device may choose, rising: of the device tree, or of a virtual device whose clock follows the
    * load. */
   uint64_t operating_points[ASAHI_OPERATING_POINTS_MAX];
   uint32_t operating_point_count; /* 0: they are not known */
   char disturbance[160];          /* virtual: what its options do to timestamps; "": nothing */
};

/* Sets what follows from chip class, dies and features: soft_faults, atomic_coherency, atomics_64. */
void asahi_info_derive(struct asahi_device_info *info);

/* Does this spec open a virtual device? "auto" does where the machine has no asahi render node. */
bool asahi_spec_is_virtual(const char *spec);

/* One device that could be opened. */
struct asahi_candidate {
   char path[128];
   char description[256]; /* "Apple M1 (G13G B1)", "not accessible: Permission denied (add yourself to group render)" */
   bool usable;
};
/* Fills up to `count` candidates: render nodes first, or one that says why there is none; then "virtual:..." ones.
 * Returns how many there are. */
size_t asahi_candidates(struct asahi_candidate *candidates, size_t count);

/* spec: "auto", a render node's path, or "virtual:CHIP[,option...]". auto takes the first asahi render node,
 * else virtual:m1, and says which and why in `why` (may be NULL). On failure *out is NULL and `why` holds the
 * message. -ENODEV no such device, -EACCES no permission, -ENOTSUP not driven by asahi, -EINVAL bad spec. */
int asahi_device_open(const char *spec, struct asahi_device **out, char *why, size_t why_size);
void asahi_device_close(struct asahi_device *device); /* NULL is fine */
const struct asahi_device_info *asahi_device_get_info(const struct asahi_device *device);
/* The last failure on this device, one line; "" if none. */
const char *asahi_device_error(const struct asahi_device *device);
/* The device's clock now, nanoseconds. */
int asahi_device_time(struct asahi_device *device, uint64_t *nanoseconds);

/* What a virtual device counted; -ENOTTY on hardware. struct vgpu_counters: vgpu/vgpu.h. */
struct vgpu_counters;
int asahi_device_counters(struct asahi_device *device, struct vgpu_counters *counters);
/* The simdgroup instructions that a job of a virtual device may execute, unless its option budget= says it; 0: what
 * the time limit of the submission counts as, which is so at first. -ENOTTY on hardware. */
int asahi_device_set_budget(struct asahi_device *device, uint64_t instructions);

/* What the checks of a virtual device (option check=) have found since it was opened: the report of that index, from 0;
 * report->total says how many there are, and an index past them leaves the rest zero. -ENOTTY on hardware. struct
 * vgpu_check_report: vgpu/checks.h. */
struct vgpu_check_report;
int asahi_device_check(struct asahi_device *device, uint32_t index, struct vgpu_check_report *report);

/* While a job is waited for, requested() is asked whether the client wants to stop. A virtual device then gives the job
 * up, and the submission fails with -EINTR; what it knows of the job is in its post-mortem. Hardware has no way to end
 * a job: it is waited for. NULL: nobody is asked. */
void asahi_device_interrupt(struct asahi_device *device, bool (*requested)(void *data), void *data);

/* Where the simdgroups of a virtual device's last failed job stood; fault VGPU_FAULT_NONE: no job failed, or nothing is
 * known of it. -ENOTTY on hardware. struct vgpu_postmortem: vgpu/postmortem.h. */
struct vgpu_postmortem;
int asahi_device_postmortem(struct asahi_device *device, struct vgpu_postmortem *postmortem);

/* Where the modelled time of a virtual device's last launch went (option profile): sums, and the row of that index.
 * -ENOTTY on hardware and without the option. struct vgpu_profile_request: vgpu/vgpu.h. */
struct vgpu_profile_request;
int asahi_device_profile(struct asahi_device *device, uint32_t index, struct vgpu_profile_request *request);
/* What the next profiles are to hold. The plan and what it points to must live until another one is set, or the device
 * is closed. 0, or -ENOTTY as above. struct vgpu_profile_plan: vgpu/profile.h. */
struct vgpu_profile_plan;
int asahi_device_plan_profile(struct asahi_device *device, const struct vgpu_profile_plan *plan);

/* What an instruction of a virtual device's last launch read and wrote (option trace, with check=): the index counts in
 * the order of execution. -ENOTTY on hardware and without the options. struct vgpu_trace_request: vgpu/vgpu.h. */
struct vgpu_trace_request;
int asahi_device_trace(struct asahi_device *device, uint32_t index, struct vgpu_trace_request *request);

/* Tells a virtual device what it is used for from now on: option inject= may be about that. -ENOTTY on hardware. */
int asahi_device_set_scope(struct asahi_device *device, const char *scope);

/* The most bytes that the buffers of a device may take together, on hardware. */
uint64_t asahi_memory_limit(void);
/* Zeroed memory, mapped on both sides, CPU-cached. size in bytes, > 0 (rounded up to 16 KiB inside). */
int asahi_buffer_create(struct asahi_device *device, size_t size, struct asahi_buffer **out);
/* The same with `margin` bytes (whole pages of 16 KiB) of mapped memory before it and as many behind its last page:
 * what a shader writes there can be seen. */
int asahi_buffer_create_between(struct asahi_device *device, size_t size, size_t margin, struct asahi_buffer **out);
/* What messages of a virtual device call it: "buffer 1 (in)". Cut to 63 characters. */
void asahi_buffer_name(struct asahi_device *device, const struct asahi_buffer *buffer, const char *name);
void asahi_buffer_destroy(struct asahi_device *device, struct asahi_buffer *buffer); /* NULL is fine */
void *asahi_buffer_map(struct asahi_buffer *buffer);
uint64_t asahi_buffer_address(const struct asahi_buffer *buffer); /* GPU VA */
size_t asahi_buffer_size(const struct asahi_buffer *buffer);      /* bytes as asked for */
/* Bytes of mapped memory before its first byte and behind its last one, which belong to no other buffer. */
size_t asahi_buffer_before(const struct asahi_buffer *buffer);
size_t asahi_buffer_behind(const struct asahi_buffer *buffer);

/* Uploads code and constants into the USC window and prepares what of the USC words does not change from
 * dispatch to dispatch. `program` may be destroyed afterwards. -EINVAL: agx_program_check() says why. */
int asahi_program_upload(struct asahi_device *device, const struct agx_program *program, struct asahi_program **out);
void asahi_program_destroy(struct asahi_device *device, struct asahi_program *program); /* NULL is fine */

/* The helper program, which hands out stack memory to kernels that use scratch (spec/uapi.md 4.5): compiled with
 * Mesa's libagx_helper. Uploaded at once, replacing an earlier one. Until it is set, asahi_run() refuses such
 * kernels with -ENOTSUP. -EINVAL: a program that cannot be a helper. */
int asahi_device_set_helper(struct asahi_device *device, const struct agx_program *program);

struct asahi_dispatch {
   struct asahi_program *program;
   uint32_t grid[3];  /* threads; each a multiple of group[i], unless `partial` */
   uint32_t group[3]; /* threads of a threadgroup; product 1..1024 */
   uint32_t work_dim; /* 1..3; 0 means 3 */
   uint32_t global_offset[3];
   const void *arguments; /* the argument block, program->argument_bytes long */
   size_t argument_bytes;
   uint32_t extra_threadgroup_bytes; /* beyond the program's own: local arguments, or to limit occupancy */
   uint16_t half_registers;          /* 0: the program's; larger: to limit occupancy */
   bool partial;                     /* the last threadgroups of a dimension may have fewer threads than group[i] */
   bool beyond_registers;            /* a virtual device shall say itself whether it has so many registers */
};

/* What the words of a command stream hold that hardware's users differ in (spec/launch.md, "CDM barrier bits"). */
struct asahi_cdm_options {
   uint32_t barrier;       /* mask of the barrier after each launch, bits 0..28 of its word */
   unsigned texture_field; /* of launch word 0, 0..7: Mesa 25.0 writes 0, newer ones 1 where there are no textures */
};
/* What Mesa 25.0.7 writes. */
extern const struct asahi_cdm_options asahi_cdm_defaults;

#define ASAHI_COMMANDS_MAX 64 /* of one submission: this client's limit, and that of every kernel so far */

/* One command: launches, with a CDM barrier after each. */
struct asahi_command {
   const struct asahi_dispatch *dispatches;
   size_t count;                        /* of dispatches, > 0 */
   const struct asahi_cdm_options *cdm; /* NULL: asahi_cdm_defaults */
};

/* A time limit counts time on hardware. On a virtual device it counts work, for how long an emulation takes depends on
 * the host and on what else it does: this long counts as VGPU_DEFAULT_BUDGET (vgpu/vgpu.h) simdgroup instructions of a
 * job, and others in proportion. The job's fence then carries ETIMEDOUT. */
#define ASAHI_DEFAULT_TIMEOUT_NS UINT64_C(10000000000)

struct asahi_timing {
   uint64_t start_ns, end_ns; /* of the command, by the device's timestamps */
};

/* Submits the commands at once and waits up to timeout_ns for all of them. Each command starts when the one before has
 * ended. count: 1 to asahi_device_info.commands_max. timings: one for each command, or NULL. -ETIMEDOUT, -EIO (GPU
 * fault), -ECANCELED, -ENODEV, -ENODATA: the fence's error; -ETIME: our own time limit passed, the job may still run
 * (on a virtual device only with its option inject=hang).
 * -EINVAL: a dispatch no device takes, with why. */
int asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count, uint64_t timeout_ns,
                 struct asahi_timing *timings);
/* The queues of a device. asahi_submit() uses the main one; the others are made at their first use. */
enum asahi_queue {
   ASAHI_QUEUE_MAIN,   /* medium priority, the highest that the kernel grants */
   ASAHI_QUEUE_SECOND, /* medium priority */
   ASAHI_QUEUE_LOW,    /* low priority */
   ASAHI_QUEUES,
};
/* Submits command i as a job of its own to queues[i], in this order and without a wait in between; then waits up to
 * timeout_ns for all. Jobs of one queue run one after the other; what the GPU does with those of different queues is
 * its own affair. Errors as above, of the first job that has one. Stack memory is one piece for all jobs: -EINVAL where
 * a program needs it. */
int asahi_submit_apart(struct asahi_device *device, const struct asahi_command *commands,
                       const enum asahi_queue *queues, size_t count, uint64_t timeout_ns, struct asahi_timing *timings);
/* asahi_submit() of one command with these dispatches. */
int asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count, uint64_t timeout_ns,
              struct asahi_timing *timing);

/* Told of every submission just before it is made: for a journal that names the job which took the machine with it. */
struct asahi_watch {
   void (*before_submit)(void *data);
   void *data;
};
/* From now on; the struct is copied. NULL: none. */
void asahi_device_watch(struct asahi_device *device, const struct asahi_watch *watch);

#endif
