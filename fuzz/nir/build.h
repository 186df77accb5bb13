/* SPDX-License-Identifier: MIT
 *
 * A generated program as NIR.
 */
#ifndef COMPILER_FUZZ_BUILD_H
#define COMPILER_FUZZ_BUILD_H

#include "compiler/nir.h"

#include "fuzz/nir/program.h"

/* The arguments of every generated kernel. */
#define FUZZ_ARGUMENTS (3 + FUZZ_UNIFORMS)
extern const struct agx_argument fuzz_argument_list[FUZZ_ARGUMENTS];

/* Compiles what `build` builds, with `data`, with the registers of the program. */
int fuzz_compile_built(const struct fuzz_program *program, compiler_nir_build *build, const void *data,
                       const struct compiler_options *options, struct compiler_result *result);

/* Only builds the program, through compiler_nir_build_only(). */
void fuzz_build_only(compiler_nir_build *build, const void *data);

/* Fills the shader's main function. */
void fuzz_build(nir_builder *b, const struct fuzz_program *program);

#endif
