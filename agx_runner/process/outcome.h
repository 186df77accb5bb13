/* SPDX-License-Identifier: MIT
 *
 * What the tries of a unit came to, and what they mean given what was expected.
 */
#ifndef AGX_RUNNER_OUTCOME_H
#define AGX_RUNNER_OUTCOME_H

#include <stdio.h>

#include "agx_runner/process/expect.h"
#include "agx_runner/results/result.h"

/* The words of a fails file, for expectations_load(). */
extern const char *const outcome_fail_words[];

/* The results of one try. */
struct attempt {
   struct result *results;
   size_t count;
};

void attempt_finish(struct attempt *attempt);
/* An empty result at the end. NULL: out of memory. Valid until the next call. */
struct result *attempt_add(struct attempt *attempt, const char *name);
/* Any result that fails a run? */
bool attempt_is_bad(const struct attempt *attempt);
/* One line of JSON, an object or an array of them: what the journal keeps. free() it; NULL: out of memory. */
char *attempt_to_line(const struct attempt *attempt);
/* 0; -EINVAL with a message; -ENOMEM. On success attempt_finish() must follow. */
int attempt_from_line(const char *line, struct attempt *attempt, char *message, size_t message_size);

/* All tries of a unit. */
struct outcome {
   struct attempt first, last; /* the first and, of several, the last */
   unsigned tries;             /* that have results */
   unsigned ended;             /* runs that ended in it, unasked */
   unsigned canceled;          /* tries that do not count: another client's fault ended the job */
};

void outcome_finish(struct outcome *outcome);
/* A further try, which moves into the outcome. */
void outcome_add(struct outcome *outcome, struct attempt *attempt);
/* Whether another try may change what the outcome means: something failed that is neither expected nor flaky. What hung
 * is left alone: the next time it may take the machine with it. */
bool outcome_wants_another_try(const struct outcome *outcome, const struct expectations *expectations, unsigned reruns);
/* Adds the results to the run, with the status and reason that stand in the report. expectations may be NULL.
 * False: out of memory. */
bool outcome_judge(const struct outcome *outcome, const struct expectations *expectations, struct result_run *run);
/* Lines for a fails file with which the next run is as expected. */
void outcome_write_failures(const struct outcome *outcome, const struct expectations *expectations, FILE *file);

#endif
