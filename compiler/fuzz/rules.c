/* SPDX-License-Identifier: MIT
 *
 * Instances of the search patterns of Mesa's algebraic rules.
 */
#include "compiler/fuzz/generate.h"

uint32_t fuzz_rule_count(void)
{
   return 0;
}

uint32_t fuzz_add_rule(UNUSED struct fuzz_generator *generator, UNUSED uint32_t rule)
{
   return FUZZ_NODES;
}
