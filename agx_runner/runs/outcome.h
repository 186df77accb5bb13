/* SPDX-License-Identifier: MIT
 *
 * The results of all tries of a unit, and their status given the expectations.
 */
#ifndef AGX_RUNNER_OUTCOME_H
#define AGX_RUNNER_OUTCOME_H

#include <stdio.h>

#include "agx_runner/results/result.h"
#include "process/expect.h"

/* The words of a fails file, for expectations_load(). */
extern const char *const outcome_fail_words[];

/* The results of one try. */
struct attempt {
   struct result *results;
   size_t count;
};

void attempt_finish(struct attempt *attempt);
/* Appends an empty result. Returns NULL when out of memory. Valid until the next call. */
struct result *attempt_add(struct attempt *attempt, const char *name);
/* Whether any result makes the run fail. */
bool attempt_is_bad(const struct attempt *attempt);
/* Returns one line of JSON for the journal, an object or an array of them. free() releases it; NULL: out of memory. */
char *attempt_to_line(const struct attempt *attempt);
/* Returns 0; -EINVAL with a message; -ENOMEM. On success attempt_finish() must follow. */
int attempt_from_line(const char *line, struct attempt *attempt, char *message, size_t message_size);

/* All tries of a unit. */
struct outcome {
   struct attempt first, last; /* the first try and, if there are several, the last one */
   unsigned tries;             /* tries that have results */
   unsigned ended;             /* runs that were unexpectedly ended in this unit */
   unsigned canceled;          /* tries that do not count, because another client's fault ended the job */
};

void outcome_finish(struct outcome *outcome);
/* Adds a try, whose contents move into the outcome. */
void outcome_add(struct outcome *outcome, struct attempt *attempt);
/* Whether another try could change the classification: a failure is neither expected nor flaky. A unit that hung is not
 * tried again, because it could crash the machine. */
bool outcome_wants_another_try(const struct outcome *outcome, const struct expectations *expectations, unsigned reruns);
/* Adds the results to the run, with the status and reason of the report. expectations may be NULL. Returns false when
 * out of memory. */
bool outcome_judge(const struct outcome *outcome, const struct expectations *expectations, struct result_run *run);
/* Writes lines for a fails file with which the next run passes. */
void outcome_write_failures(const struct outcome *outcome, const struct expectations *expectations, FILE *file);

#endif
