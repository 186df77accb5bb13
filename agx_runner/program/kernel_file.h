/* SPDX-License-Identifier: MIT
 *
 * Kernels from files: AGX assembly by the name's .agx, a collected program by .agxprog, SPIR-V by the first word, else
 * OpenCL C.
 */
#ifndef AGX_RUNNER_KERNEL_FILE_H
#define AGX_RUNNER_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/program/program_settings.h"
#include "compiler/api/compiler.h"

/* Reads a whole file ("-": standard input), NUL-terminated; free() releases it. Prints messages; returns an enum
 * exit_code. */
int file_read(const char *path, uint8_t **data, size_t *size);

/* Reads up to `size` bytes of a file ("-": standard input), which must have exactly that size. got: the size of the
 * file; UINT64_MAX: more than `size`, if it is no regular file. Prints messages; returns an enum exit_code. */
int file_read_into(const char *path, uint8_t *bytes, size_t size, uint64_t *got);

/* Whether it is a file to compile or assemble (its name ends with .cl or .agx, or it is SPIR-V). */
bool kernel_file_is_source(const char *path, const uint8_t *data, size_t size);

/* Reads and compiles or assembles; prints messages to stderr. Returns an enum exit_code: EXIT_SKIPPED if all kernels,
 * or the one that the settings choose, need a missing feature (compiler/refusal/refusal.h). compiler_result_finish()
 * must follow in any case. */
int kernel_file_compile(const char *path, const struct program_settings *settings,
                        const struct compiler_options *compiler_options, struct compiler_result *result);
/* Sets the function that compiles when the settings name another Mesa than the linked one. It has the same arguments
 * and result. To be called before the first compilation. */
typedef int kernel_file_compiler(const char *path, const struct program_settings *settings,
                                 const struct compiler_options *compiler_options, struct compiler_result *result);
void kernel_file_set_driver(kernel_file_compiler *compile);
/* Whether it compiles that file. */
bool kernel_file_has_driver(const char *path, const struct program_settings *settings);
/* The same for assembly, whatever the file's name. */
int kernel_file_assemble(const char *path, const struct program_settings *settings, struct compiler_result *result);

/* Returns an enum exit_code for the kernels, or for that one (kernel not NULL), that did not become programs: EXIT_OK:
 * there are none; EXIT_SKIPPED: each needs a missing feature; EXIT_FAILED. kernel_file_compile() has printed the
 * reason. */
int kernel_refused_code(const struct compiler_result *result, const char *kernel);

/* Returns the kernel of that name; NULL: the only one. Prints a message and returns NULL if there is none. */
const struct agx_program *kernel_select(const char *path, const struct compiler_result *result, const char *name);

#endif
