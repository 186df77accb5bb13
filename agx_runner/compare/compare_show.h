/* SPDX-License-Identifier: MIT
 *
 * The end of `compare` and `run --compiler A --compiler B`: collects all pairs of runs and all findings of other
 * programs in one list, writes it, and applies the rules of --fail-on to it.
 */
#ifndef AGX_RUNNER_COMPARE_SHOW_H
#define AGX_RUNNER_COMPARE_SHOW_H

#include "agx_runner/compare/compare_write.h"
#include "agx_runner/compare/fail_on.h"
#include "agx_runner/terminal/output.h"

struct compare_show {
   enum output_format format;
   const struct fail_on *fail_on;
   const struct string_list *findings; /* files with findings of other programs; NULL: none */
   compare_floor_fn *floor_of;         /* NULL: no noise floor is known */
   void *floor_data;
};

/* `runs`: A and B of each pair, one after the other. Prints messages; returns an enum exit_code: EXIT_FAILED if a rule
 * is broken. */
int compare_show(const struct compare_show *show, const struct result_run *runs, size_t pair_count,
                 struct output *output);

#endif
