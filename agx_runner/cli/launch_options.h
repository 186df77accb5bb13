/* SPDX-License-Identifier: MIT
 *
 * What exec and explain share: the options of a kernel's launch, and running it (cmd_exec.c).
 */
#ifndef AGX_RUNNER_LAUNCH_OPTIONS_H
#define AGX_RUNNER_LAUNCH_OPTIONS_H

#include "agx_runner/cli/program_rows.h"
#include "agx_runner/driver/launch.h"
#include "agx_runner/explain/explain_launch.h"
#include "agx_runner/launch/exec.h"
#include "agx_runner/options/options.h"
#include "agx_runner/replay/job_commands.h"

/* A kernel, and the settings of its launch. */
struct launch_options {
   struct command_line line;
   struct source_options source;
   struct exec_settings exec;
   const char *device;
   uint64_t seed;
   double timeout; /* time limit of a submission, seconds */
};

extern const struct option_row launch_rows[]; /* arguments and grid: of struct exec_settings */

/* Runs the kernel. explain: the settings of explain, without `compiler`; NULL for exec. check: exec --check. */
int launch_run(const struct launch_options *options, const struct explain_launch_settings *explain, bool check);

/* Returns an option that was given and is for kernels only, not for saved jobs; NULL: there is none. */
const char *launch_kernels_option(const struct launch_options *options);
struct job_settings launch_job_settings(const struct launch_options *options, const char *output);
/* The same launch through the drivers of the Mesa that --mesa names. */
struct driver_launch_settings launch_driver_settings(const struct launch_options *options, bool check);

#endif
