/* SPDX-License-Identifier: MIT
 *
 * SPIR-V kernels to programs. OpenCL C, SPIR-V files and built-in kernels all come through here.
 */
#ifndef COMPILER_SPIRV_H
#define COMPILER_SPIRV_H

#include "compiler/compiler.h"

/* Compiles the kernels of a module in the host's byte order that is known to be well formed. Adds programs and
 * refusals to the result. 0 when there is a program, -EINVAL or -ENOMEM.
 *
 * `split`: where there are several kernels, nothing is compiled. They become the result's pending kernels, for
 * compiler_spirv_pending(), and 0 is returned. */
int compiler_spirv_kernels(const char *name, const uint32_t *words, size_t count,
                           const struct compiler_options *options, bool split, struct compiler_result *result);

/* Compiles the result's pending kernels, each in a process of its own: a crash loses one kernel. Returns what a
 * compilation returns. */
int compiler_spirv_pending(const char *name, const struct compiler_options *options, struct compiler_result *result);

/* Whether SPIRV-Tools' validator accepts the module, which comes from `who`: REFUSAL_FRONT_END, or REFUSAL_VALIDATOR
 * for one from outside. Its complaint goes to result->why. Mesa reads SPIR-V trustingly: only what is valid may go to
 * compiler_spirv_kernels(). */
bool compiler_spirv_validate(const uint32_t *words, size_t count, enum refusal_who who, struct compiler_result *result);

#endif
