/* SPDX-License-Identifier: MIT
 *
 * Extracts one OpenCL kernel from a SPIR-V module, and lowers functions, variables and pointers for the backend.
 */
#ifndef COMPILER_KERNEL_H
#define COMPILER_KERNEL_H

#include "compiler/clc/clc.h"

#include "compiler/api/compiler.h"

/* Adds a program to the result, or the reason for its absence to result->why. Returns what compiler_backend()
 * returns. */
int compiler_kernel(const uint32_t *words, size_t count, const struct clc_kernel_info *info,
                    const struct compiler_options *options, struct compiler_result *result);

#endif
