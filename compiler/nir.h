/* SPDX-License-Identifier: MIT
 *
 * For NIR builders (the C files of nir_kernels/) alone: Mesa's builder, and how a kernel reads what its dispatch gives
 * it.
 */
#ifndef COMPILER_NIR_H
#define COMPILER_NIR_H

#include "compiler/nir/nir_builder.h"

#include "compiler/compiler.h"

/* Argument `index` of the compiler_nir_info the kernel is built with: a 64-bit address for a buffer, else a
 * scalar of the argument's size. It lives in uniforms. */
nir_def *compiler_nir_argument(nir_builder *b, unsigned index);

#endif
