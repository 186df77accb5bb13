/* SPDX-License-Identifier: MIT
 *
 * Finds the rule of an algebraic pass that makes a shader wrong.
 */
#ifndef COMPILER_FUZZ_ALGEBRA_RULE_BLAME_H
#define COMPILER_FUZZ_ALGEBRA_RULE_BLAME_H

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_search.h"

/* A call of nir_algebraic_impl(): its arguments, and the shader before the call. */
struct fuzz_algebraic_call {
   const nir_shader *before;
   unsigned function; /* index of the function in the shader */
   const bool *flags;
   const nir_algebraic_table *table;
};

/* Repeats the call on copies of the shader with fewer and fewer rules, as long as `is_wrong` accepts the result. `text`
 * gets the remaining rule, in the notation of Mesa's tables: "fabs(a) -> a". If several are needed, it is the one that
 * makes the result of the others wrong, or all of them, separated by "; ". "": the repeated call is not wrong, or needs
 * more than TOGETHER rules. */
void fuzz_blame_rule(const struct fuzz_algebraic_call *call, bool (*is_wrong)(const nir_shader *nir), char *text,
                     size_t size);

#endif
