/* SPDX-License-Identifier: MIT
 *
 * Runs the kernel of a launch, once or several times from the same inputs, and reports what went wrong meanwhile.
 */
#ifndef AGX_RUNNER_LAUNCH_RUN_H
#define AGX_RUNNER_LAUNCH_RUN_H

#include "agx_runner/launch/exec.h"
#include "agx_runner/measure/session.h"
#include "vgpu/vgpu.h"

/* Records of a repeated launch. */
struct launch_record {
   bool ended;   /* all repetitions ended, even if with errors */
   bool counted; /* a virtual device counted instructions before and after */
   struct vgpu_counters before, after;
};

/* All of these print messages and return an enum exit_code. */

/* times: nanoseconds of each repetition. */
int launch_run_repeatedly(struct exec *exec, struct session *session, struct asahi_program *program, double *times,
                          struct launch_record *record);
/* Runs another program on the same data. */
int launch_run_again(struct exec *exec, struct session *session, const struct agx_program *other, double *time);
/* Reports loads, stores and atomics of a virtual device's launch that accessed no memory. */
int launch_report_soft_faults(const struct exec *exec, const struct launch_record *record);
/* Checks canaries. They detect less than the check of bounds: if that found something, there is only its report. */
int launch_check_canaries(const struct exec *exec, const struct session *session);

/* Returns a copy of the buffers' contents, one after the other. NULL: out of memory. */
uint8_t *launch_copy_buffers(const struct exec *exec, size_t *bytes);

#endif
