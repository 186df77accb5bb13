/* SPDX-License-Identifier: MIT
 *
 * One OpenCL kernel out of a SPIR-V module: from functions, variables and pointers to what the backend takes.
 */
#ifndef COMPILER_KERNEL_H
#define COMPILER_KERNEL_H

#include "compiler/clc/clc.h"

#include "compiler/compiler.h"

/* Adds a program to the result or says in result->why why not. Returns what compiler_backend() returns. */
int compiler_kernel(const uint32_t *words, size_t count, const struct clc_kernel_info *info,
                    const struct compiler_options *options, struct compiler_result *result);

#endif
