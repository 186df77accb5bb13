/* SPDX-License-Identifier: MIT
 *
 * A saved job that runs on a device of its own, for the commands that examine it.
 */
#ifndef AGX_RUNNER_REPLAY_JOB_RUN_H
#define AGX_RUNNER_REPLAY_JOB_RUN_H

#include "agx_runner/replay/job_commands.h"
#include "agx_runner/replay/job_programs.h"

struct job_run {
   const struct job_settings *settings;
   struct saved_job job;
   struct asahi_device *device;
   struct replay replay;
};

/* Reads the job. Prints messages; returns an enum exit_code. job_run_finish() must follow in any case. */
int job_run_read(struct job_run *run, const struct job_settings *settings);
/* Returns the device's name; "auto" is one that fits the job. */
const char *job_run_device(const struct job_run *run);
/* Opens the device with those options appended to its name (",profile"; "": none), and runs the job to its end, which
 * may be a fault. It may be called again, which closes the earlier device. */
int job_run_submit(struct job_run *run, const char *options);
void job_run_finish(struct job_run *run);

#endif
