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
   double timestamp_step_ns;   /* step of the counter behind the timestamps */
   uint32_t commands_max;      /* most commands of one submission, 1 to ASAHI_COMMANDS_MAX */
   /* time under load until a clock that follows the load has settled; 0: the clock does not follow the load */
   uint64_t settle_ns;
   /* virtual: the model's clock; hardware, or a virtual device whose clock changes: 0 (infer it) */
   uint64_t clock_hz;
   /* The clocks that the device may choose, ascending: from the device tree, or those of a virtual device whose clock
    * follows the load. */
   uint64_t operating_points[ASAHI_OPERATING_POINTS_MAX];
   uint32_t operating_point_count; /* 0: the clocks are not known */
   char disturbance[160];          /* virtual: the effect of its options on timestamps; "": none */
};

/* Sets the members that follow from chip class, dies and features: soft_faults, atomic_coherency, atomics_64. */
void asahi_info_derive(struct asahi_device_info *info);

/* Whether this spec opens a virtual device. "auto" does if the machine has no asahi render node. */
bool asahi_spec_is_virtual(const char *spec);

/* One device that could be opened. */
struct asahi_candidate {
   char path[128];
   char description[256]; /* "Apple M1 (G13G B1)", "not accessible: Permission denied (add yourself to group render)" */
   bool usable;
};
/* Fills in up to `count` candidates: render nodes first, or one entry with the reason why there is none; then
 * "virtual:..." devices. Returns their number. */
size_t asahi_candidates(struct asahi_candidate *candidates, size_t count);

/* spec: "auto", a render node's path, or "virtual:CHIP[,option...]". auto opens the first asahi render node, else
 * virtual:m1, and writes its choice and the reason to `why` (may be NULL). On failure *out is NULL and `why` has the
 * message. -ENODEV no such device, -EACCES no permission, -ENOTSUP not driven by asahi, -EINVAL bad spec. */
int asahi_device_open(const char *spec, struct asahi_device **out, char *why, size_t why_size);
void asahi_device_close(struct asahi_device *device); /* NULL is fine */
const struct asahi_device_info *asahi_device_get_info(const struct asahi_device *device);
/* The last failure on this device, one line; "" if none. */
const char *asahi_device_error(const struct asahi_device *device);
/* Reads the device's clock in nanoseconds. */
int asahi_device_time(struct asahi_device *device, uint64_t *nanoseconds);

/* Reads the counters of a virtual device; -ENOTTY on hardware. struct vgpu_counters: vgpu/vgpu.h. */
struct vgpu_counters;
int asahi_device_counters(struct asahi_device *device, struct vgpu_counters *counters);
/* Sets how many simdgroup instructions a job of a virtual device may execute, unless its options budget= or work= set
 * one; 0, the initial value: as many as the time limit of the submission stands for. -ENOTTY on hardware. */
int asahi_device_set_budget(struct asahi_device *device, uint64_t instructions);

/* Tells a virtual device that the compute commands that follow are load alone, all alike, whose results nobody reads:
 * it need not execute them all. load: a number for these commands; 0: others follow. Hardware is told nothing. */
int asahi_device_set_load(struct asahi_device *device, uint32_t load);

/* Reads the report number `index`, from 0, of the checks of a virtual device (option check=) since it was opened.
 * report->total is the number of reports; for an index beyond it the rest is zero. -ENOTTY on hardware. struct
 * vgpu_check_report: vgpu/checks.h. */
struct vgpu_check_report;
int asahi_device_check(struct asahi_device *device, uint32_t index, struct vgpu_check_report *report);

/* Sets a function that is called while a job is waited for, and tells whether the client wants to stop. A virtual
 * device then aborts the job, and the submission fails with -EINTR; its post-mortem describes the job. Hardware cannot
 * abort a job, so it is waited for. NULL: no function. */
void asahi_device_interrupt(struct asahi_device *device, bool (*requested)(void *data), void *data);

