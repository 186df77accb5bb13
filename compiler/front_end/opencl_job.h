/* SPDX-License-Identifier: MIT
 *
 * The job of OpenCL C: what compiler_opencl() asks for.
 */
#ifndef COMPILER_OPENCL_JOB_H
#define COMPILER_OPENCL_JOB_H

#include "compiler/api/stage.h"

/* COMPILER_OPENCL (compiler/api/protocol.h). In the process of the compilation. */
int compiler_opencl_job(const void *data, size_t size, struct compiler_result *result);

#endif
