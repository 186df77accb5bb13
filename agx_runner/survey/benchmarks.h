/* SPDX-License-Identifier: MIT
 *
 * Benchmarks as a step of a survey: `agx-runner run` measures them in a child.
 */
#ifndef AGX_RUNNER_SURVEY_BENCHMARKS_H
#define AGX_RUNNER_SURVEY_BENCHMARKS_H

#include <signal.h>
#include <stdint.h>

#include "agx_runner/survey/step.h"

struct survey_benchmarks {
   const char *device;
   const char *options[3]; /* of a `run` that begins: --seed, --timeout, --ffma-cycles */
   const char *folder;     /* of the run: it goes on where there is a journal */
   const char *results;    /* the file that `run` writes; it is removed */
   const char *earlier;    /* the sheet of the default run; it need not exist */
   const volatile sig_atomic_t *interrupted;
};

/* Measures the step's benchmarks; their results become the sheet's, which is "partial" where the run ended before its
 * time. A step of parameters leaves out the rows that the earlier sheet has a figure for. 0, -EINTR or another negative
 * errno; the sheet has what was measured until then. */
int survey_run_benchmarks(const struct survey_benchmarks *run, const struct survey_step *step, struct sheet *sheet);

#endif
