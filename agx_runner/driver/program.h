/* SPDX-License-Identifier: MIT
 *
 * A kernel's program, taken from the job of its probe: where each uniform comes from is found by what the probe gave.
 */
#ifndef AGX_RUNNER_DRIVER_PROGRAM_H
#define AGX_RUNNER_DRIVER_PROGRAM_H

#include "agx_runner/driver/kernel.h"
#include "agx_runner/replay/job_programs.h"

/* Completes the program that job_programs_read() has made of the job: name, arguments, uniforms, memory. A uniform that
 * no argument explains is a constant, with the value that it had, and a part of the argument block that no argument
 * explains is an argument "driver_OFFSET": both are the driver's own, and *own counts them. Returns false if out of
 * memory. */
bool driver_program_complete(const struct replay *replay, const struct vgpu_launch_info *launch,
                             const struct driver_kernel *kernel, struct agx_program *program, unsigned *own);

#endif
