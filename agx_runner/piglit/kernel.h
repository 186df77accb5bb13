/* SPDX-License-Identifier: MIT
 *
 * One test: launches a kernel with the arguments of the test, and compares the results.
 */
#ifndef PIGLIT_KERNEL_H
#define PIGLIT_KERNEL_H

#include "agx_runner/piglit/format/program_test.h"
#include "agx_runner/piglit/status.h"

/* Whether a threadgroup can have this number of threads. */
bool piglit_group_fits(const struct piglit_launch *wanted);

enum piglit_status piglit_run_kernel(const struct piglit_run *run, const struct agx_program *program,
                                     const struct piglit_test *test, const struct piglit_sink *sink, char *reason,
                                     size_t reason_size);

#endif