/* Reads where the simdgroups of a virtual device's last failed job were; fault VGPU_FAULT_NONE: no job failed, or there
 * is no information about it. -ENOTTY on hardware. struct vgpu_postmortem: vgpu/postmortem.h. */
struct vgpu_postmortem;
int asahi_device_postmortem(struct asahi_device *device, struct vgpu_postmortem *postmortem);

/* Reads the profile of a virtual device's last launch (option profile): the sums, and the row of that index. -ENOTTY on
 * hardware and without the option. struct vgpu_profile_request: vgpu/vgpu.h. */
struct vgpu_profile_request;
int asahi_device_profile(struct asahi_device *device, uint32_t index, struct vgpu_profile_request *request);
/* Sets the contents of the next profiles. The plan and what it points to must live until another one is set or the
 * device is closed. Returns 0, or -ENOTTY as above. struct vgpu_profile_plan: vgpu/profile.h. */
struct vgpu_profile_plan;
int asahi_device_plan_profile(struct asahi_device *device, const struct vgpu_profile_plan *plan);

/* Reads what an instruction of a virtual device's last launch read and wrote (option trace, with check=); the index
 * counts in the order of execution. -ENOTTY on hardware and without the options. struct vgpu_trace_request:
 * vgpu/vgpu.h. */
struct vgpu_trace_request;
int asahi_device_trace(struct asahi_device *device, uint32_t index, struct vgpu_trace_request *request);

/* Names the current use of a virtual device, to which rules of option inject= may refer. -ENOTTY on hardware. */
int asahi_device_set_scope(struct asahi_device *device, const char *scope);

/* Returns the limit for the bytes of all buffers of a device together, on hardware. */
uint64_t asahi_memory_limit(void);
/* Creates zeroed memory that is mapped on both sides and cached by the CPU. size in bytes, > 0 (rounded up to 16 KiB
 * inside). */
int asahi_buffer_create(struct asahi_device *device, size_t size, struct asahi_buffer **out);
/* The same with `margin` bytes (whole pages of 16 KiB) of mapped memory before it and as many behind its last page, so
 * that a shader's writes there can be detected. */
int asahi_buffer_create_between(struct asahi_device *device, size_t size, size_t margin, struct asahi_buffer **out);
/* Sets the name that messages of a virtual device use for it: "buffer 1 (in)". Cut to 63 characters. */
void asahi_buffer_name(struct asahi_device *device, const struct asahi_buffer *buffer, const char *name);
void asahi_buffer_destroy(struct asahi_device *device, struct asahi_buffer *buffer); /* NULL is fine */
void *asahi_buffer_map(struct asahi_buffer *buffer);
uint64_t asahi_buffer_address(const struct asahi_buffer *buffer); /* GPU VA */
size_t asahi_buffer_size(const struct asahi_buffer *buffer);      /* bytes as asked for */
/* Returns the bytes of mapped memory before its first byte and behind its last one, which belong to no other buffer. */
size_t asahi_buffer_before(const struct asahi_buffer *buffer);
size_t asahi_buffer_behind(const struct asahi_buffer *buffer);

/* Uploads code and constants into the USC window, and prepares the constant part of the USC words of its dispatches.
 * `program` may be destroyed afterwards. -EINVAL: agx_program_check() has the reason. */
int asahi_program_upload(struct asahi_device *device, const struct agx_program *program, struct asahi_program **out);
void asahi_program_destroy(struct asahi_device *device, struct asahi_program *program); /* NULL is fine */

/* Uploads the helper program, which hands out stack memory to kernels that use scratch (spec/uapi.md 4.5); it is
 * compiled with Mesa's libagx_helper. It replaces an earlier one. Without it, asahi_run() refuses such kernels with
 * -ENOTSUP. -EINVAL: the program cannot be a helper. */
int asahi_device_set_helper(struct asahi_device *device, const struct agx_program *program);

