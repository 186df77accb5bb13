/* SPDX-License-Identifier: MIT
 *
 * What `compare` and `run --interleave` end with: all pairs of runs and all findings of others become one list, which
 * is written, and which the rules of --fail-on are applied to.
 */
#ifndef AGX_RUNNER_COMPARE_SHOW_H
#define AGX_RUNNER_COMPARE_SHOW_H

#include "agx_runner/compare/compare_write.h"
#include "agx_runner/compare/fail_on.h"

struct compare_show {
   enum output_format format;
   const char *output; /* NULL: standard output */
   const struct fail_on *fail_on;
   const struct string_list *findings; /* files with findings of others; NULL: none */
   compare_floor_fn *floor_of;         /* NULL: no noise floor is known */
   void *floor_data;
};

/* `runs`: A and B of each pair, one after the other. Messages are printed; an enum exit_code: EXIT_FAILED where a rule
 * is broken. */
int compare_show(const struct compare_show *show, const struct result_run *runs, size_t pair_count);

#endif
