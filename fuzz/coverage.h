/* SPDX-License-Identifier: MIT
 *
 * Which of Mesa's algebraic rules a run reached, and why not the others.
 */
#ifndef AGX_RUNNER_FUZZ_COVERAGE_H
#define AGX_RUNNER_FUZZ_COVERAGE_H

#include <json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is known of a rule. */
#define FUZZ_RULES 8192
enum fuzz_rule_state {
   RULE_UNTRIED,
   RULE_IMPOSSIBLE, /* its pattern has an op or a width that no program may have */
   RULE_TRIED,      /* programs held its pattern, and its pass did not change them */
   RULE_FIRED,      /* its pass changed a program that held its pattern */
};

/* states: enum fuzz_rule_state of each rule. Text: how many there are of each, and the most frequent reasons; Markdown:
 * all reasons. */
void coverage_write(FILE *file, const uint8_t *states, bool markdown);
/* The same, and each rule that did not fire. */
struct json_object *coverage_json(const uint8_t *states);

#endif
