/* SPDX-License-Identifier: MIT
 *
 * Runs benchmarks as a step of a survey: `agx-runner run` measures them in a child process.
 */
#ifndef AGX_RUNNER_SURVEY_BENCHMARKS_H
#define AGX_RUNNER_SURVEY_BENCHMARKS_H

#include <signal.h>
#include <stdint.h>

#include "agx_runner/survey/step.h"

struct survey_benchmarks {
   const char *device;
   const char *options[3]; /* options of a new `run`: --seed, --timeout, --ffma-cycles */
   const char *folder;     /* folder of the run, which is resumed if there is a journal */
   const char *results;    /* result file of the `run`, which is removed afterwards */
   const char *earlier;    /* the result file of the default run; it may be missing */
   const volatile sig_atomic_t *interrupted;
};

/* Measures the step's benchmarks and stores their results in the sheet, whose status is "partial" if the run was
 * interrupted. A step of parameters leaves out the benchmarks for which the earlier sheet has a figure. Returns 0,
 * -EINTR or another negative errno; the sheet has everything that was measured. */
int survey_run_benchmarks(const struct survey_benchmarks *run, const struct survey_step *step, struct sheet *sheet);

#endif
