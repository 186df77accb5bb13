/* SPDX-License-Identifier: MIT
 *
 * exec and explain through a Mesa's own driver: the launch goes through OpenCL's API, on the virtual device.
 */
#ifndef AGX_RUNNER_DRIVER_LAUNCH_H
#define AGX_RUNNER_DRIVER_LAUNCH_H

#include <stdbool.h>

#include "agx_runner/launch/exec.h"
#include "agx_runner/program/program_settings.h"
#include "agx_runner/replay/job_commands.h"

struct driver_launch_settings {
   const char *path;                       /* of the kernel's file */
   const char *build_options;              /* NULL: none */
   const struct program_settings *program; /* mesa, kernel */
   const struct exec_settings *exec;
   const char *device; /* "auto": a virtual M1 */
   uint64_t seed;      /* of random initial values */
   bool check;         /* with all checks of the virtual device */
};

/* Runs the kernel and shows its buffers. Both print messages and return an enum exit_code. */
int driver_exec(const struct driver_launch_settings *settings);
/* Runs the kernel and explains the program of the job that the driver has submitted. */
int driver_explain(const struct driver_launch_settings *settings, double seconds,
                   const struct job_explain_settings *explain, const char *output);

#endif
