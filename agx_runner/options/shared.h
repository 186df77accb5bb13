/* SPDX-License-Identifier: MIT
 *
 * Options that several commands have. Each row of a command's table refers to one of these, or to one of its own.
 */
#ifndef AGX_RUNNER_OPTIONS_SHARED_H
#define AGX_RUNNER_OPTIONS_SHARED_H

#include "agx_runner/options/rows.h"

/* Device and submissions. */
extern const struct option_info option_device, option_timeout, option_seed, option_check;

/* Measuring. */
extern const struct option_info option_samples, option_ffma_cycles;

/* The run of many units: processes, and the folder that keeps the run. */
extern const struct option_info option_jobs, option_results, option_resume, option_reruns, option_expect;
extern const struct option_info option_test_timeout, option_idle_timeout, option_run_timeout;

/* Compiling. */
extern const struct option_info option_kernel, option_build_options, option_compile_timeout, option_compile_memory;
extern const struct option_info option_compiler, option_mesa, option_no_cache, option_define, option_long_forms,
    option_hex;

/* What is written. */
extern const struct option_info option_output, option_store;

#endif
