/* SPDX-License-Identifier: MIT
 *
 * Writes a list of findings, and the pairs of runs that most of them come from.
 */
#ifndef AGX_RUNNER_COMPARE_WRITE_H
#define AGX_RUNNER_COMPARE_WRITE_H

#include <stdio.h>

#include "agx_runner/compare/compare.h"
#include "agx_runner/compare/finding.h"
#include "agx_runner/terminal/format.h"

struct compare_pair {
   const struct result_run *a, *b;
   struct comparison comparison;
};

/* The findings must be sorted (compare_findings_sort()). Part number i belongs to pair i, if there is one. Returns 0 or
 * -ENOMEM. */
int compare_write(const struct compare_findings *findings, const struct compare_pair *pairs, size_t pair_count,
                  enum output_format format, FILE *file);
int compare_write_json(const struct compare_findings *findings, const struct compare_pair *pairs, size_t pair_count,
                       FILE *file);

/* Returns the verdict as lines of text: what is wrong, what is slower, what is bigger, what was not run, and the rest
 * in one line. free() releases it; NULL: out of memory. */
char *compare_verdict(const struct compare_findings *findings);

#endif
