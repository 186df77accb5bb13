/* SPDX-License-Identifier: MIT
 *
 * Runs a generated kernel with another OpenCL implementation: PoCL's CPU device, if it is installed.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_POCL_H
#define AGX_RUNNER_FUZZ_OPENCL_POCL_H

#include "fuzz/opencl/program.h"

enum pocl_state {
   POCL_MISSING, /* no OpenCL loader, or no CPU device */
   POCL_CANNOT,  /* it does not build the kernel, does not end in time, or crashes */
   POCL_RAN,
};

/* Runs a kernel whose guards ocl_evaluate() has set, in a separate process. `why` has the reason if it did not run. */
enum pocl_state pocl_run(const struct ocl_program *program, struct ocl_outputs *outputs, char *why, size_t size);

#endif
