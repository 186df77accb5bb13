/* SPDX-License-Identifier: MIT
 *
 * SPIR-V kernels to programs. OpenCL C, SPIR-V files and built-in kernels all use this.
 */
#ifndef COMPILER_SPIRV_H
#define COMPILER_SPIRV_H

#include "compiler/compiler.h"

/* Compiles the kernels of a well-formed module in the host's byte order. Adds programs and refusals to the result.
 * Returns 0 if there is a program, -EINVAL or -ENOMEM.
 *
 * `split`: if there are several kernels, nothing is compiled. They become the result's pending kernels, for
 * compiler_spirv_pending(), and 0 is returned. */
int compiler_spirv_kernels(const char *name, const uint32_t *words, size_t count,
                           const struct compiler_options *options, bool split, struct compiler_result *result);

/* Compiles the result's pending kernels, each in a process of its own, so that a crash loses one kernel. Returns what a
 * compilation returns. */
int compiler_spirv_pending(const char *name, const struct compiler_options *options, struct compiler_result *result);

/* Whether SPIRV-Tools' validator accepts the module, which comes from `who`: REFUSAL_FRONT_END, or REFUSAL_VALIDATOR
 * for an external one. Its message is stored in result->why. Mesa does not check SPIR-V, so only valid modules may be
 * passed to compiler_spirv_kernels(). */
bool compiler_spirv_validate(const uint32_t *words, size_t count, enum refusal_who who, struct compiler_result *result);

#endif
