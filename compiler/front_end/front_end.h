/* SPDX-License-Identifier: MIT
 *
 * OpenCL C to a valid SPIR-V module.
 */
#ifndef COMPILER_FRONT_END_H
#define COMPILER_FRONT_END_H

#include "compiler/clc/clc.h"

#include "compiler/api/compiler.h"

/* The input of clang and the translator. */
struct compiler_front_end {
   const struct clc_optional_features *features;
   const char *const *arguments; /* arguments of clang's compiler proper */
   size_t count;
   const char *options; /* the caller's part of them, for messages; NULL: none */
   bool repairs;        /* compiler_repairs() */
};

/* Returns false with result->why: REFUSAL_CLANG if clang refuses the source, with its messages in the file for
 * diagnostics (compiler/front_end/diagnostics.h), or refuses the options. */
bool compiler_front_end_run(const char *name, const char *source, const struct compiler_front_end *front_end,
                            struct compiler_result *result, struct clc_binary *spirv);

#endif
