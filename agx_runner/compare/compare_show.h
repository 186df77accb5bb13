/* SPDX-License-Identifier: MIT
 *
 * What `compare` and `run --interleave` end with: the comparison is written, and the rules of --fail-on are applied.
 */
#ifndef AGX_RUNNER_COMPARE_SHOW_H
#define AGX_RUNNER_COMPARE_SHOW_H

#include "agx_runner/compare/compare.h"
#include "agx_runner/compare/fail_on.h"

struct compare_show {
   enum compare_format format;
   const char *output; /* NULL: standard output */
   const struct fail_on *fail_on;
   compare_floor_fn *floor_of; /* NULL: no noise floor is known */
   void *floor_data;
};

/* Messages are printed; an enum exit_code: EXIT_FAILED where a rule is broken. */
int compare_show(const struct compare_show *show, const struct result_run *a, const struct result_run *b);

#endif
