/* SPDX-License-Identifier: MIT
 *
 * For NIR builders (the C files of nir_kernels/) alone: Mesa's builder, and access to the values of the dispatch.
 */
#ifndef COMPILER_NIR_H
#define COMPILER_NIR_H

#include "compiler/compat/compat.h"

#include "compiler/api/compiler.h"

/* Returns argument `index` of the compiler_nir_info with which the kernel is built: a 64-bit address for a buffer, else
 * a scalar of the argument's size. It is in uniforms. */
nir_def *compiler_nir_argument(nir_builder *b, unsigned index);

#endif
