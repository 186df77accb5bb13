/* SPDX-License-Identifier: MIT
 *
 * Generated kernels as files, for a compiler that is not inside.
 */
#ifndef AGX_RUNNER_FUZZ_PROGRAM_WRITE_KERNELS_H
#define AGX_RUNNER_FUZZ_PROGRAM_WRITE_KERNELS_H

#include "fuzz/settings/settings.h"

/* Writes the kernels in OpenCL C that the settings number, each as NUMBER.cl. One without an end is left out. Prints
 * messages; returns an enum exit_code. */
int fuzz_write_kernels(const struct fuzz_settings *settings);

#endif
