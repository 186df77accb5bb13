/* SPDX-License-Identifier: MIT
 *
 * What Mesa's AGX backend cannot compile. It checks by assertions that are not there in a release build, so it is
 * asked here first.
 */
#ifndef COMPILER_UNSUPPORTED_H
#define COMPILER_UNSUPPORTED_H

#include "compiler/nir/nir.h"

#include "compiler/compiler.h"

/* How sentences begin about kernels that ask for too much memory. */
#define COMPILER_THREADGROUP_LIMIT "has 32 KiB of threadgroup memory a threadgroup, and "
#define COMPILER_PRIVATE_LIMIT "addresses 128 KiB of private memory a thread, and "

/* For a shader as spirv_to_nir made it: an argument or variable that no later step can handle, such as an image. 0 or
 * -EINVAL, with result->why. */
int compiler_unsupported_variable(nir_shader *nir, struct compiler_result *result);

/* 0 when the backend takes the shader; else -EINVAL, and result->why says what it cannot do and where. `nir` has
 * everything inlined. */
int compiler_unsupported(nir_shader *nir, struct compiler_result *result);

#endif
