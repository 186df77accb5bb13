/* SPDX-License-Identifier: MIT
 *
 * Generates OpenCL C kernels. A seed gives the same kernel everywhere.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_GENERATE_H
#define AGX_RUNNER_FUZZ_OPENCL_GENERATE_H

#include "fuzz/opencl/program.h"

/* Half of the kernels are vectors of operations; the others also have control flow and memory. */
void ocl_generate(struct ocl_program *program, uint64_t seed);

#endif
