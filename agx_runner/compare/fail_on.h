/* SPDX-License-Identifier: MIT
 *
 * --fail-on: the differences that make `compare` fail.
 */
#ifndef AGX_RUNNER_FAIL_ON_H
#define AGX_RUNNER_FAIL_ON_H

#include <stdbool.h>

#include "agx_runner/compare/finding.h"
#include "agx_runner/terminal/values.h"

struct fail_on {
   bool given;         /* there is a rule, so a changed answer fails, too */
   double worse, hurt; /* fractions, "3 %" is 0.03; NAN: no rule */
   bool missing;
};

/* Parses "worse", "worse:3%", "hurt:1%", "missing", "answers". Returns an enum exit_code. */
int fail_on_parse(const struct string_list *words, struct fail_on *rules);
/* Returns EXIT_OK, or EXIT_FAILED with a message about the first finding that breaks a rule, and their number. */
int fail_on_check(const struct fail_on *rules, const struct compare_findings *findings);

#endif
