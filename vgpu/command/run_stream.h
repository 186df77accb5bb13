/* SPDX-License-Identifier: MIT
 *
 * Running the command stream of one compute command.
 */
#ifndef VGPU_RUN_STREAM_H
#define VGPU_RUN_STREAM_H

#include <pthread.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/timing/command/command.h"
#include "vgpu/vgpu.h"

struct vgpu_cdm;      /* vgpu/command/cdm.h */
struct vgpu_programs; /* vgpu/command/programs.h */
struct vgpu_waiting;  /* launches of a stream that have been read and not run */

/* The parts of a device that its streams use. One stream runs at a time. */
struct vgpu_stream_device {
   struct vgpu_programs *programs; /* where launches are counted */
   pthread_mutex_t *lock;          /* for that */
   struct vgpu_waiting **waiting;  /* NULL in it at first; free() it in the end */
   uint64_t profiled; /* where the launch has a profile: of `programs`' this one alone; UINT64_MAX: of each */
};

/* The outcome of a command. */
struct vgpu_command_result {
   enum vgpu_fault fault; /* the first in the order of the stream */
   char message[sizeof(((struct vgpu_counters *)0)->last_fault)];
   uint64_t cycles, instructions, thread_instructions; /* up to the launch that faulted, that one included */
   uint64_t without_caches;                            /* of these, launches: struct vgpu_outcome */
   struct vgpu_command_time time;
   struct vgpu_soft_faults soft;
};

/* Runs the stream from its start (vgpu_cdm_start()) to its end; `result` must be zero except for `time`. Blocks and
 * launches count against cdm->launch.work.
 *
 * Launches separated by a barrier that orders them (vgpu_cdm_barrier_orders()) run one after the other, and each sees
 * everything that earlier ones wrote. Others may overlap, up to the device's number of host threads, and are started in
 * order; the stream and their USC words may be read before any of them runs. This requires that the timing model and
 * the checks are off, and order=any; otherwise all launches run one after the other. After a fault, launches that are
 * already running are completed. Called without the lock. */
void vgpu_run_stream(const struct vgpu_stream_device *device, struct vgpu_cdm *cdm, struct vgpu_command_result *result);

#endif