struct asahi_dispatch {
   struct asahi_program *program;
   uint32_t grid[3];  /* threads; each a multiple of group[i], unless `partial` */
   uint32_t group[3]; /* threads of a threadgroup; product 1..1024 */
   uint32_t work_dim; /* 1..3; 0 means 3 */
   uint32_t global_offset[3];
   const void *arguments; /* the argument block, program->argument_bytes long */
   size_t argument_bytes;
   uint32_t extra_threadgroup_bytes; /* in addition to the program's own: local arguments, or to limit occupancy */
   uint16_t half_registers;          /* 0: the program's; larger: to limit occupancy */
   bool partial;                     /* the last threadgroups of a dimension may have fewer threads than group[i] */
   bool beyond_registers;            /* leave it to a virtual device to reject too many registers */
};

/* Fields of a command stream whose values differ among drivers (spec/launch.md, "CDM barrier bits"). */
struct asahi_cdm_options {
   uint32_t barrier; /* mask of the barrier after each launch, bits 0..28 of its word */
   /* field of launch word 0, 0..7: Mesa 25.0 writes 0, newer ones 1 if there are no textures */
   unsigned texture_field;
};
/* The values that Mesa 25.0.7 writes. */
extern const struct asahi_cdm_options asahi_cdm_defaults;

#define ASAHI_COMMANDS_MAX 64 /* of one submission: the limit of this client, and of every kernel so far */

/* One command: launches, with a CDM barrier after each. */
struct asahi_command {
   const struct asahi_dispatch *dispatches;
   size_t count;                        /* of dispatches, > 0 */
   const struct asahi_cdm_options *cdm; /* NULL: asahi_cdm_defaults */
};

/* On hardware a time limit is time. On a virtual device it is work, because the time of an emulation depends on the
 * host and its other load: this limit stands for VGPU_DEFAULT_BUDGET (vgpu/vgpu.h) simdgroup instructions of a job, and
 * others are proportional. The fence of a job that exceeds it has ETIMEDOUT. */
#define ASAHI_DEFAULT_TIMEOUT_NS UINT64_C(10000000000)

struct asahi_timing {
   uint64_t start_ns, end_ns; /* times of the command by the device's timestamps */
};

/* Submits the commands at once and waits up to timeout_ns for all of them. Each command starts when the previous one
 * has ended. count: 1 to asahi_device_info.commands_max. timings: one for each command, or NULL. -ETIMEDOUT, -EIO (GPU
 * fault), -ECANCELED, -ENODEV, -ENODATA: the fence's error; -ETIME: the client's time limit passed and the job may
 * still run (on a virtual device only with its option inject=hang). -EINVAL: no device accepts the dispatch; the error
 * line has the reason. */
int asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count, uint64_t timeout_ns,
                 struct asahi_timing *timings);
/* The queues of a device. asahi_submit() uses the main one; the others are created on first use. */
enum asahi_queue {
   ASAHI_QUEUE_MAIN,   /* medium priority, the highest that the kernel grants */
   ASAHI_QUEUE_SECOND, /* medium priority */
   ASAHI_QUEUE_LOW,    /* low priority */
   ASAHI_QUEUES,
};
/* Submits command i as a separate job to queues[i], in this order and without waiting in between; then waits up to
 * timeout_ns for all of them. Jobs of one queue run one after the other; the order of jobs of different queues is up to
 * the GPU. Returns errors as above, those of the first job that has one. All jobs share one piece of stack memory:
 * -EINVAL if a program needs it. */
int asahi_submit_apart(struct asahi_device *device, const struct asahi_command *commands,
                       const enum asahi_queue *queues, size_t count, uint64_t timeout_ns, struct asahi_timing *timings);
/* Calls asahi_submit() with one command of these dispatches. */
int asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count, uint64_t timeout_ns,
              struct asahi_timing *timing);

/* Called just before every submission, for a journal that names the job which crashed the machine. */
struct asahi_watch {
   void (*before_submit)(void *data);
   void *data;
};
/* Sets the watch for later submissions; the struct is copied. NULL: none. */
void asahi_device_watch(struct asahi_device *device, const struct asahi_watch *watch);

#endif
