/* SPDX-License-Identifier: MIT
 *
 * Generated kernels as files, for a compiler that is not inside.
 */
#ifndef AGX_RUNNER_FUZZ_PROGRAM_WRITE_KERNELS_H
#define AGX_RUNNER_FUZZ_PROGRAM_WRITE_KERNELS_H

#include "fuzz/opencl/ops.h"
#include "fuzz/settings/settings.h"

/* Writes the kernels in OpenCL C that the settings number, each as NUMBER.cl. One without an end is left out. Prints
 * messages; returns an enum exit_code. */
int fuzz_write_kernels(const struct fuzz_settings *settings);
/* Writes this one, which ocl_evaluate() has completed. */
int fuzz_write_kernel(const struct fuzz_settings *settings, uint64_t number, const struct ocl_program *kernel,
                      const struct ocl_outputs *outputs);

#endif
