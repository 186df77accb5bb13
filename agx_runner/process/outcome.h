/* SPDX-License-Identifier: MIT
 *
 * What a test's tries come to, given what was expected.
 */
#ifndef AGX_RUNNER_VERDICT_H
#define AGX_RUNNER_VERDICT_H

#include <stdio.h>

#include "agx_runner/process/expect.h"
#include "agx_runner/results/result.h"

/* The words of a fails file, for expectations_load(). */
extern const char *const verdict_statuses[];

/* The tries of one test. */
struct outcome {
   struct result first, last; /* the first and, of several, the last */
   unsigned tries;            /* that have a result */
   unsigned ended;            /* runs that ended in it, unasked */
};

void outcome_finish(struct outcome *outcome);
/* A further try's result, which moves into the outcome. */
void outcome_add(struct outcome *outcome, struct result *result);

/* Neither expected nor known to be flaky: worth another try. */
bool verdict_is_surprise(const struct expectations *expectations, const struct result *result);
/* The status and reason that stand in the report for what the tries say. expectations may be NULL. */
void verdict_apply(const struct expectations *expectations, const struct outcome *outcome, struct result *result);
/* A line for a fails file, if the outcome needs one for the next run to be as expected. */
void verdict_write_failure(const struct expectations *expectations, const struct outcome *outcome, FILE *file);

#endif
