/* SPDX-License-Identifier: MIT
 *
 * The findings of one pair of runs.
 */
#ifndef AGX_RUNNER_COMPARE_FINDING_ROWS_H
#define AGX_RUNNER_COMPARE_FINDING_ROWS_H

#include "agx_runner/compare/compare.h"
#include "agx_runner/compare/finding.h"

/* The kind of a run, by the contents of its results. */
enum compare_kind { KIND_BENCHMARKS, KIND_TESTS, KIND_COMPILED };
enum compare_kind compare_kind_of(const struct result_run *run);

/* Adds a part for the pair, and at most one finding for each row: its worst. Returns 0 or -ENOMEM. */
int compare_findings_of(struct compare_findings *findings, const struct comparison *comparison,
                        const struct result_run *a, const struct result_run *b);

/* Returns a shell command (bash, zsh) that prints what a finding is about: the code if that differs, otherwise the
 * figure or the answer. free() releases it; NULL: out of memory. */
char *compare_command(const struct compare_row *row, enum compare_kind kind, enum compare_harm harm,
                      const struct result_run *a, const struct result_run *b);

#endif
