/* SPDX-License-Identifier: MIT
 *
 * Checks for what Mesa's AGX backend cannot compile. The backend itself checks by assertions, which a release build
 * does not have.
 */
#ifndef COMPILER_UNSUPPORTED_H
#define COMPILER_UNSUPPORTED_H

#include "compiler/nir/nir.h"

#include "compiler/api/compiler.h"

/* Beginnings of sentences about kernels that need too much memory. */
#define COMPILER_THREADGROUP_LIMIT "has 32 KiB of threadgroup memory a threadgroup, and "
#define COMPILER_PRIVATE_LIMIT "addresses 128 KiB of private memory a thread, and "

/* Checks a shader as spirv_to_nir made it: an argument or variable that no later step can handle, such as an image.
 * Returns 0, or -EINVAL with result->why. */
int compiler_unsupported_variable(nir_shader *nir, struct compiler_result *result);

/* Returns 0 if the backend can compile the shader; else -EINVAL, and result->why names what it cannot do and where.
 * `nir` has everything inlined. */
int compiler_unsupported(nir_shader *nir, struct compiler_result *result);

#endif
