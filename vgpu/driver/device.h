/* SPDX-License-Identifier: MIT
 *
 * The virtual device behind a struct asahi_kernel, and what is open of it. One lock guards all of it; only the
 * worker thread gives it up, while it runs a job.
 */
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "drm/uapi/kernel.h"
#include "vgpu/command/programs.h"
#include "vgpu/command/run_stream.h"
#include "vgpu/launch.h"
#include "vgpu/timing/chip.h"
#include "vgpu/timing/command/clock.h"
#include "vgpu/timing/command/load.h"
#include "vgpu/driver/gem.h"
#include "vgpu/jit/jit.h"
#include "vgpu/driver/inject.h"
#include "vgpu/render/plant.h"
#include "vgpu/driver/sync.h"
#include "vgpu/driver/id_allocator.h"
#include "vgpu/vgpu.h"

struct vgpu_job;   /* vgpu/driver/queue.h */
struct vgpu_queue; /* likewise */

/* From the spec of vgpu_open(). */
struct vgpu_options {
   bool timing;
   unsigned threads;
   bool fixed_order;                    /* of threadgroups: one host thread runs them all */
   bool strict;                         /* refuse what no client should send, though the kernel does not check it */
   bool lost;                           /* faults=lost: the device is lost with the first job that faults */
   uint64_t seed;                       /* seed of all random numbers of the device */
   uint64_t budget, work;               /* of a simdgroup, and of a job */
   bool budget_is_given, work_is_given; /* then the client does not say them */
   unsigned checks;                     /* enum vgpu_check bits */
   struct vgpu_inject inject;
   struct vgpu_plant plant;
   struct vgpu_clock_options clock;
   struct vgpu_load_options load;
   bool fixed_idle; /* hosttime=: the time between two jobs is idle_ns, not the host's */
   uint64_t idle_ns;
   struct vgpu_params params; /* of the timing model */
   bool profile;              /* record where the time of a launch goes */
   uint64_t profiled;         /* of which one, by its number since the device was opened; UINT64_MAX: the last one */
   bool trace;                /* record what each instruction reads and writes; with checks */
   bool cold_caches;          /* each launch starts with empty caches */
   enum vgpu_jit_mode jit;    /* which blocks become host code */
   const struct vgpu_level *level; /* of the host's vector instructions */
   char collect[512];              /* folder for the programs that are launched; "": none */
   char record[512];               /* folder for the jobs that are run; "": none */
   char reason[256];               /* why an option's value is refused, where that takes more than its row says */
};

/* The object behind a file descriptor of this device. */
enum vgpu_fd_kind { VGPU_FD_FILE, VGPU_FD_SYNC_FILE, VGPU_FD_SYNCOBJ, VGPU_FD_BUFFER };

struct vgpu_fd {
   enum vgpu_fd_kind kind;
   union {
      struct vgpu_file *file;
      struct vgpu_fence *fence;
      struct vgpu_syncobj *syncobj;
      struct vgpu_bo *bo;
   };
};

struct vgpu_device {
   struct asahi_kernel kernel; /* first: what the client holds */
   const struct vgpu_chip *chip;
   struct vgpu_options options;

   pthread_mutex_t lock;
   pthread_cond_t changed; /* a fence was signalled, a syncobj got one, a job came or ended, something closes */
   pthread_t worker;
   bool stop; /* the worker shall end */

   struct vgpu_ids fds; /* struct vgpu_fd */
   unsigned files;      /* open ones */
   int user_fd;         /* vgpu/driver/user.h */
   struct vgpu_heap heap;
   struct vgpu_fence *signaled; /* the fence of whatever is signalled from the start */
   uint64_t serial;             /* last number given: fence contexts, VMs, jobs */
   uint64_t object_bytes;       /* bound to the firmware's window: 1.10 */

