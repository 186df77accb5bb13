/* SPDX-License-Identifier: MIT
 *
 * --fail-on: which differences make `compare` fail.
 */
#ifndef AGX_RUNNER_FAIL_ON_H
#define AGX_RUNNER_FAIL_ON_H

#include <stdbool.h>

#include "agx_runner/compare/finding.h"
#include "agx_runner/terminal/values.h"

struct fail_on {
   bool given;         /* there is a rule: a changed answer then breaks the rules too */
   double worse, hurt; /* shares, "3 %" is 0.03; NAN: not asked for */
   bool missing;
};

/* "worse", "worse:3%", "hurt:1%", "missing", "answers". An enum exit_code. */
int fail_on_parse(const struct string_list *words, struct fail_on *rules);
/* EXIT_OK, or EXIT_FAILED with a message for the first finding that breaks a rule, and their number. */
int fail_on_check(const struct fail_on *rules, const struct compare_findings *findings);

#endif
