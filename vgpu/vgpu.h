/* SPDX-License-Identifier: MIT
 *
 * The virtual AGX GPU: answers the Asahi uAPI in process and executes the machine code it is given. What it
 * says of time comes from a model, and of memory from an emulation; nothing here is a measurement of hardware.
 */
#ifndef VGPU_VGPU_H
#define VGPU_VGPU_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "drm/uapi/kernel.h"
#include "vgpu/checks.h"
#include "vgpu/postmortem.h"
#include "vgpu/profile.h"
#include "vgpu/trace.h"

/* Opens a virtual device. spec: chip name, then comma-separated options: "m1", "m2-max,timing=off". Chips: m1,
 * m1-pro, m1-max, m1-ultra, m2, m2-pro, m2-max, m2-ultra. Options: timing=on|off; threads=N (host threads,
 * default all); order=any|fixed (fixed: threadgroups run in one order whatever threads= says, on one host thread, so
 * that memory is the same even where the order of atomics decides); seed=N; budget=N (instructions of
 * a simdgroup before it counts as endless) and work=N (instructions of all simdgroups of a job before it counts as too
 * large, a launch as 256 more); strict (refuse what the kernel leaves unchecked but no client should
 * send: pads, unmapped addresses, reserved bits of streams and USC words; and a shader's access to unmapped memory is a
 * fault); faults=fence|lost (what the client sees of a job that faults: an error in the job's fence, as the kernel
 * does, or from then on ENODEV for all requests, as of a device that is gone); clock=fixed|wander and
 * jitter=TIME|P%, 200ns or 3us or 1% (vgpu/timing/command/clock.h); dvfs=off|real|PART+PART of clock, power, command
 * and counter, compositor[=PERIOD:LENGTH] (vgpu/timing/command/load.h); hosttime=host|TIME, the idle time between two
 * jobs (with a TIME, device time does not depend on the host); params=FILE (vgpu/timing/params_file.h);
 * caches=warm|cold (cold: each launch starts with empty caches, so that its time does not depend on those before it);
 * jit=off|auto|on (blocks become host code: vgpu/jit/jit.h); level=NAME (the host's vector instructions that are used:
 * vgpu/exec/levels/levels.h; by default all); profile (where the time of the last launch goes, or with
 * profile=N of launch N, from 0 on: vgpu/profile.h); check=off|all|CHECK+CHECK of bounds, races, undefined and hazards
 * (vgpu/checks.h, docs/checking.md); inject=... and scope=TEXT (vgpu/driver/inject.h). Returns the device's fd number
 * (meaningful to *kernel only) or a negative errno with the reason in message: -EINVAL unknown chip or option, -ENOMEM.
 */
int vgpu_open(const char *spec, struct asahi_kernel **kernel, char *message, size_t message_size);

/* The names that vgpu_open takes as a chip, NULL-terminated. */
const char *const *vgpu_chip_names(void);

/* A request that only virtual devices answer (type 'v', so that a kernel says ENOTTY or EINVAL): what the
 * device counted since it was opened. */
#define VGPU_OPERATING_POINTS_MAX 16
struct vgpu_counters {
   uint64_t jobs;                      /* commands finished, faulted ones included */
   uint64_t instructions;              /* executed, one per simdgroup */
   uint64_t thread_instructions;       /* the same times active lanes */
   uint64_t soft_fault_loads;          /* lanes that loaded from unmapped memory and got 0 */
   uint64_t soft_fault_stores;         /* lanes whose store or atomic to unmapped memory vanished */
   uint64_t soft_fault_address;        /* of the first one: of a main program if there is one, else of a preamble */
   uint64_t soft_fault_preamble_loads; /* of soft_fault_loads, those of preambles */
   uint64_t cycles;                    /* modelled GPU cycles of all jobs */
   uint64_t without_caches;            /* launches with too many accesses for the caches' model: timed as from the L2 */
   uint64_t clock_hz;                  /* the model's clock; 0: it wanders */
   uint64_t settle_ns;                 /* of load, until the clock has followed it; 0: it does not follow the load */
   uint64_t operating_points[VGPU_OPERATING_POINTS_MAX]; /* that the clock follows the load in, rising, Hz; or 0 */
   uint64_t timestamp_hz;    /* of the counter that timestamps step with; 0: they are exact to the nanosecond */
   uint32_t checks;          /* enum vgpu_check bits: those that are on */
   uint64_t resource_faults; /* commands that asked for more threads, registers or memory than a core has */
   uint64_t stuck;           /* 1: the job that runs does not end before its file is closed (inject=hang) */
   uint64_t compiled_blocks, compiled_instructions; /* that became host code; all their launches together */
   uint64_t compile_ns;                             /* processor time that this took */
   char compile_refusal[128];                       /* why a block, or any, was not compiled; or "" */
   char disturbance[160];      /* of timestamps, by the device's options: "the clock wanders"; or "" */
   char soft_fault_place[160]; /* of soft_fault_address: "main + 0x1c: load r4, ..." */
   char soft_fault_where[192]; /* where it lies: "260 bytes before buffer 1 (in)"; "": the client told no buffers */
   char last_fault[448];       /* what the kernel log would say of the last hard fault or timeout; or "" */
};
/* In `disturbance`, where launches, barriers and commands take time besides their instructions. */
#define VGPU_COMMANDS_COST "launches and commands cost time"
#define VGPU_IOCTL_COUNTERS _IOR('v', 0, struct vgpu_counters)

/* Another one: what the device is used for from now on, as option scope= says it at first. Rules of inject= count anew.
 */
struct vgpu_scope {
   char name[512];
};
#define VGPU_IOCTL_SCOPE _IOW('v', 1, struct vgpu_scope)

