/* SPDX-License-Identifier: MIT
 *
 * Generated kernels as files, for a compiler that is not inside.
 */
#ifndef AGX_RUNNER_FUZZ_PROGRAM_WRITE_KERNELS_H
#define AGX_RUNNER_FUZZ_PROGRAM_WRITE_KERNELS_H

#include "fuzz/language.h"
#include "fuzz/settings/settings.h"

/* Writes the kernels that the settings number, each as NUMBER.cl, in GLSL as NUMBER.comp, a scene as NUMBER.scene. One
 * without an end is left out. Prints messages; returns an enum exit_code. */
int fuzz_write_kernels(const struct fuzz_settings *settings);
/* Writes this one, which the language has evaluated. */
int fuzz_write_kernel(const struct fuzz_settings *settings, uint64_t number, const void *kernel,
                      const union fuzz_expected *expected);

#endif
