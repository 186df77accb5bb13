/* SPDX-License-Identifier: MIT
 *
 * Kernels from files: OpenCL C or SPIR-V, told apart by the first word.
 */
#ifndef AGX_RUNNER_KERNEL_FILE_H
#define AGX_RUNNER_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/compiler.h"

/* A whole file, NUL-terminated besides; freed with free(). Messages are printed; an enum exit_code. */
int file_read(const char *path, uint8_t **data, size_t *size);

/* Is this a file to compile (its name ends with .cl, or it is SPIR-V)? */
bool kernel_file_is_source(const char *path, const uint8_t *data, size_t size);

/* Reads and compiles; the compiler's messages go to stderr. An enum exit_code: EXIT_SKIPPED where the backend cannot do
 * what the kernel asks for. compiler_result_finish() must follow in any case. */
int kernel_file_compile(const char *path, const struct compiler_options *options, struct compiler_result *result);

/* The kernel of that name; NULL: the only one. Prints a message and gives NULL when there is none such. */
const struct agx_program *kernel_select(const char *path, const struct compiler_result *result, const char *name);

#endif
