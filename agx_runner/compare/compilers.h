/* SPDX-License-Identifier: MIT
 *
 * run --compiler A --compiler B: the results of the turns of two compilers (selection_turns()) become a run of each,
 * and the two runs are compared.
 */
#ifndef AGX_RUNNER_COMPILERS_H
#define AGX_RUNNER_COMPILERS_H

#include "agx_runner/compare/fail_on.h"
#include "agx_runner/results/result.h"
#include "agx_runner/runs/selection_work.h"
#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/output.h"

struct compilers_settings {
   const struct turn *turns;
   size_t turn_count;
   const struct fail_on *fail_on;
   enum output_format format; /* text, json or markdown */
   const char *store;         /* history that stores both runs; NULL: none */
};

/* `run`: the results of the turns, in their order. Writes the comparison; returns an enum exit_code: EXIT_FAILED if a
 * rule of --fail-on is broken. */
int compilers_compare(const struct compilers_settings *settings, const struct result_run *run, struct output *output);

#endif