/* What the checks have found since the device was opened: one report, by its index. */
#define VGPU_IOCTL_CHECK _IOWR('v', 2, struct vgpu_check_report)

/* Tells an exact size that the uAPI rounds up, so that VGPU_CHECK_BOUNDS can see accesses to the rest, and what
 * messages call a buffer. A buffer that is told again has another name. */
enum vgpu_range_kind {
   VGPU_RANGE_BUFFER,      /* the buffer that is bound at the address; 0 bytes: it is freed */
   VGPU_RANGE_INTERNAL,    /* likewise, of the client's own: messages pass over it, and shaders may not write to it */
   VGPU_RANGE_THREADGROUP, /* the threadgroup memory of launches whose USC words are at the address. ENOTTY: that check
                              is off, and nothing else needs it */
};
struct vgpu_range_request {
   uint32_t vm_id, kind; /* enum vgpu_range_kind */
   uint64_t address, bytes;
   char name[64]; /* of a buffer: "buffer 1 (in)"; "": none */
};
#define VGPU_IOCTL_RANGE _IOW('v', 3, struct vgpu_range_request)

/* Where the modelled time of the last launch went: its sums, the row of one instruction, and the group of events of the
 * same index. ENOTTY without option profile. */
#define VGPU_PROFILE_EVENTS_EACH 64u /* of a group */
struct vgpu_profile_request {
   uint32_t index, total; /* rows; a row past them is zero */
   struct vgpu_profile_sum sum;
   struct vgpu_profile_row row;
   uint64_t events_total, events_dropped; /* kept; not kept */
   uint32_t event_count, pad;             /* of the group */
   struct vgpu_profile_event events[VGPU_PROFILE_EVENTS_EACH];
};
#define VGPU_IOCTL_PROFILE _IOWR('v', 4, struct vgpu_profile_request)
/* Sets what profiles of launches contain from now on (vgpu/profile.h). The plan's memory must live as long as the
 * device. Its function is called by a thread of the device, in the client's process. ENOTTY without option profile. */
struct vgpu_profile_plan_request {
   const struct vgpu_profile_plan *plan; /* NULL: profiles without a plan */
};
#define VGPU_IOCTL_PROFILE_PLAN _IOW('v', 16, struct vgpu_profile_plan_request)

/* The simdgroup instructions that a job may execute from now on, where neither budget= nor work= is given. 0: as at
 * first, when a job may execute any number, and each simdgroup VGPU_DEFAULT_BUDGET. That ends an endless kernel after
 * some seconds of emulation; the firmware's own limit is not known (spec/uapi.md 3.10), and the jobs that we measure
 * stay far below. */
#define VGPU_DEFAULT_BUDGET (UINT64_C(1) << 28)
#define VGPU_IOCTL_WORK _IOW('v', 5, uint64_t)

/* One of the instructions that the last launch executed, by its index in the order of execution. ENOTTY without option
 * trace, or without check=. */
struct vgpu_trace_request {
   uint32_t index, total; /* an entry past them is zero */
   uint64_t dropped;      /* that are not kept */
   struct vgpu_trace_entry entry;
};
#define VGPU_IOCTL_TRACE _IOWR('v', 6, struct vgpu_trace_request)

/* The post-mortem of counters' last_fault; its fault is VGPU_FAULT_NONE where there is none. */
#define VGPU_IOCTL_POSTMORTEM _IOR('v', 7, struct vgpu_postmortem)

/* Uniforms that a launch starts with: consecutive ones, from memory. */
#define VGPU_UNIFORM_WORDS 32u
struct vgpu_uniform_words {
   uint64_t address;       /* GPU address of their values */
   uint16_t start, halves; /* half uniforms */
   uint32_t pad;
};

/* One of the launches that have ended since the device was opened, by its index in their order. With VGPU_LAUNCH_STAGE
 * in the index, one of the programs of render passes instead: its first launch. */
#define VGPU_LAUNCH_STAGE (1u << 31)
#define VGPU_LAUNCHES_KEPT 4096u /* the first ones */
struct vgpu_launch_request {
   uint32_t index, total; /* launches that are kept; one past them is zero */
   uint64_t dropped;      /* that are not kept */
   struct vgpu_launch_info {
      uint64_t code, preamble; /* GPU addresses; no preamble: 0 */
      uint32_t grid[3], group[3];
      uint32_t half_registers, preamble_half_registers;
      uint32_t threadgroup_bytes, faulted;
      uint64_t instructions, cycles; /* one per simdgroup; modelled, 0 with timing=off */
      char stage[16];                /* "compute", "vertex", "fragment", "background", "end-of-tile" */
      uint32_t spill_bucket;         /* of the USC words: 0, or n: up to 8 << (n - 1) words of scratch a thread */
      uint32_t uniform_count;        /* of uniforms[]; more than VGPU_UNIFORM_WORDS: the rest is not kept */
      struct vgpu_uniform_words uniforms[VGPU_UNIFORM_WORDS];
   } launch;
};
#define VGPU_IOCTL_LAUNCH _IOWR('v', 8, struct vgpu_launch_request)

/* Gives up the file's jobs: those that wait, and the one that runs, which ends soon. Their fences carry ECANCELED. */
#define VGPU_IOCTL_ABANDON _IO('v', 9)

/* Not 0: the compute commands from now on are load that keeps the clock up, all alike, whose results nobody reads. The
 * number tells one load from another. The device executes the first VGPU_LOAD_EXECUTED of a load's commands; each of
 * the others takes the time of the last one executed, also when the load comes again. 0: commands are executed again.
 * Without effect with timing=off. */
#define VGPU_LOAD_EXECUTED 2u
#define VGPU_IOCTL_LOAD _IOW('v', 17, uint32_t)

#endif
