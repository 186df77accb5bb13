/* SPDX-License-Identifier: MIT
 *
 * Which rule of an algebraic pass makes a shader wrong.
 */
#ifndef COMPILER_FUZZ_ALGEBRA_RULE_BLAME_H
#define COMPILER_FUZZ_ALGEBRA_RULE_BLAME_H

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_search.h"

/* One call of nir_algebraic_impl(): its arguments, and the shader as it was before. */
struct fuzz_algebraic_call {
   const nir_shader *before;
   unsigned function; /* number of the function in the shader, from 0 */
   const bool *flags;
   const nir_algebraic_table *table;
};

/* Repeats the call on copies of the shader with fewer and fewer rules, as long as `is_wrong` says of the result that it
 * is wrong. `text` gets the rule that is left, in the notation of Mesa's tables: "fabs(a) -> a". Where several are
 * needed it is the one that makes wrong what the others made, or all, with "; " between. "": the call is not wrong
 * again, or takes more than a few rules. */
void fuzz_blame_rule(const struct fuzz_algebraic_call *call, bool (*is_wrong)(const nir_shader *nir), char *text,
                     size_t size);

#endif
