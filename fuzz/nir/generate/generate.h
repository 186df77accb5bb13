/* SPDX-License-Identifier: MIT
 *
 * Generates programs. No Mesa type is visible here.
 */
#ifndef FUZZ_NIR_GENERATE_H
#define FUZZ_NIR_GENERATE_H

#include "fuzz/nir/program.h"

/* A random expression graph, instances of one of Mesa's algebraic rules, a program with control flow and memory, or a
 * small one that spills. The same seed gives the same program. */
enum fuzz_family { FUZZ_RANDOM, FUZZ_RULE, FUZZ_CONTROL, FUZZ_SMALL };
void fuzz_generate(struct fuzz_program *program, uint64_t seed, enum fuzz_family family, int32_t rule);
/* Returns how many rules Mesa's algebraic tables have. */
uint32_t fuzz_rule_count(void);
/* Returns a rule's search pattern as in Mesa's table, and its pass. */
const char *fuzz_rule_text(uint32_t rule, const char **pass);
/* Returns why no program contains a rule's pattern: "op NAME", "op NAME of N bits". */
void fuzz_rule_obstacle(uint32_t rule, char *why, size_t size);
/* Whether the pass of a rule program's rule changes the program: some rule of that pass fired. */
bool fuzz_rule_fires(const struct fuzz_program *program);

#endif
