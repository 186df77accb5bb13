/* SPDX-License-Identifier: MIT
 *
 * SPIR-V kernels to programs. OpenCL C, SPIR-V files and built-in kernels all use this.
 */
#ifndef COMPILER_SPIRV_H
#define COMPILER_SPIRV_H

#include "compiler/api/compiler.h"

/* Compiles the kernels of a well-formed module in the host's byte order. Adds programs and refusals to the result.
 * Returns 0 if there is a program, -EINVAL or -ENOMEM.
 *
 * `split`: where there are several kernels, nothing is compiled. They become the result's pending kernels, for
 * compiler_pending_compile(), and 0 is returned. */
int compiler_spirv_kernels(const char *name, const uint32_t *words, size_t count,
                           const struct compiler_options *options, bool split, struct compiler_result *result);

/* COMPILER_SPIRV and COMPILER_KERNEL (compiler/api/protocol.h). In the process of the compilation. */
int compiler_spirv_job(const void *data, size_t size, struct compiler_result *result);
int compiler_kernel_job(const void *data, size_t size, struct compiler_result *result);

/* Whether SPIRV-Tools' validator accepts the module, which comes from `who`: REFUSAL_FRONT_END, or REFUSAL_VALIDATOR
 * for an external one. Its message is stored in result->why. Mesa does not check SPIR-V, so only valid modules may be
 * passed to compiler_spirv_kernels(). */
bool compiler_spirv_validate(const uint32_t *words, size_t count, enum refusal_who who, struct compiler_result *result);

#endif
