/* SPDX-License-Identifier: MIT
 *
 * Recognizes files that cannot be compiled here, so that they are refused by their kind instead of by clang's errors.
 */
#ifndef COMPILER_FILE_KIND_H
#define COMPILER_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/refusal/refusal.h"

/* Returns false if the file may be OpenCL C or SPIR-V; otherwise `why` names what it is. `data` has a zero byte behind
 * its `size` bytes. */
bool file_kind_refuse(const char *path, const uint8_t *data, size_t size, struct refusal *why);

/* Whether it is SPIR-V, by its first word in either byte order. */
bool file_kind_is_spirv(const uint8_t *data, size_t size);

#endif
