/* SPDX-License-Identifier: MIT
 *
 * OpenCL C to a valid SPIR-V module.
 */
#ifndef COMPILER_FRONT_END_H
#define COMPILER_FRONT_END_H

#include "compiler/clc/clc.h"

#include "compiler/compiler.h"

/* What clang and the translator are asked for. */
struct compiler_front_end {
   const struct clc_optional_features *features;
   const char *const *arguments; /* of clang's compiler proper */
   size_t count;
   const char *options; /* of those, the caller's, for messages; NULL: none */
   bool repairs;        /* compiler_repairs() */
};

/* False, with result->why: REFUSAL_CLANG where clang refuses the source, which it explains in its file for diagnostics
 * (compiler/front_end/diagnostics.h), or refuses the options. */
bool compiler_front_end_run(const char *name, const char *source, const struct compiler_front_end *front_end,
                            struct compiler_result *result, struct clc_binary *spirv);

#endif
