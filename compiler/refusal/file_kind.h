/* SPDX-License-Identifier: MIT
 *
 * Tells what a file is that nothing here compiles, so that it is refused by its name instead of by clang's errors.
 */
#ifndef COMPILER_FILE_KIND_H
#define COMPILER_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/refusal/refusal.h"

/* False where the file may be OpenCL C or SPIR-V; else `why` says what it is instead. `data` has a zero byte behind its
 * `size` bytes. */
bool file_kind_refuse(const char *path, const uint8_t *data, size_t size, struct refusal *why);

/* Is this SPIR-V, by its first word, in either byte order? */
bool file_kind_is_spirv(const uint8_t *data, size_t size);

#endif