   struct vgpu_queue *queues; /* all that exist */
   struct vgpu_job *running;
   bool dead;                                    /* the firmware is gone: spec/uapi.md 3.10 b */
   atomic_bool cancel;                           /* the running job's file is being closed, or has given it up */
   int64_t clock_skew;                           /* of the device's clock to the host's, ns */
   struct vgpu_clock clock;                      /* the worker's alone */
   struct vgpu_profile profile;                  /* of the last launch; option profile */
   const struct vgpu_profile_plan *profile_plan; /* what profiles are to hold; NULL: nothing special */
   struct vgpu_trace trace;                      /* of the last launch; option trace */
   bool repeats;                                 /* commands are load: VGPU_IOCTL_LOAD */
   uint32_t load_number;                         /* of the last load; 0: none yet */
   unsigned executed;                            /* commands of that load */
   struct vgpu_command_result repeated;          /* the last executed one's result */
   struct vgpu_hierarchy *caches;      /* of the timing model, likewise; NULL: timing is off, or cold_caches */
   struct vgpu_host_threads *host;     /* that run launches */
   const struct vgpu_level *level;     /* of the host's instructions */
   struct vgpu_compiler *compiler;     /* of hot blocks; NULL: none */
   struct vgpu_kept *kept;             /* programs of launches */
   struct vgpu_spare *spare;           /* the host's memory of launches */
   struct vgpu_collection *collection; /* of programs, with collect=; the worker's alone */
   struct vgpu_waiting *waiting;       /* the worker's alone; NULL: none yet */
   struct vgpu_load load;              /* likewise; used with dvfs= and compositor only */
   double job_ns;                      /* the end of the running job's last command on the device's clock, with dvfs= */
   uint64_t idle_since;                /* CLOCK_MONOTONIC at the end of the last job, ns; 0: none yet */
   struct vgpu_counters counters;      /* but for the soft faults */
   struct vgpu_soft_faults soft;
   struct vgpu_programs programs;             /* what was launched */
   uint64_t faults;                           /* commands that ended with a hard fault or a timeout */
   struct vgpu_check_log checks;              /* findings of the checks in the finished commands */
   struct vgpu_check_log running_checks;      /* the running command's: the worker's alone */
   struct vgpu_postmortem postmortem;         /* of counters.last_fault */
   struct vgpu_postmortem running_postmortem; /* the running command's: the worker's alone */
   struct vgpu_races *races;                  /* likewise; NULL: none yet */
   struct vgpu_order *order;                  /* of the last jobs, likewise; NULL: VGPU_CHECK_HAZARDS is off */
   uint64_t synced;                           /* how often a client has asked for the end of something */
   struct vgpu_uses *uses;                    /* of the running command, in it */
   struct vgpu_pages *saved_pages;            /* of the saved jobs, with record=; NULL: none yet */
   char fault[432];                           /* counters.last_fault without the number of the job */
   bool lost;                                 /* a job has faulted, and faults=lost: all requests answer ENODEV */
   /* Called at the end of each job, before its client sees the end, by the worker with the lock held. NULL: no call. */
   void (*job_ended)(struct vgpu_device *device);
};

/* One open device file. */
struct vgpu_file {
   struct vgpu_device *device;
   struct vgpu_ids bos, syncobjs, vms, queues, objects;
   unsigned users; /* calls inside, which may sleep */
   bool closing;   /* those shall leave */
};

/* Nanoseconds. */
uint64_t vgpu_device_clock(struct vgpu_device *device);
/* Never less than `ns` from now on. */
void vgpu_device_clock_reach(struct vgpu_device *device, uint64_t ns);
uint64_t vgpu_device_serial(struct vgpu_device *device);

/* Sleeps until device->changed or the deadline (CLOCK_MONOTONIC, ns). 0, -ETIME, or -ENODEV: the file is being
 * closed. */
int vgpu_file_wait(struct vgpu_file *file, int64_t deadline_ns);

/* A descriptor for `entry`, whose reference moves into it. The number, or -ENOMEM. */
int vgpu_fd_add(struct vgpu_device *device, struct vgpu_fd entry);
/* Returns the object behind the descriptor; NULL: the descriptor is not ours. */
struct vgpu_fd *vgpu_fd_find(struct vgpu_device *device, int fd);
/* The number, which stands for something, stands for nothing from now on. The caller releases the entry. */
void vgpu_fd_forget(struct vgpu_device *device, int fd);
/* Returns the object behind the descriptor, if it has this kind. -EBADF: it is no descriptor; -EINVAL: another kind. */
int vgpu_fd_get(struct vgpu_device *device, int fd, enum vgpu_fd_kind kind, struct vgpu_fd *out);

/* vgpu_open()'s spec; the message says what is wrong. -EINVAL, -ENOMEM. vgpu_inject_finish(&options->inject) must
 * follow in any case. (options.c) */
int vgpu_options_parse(const char *spec, const struct vgpu_chip **chip, struct vgpu_options *options, char *message,
                       size_t message_size);

#endif
