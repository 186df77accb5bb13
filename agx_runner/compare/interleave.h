/* SPDX-License-Identifier: MIT
 *
 * run --interleave: two builds of agx-runner measure alternately and are compared.
 */
#ifndef AGX_RUNNER_INTERLEAVE_H
#define AGX_RUNNER_INTERLEAVE_H

#include "agx_runner/runs/selection.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/values.h"

struct interleave_settings {
   const char *program;               /* path of the other build */
   const struct string_list *words;   /* options of `run` that both builds get */
   const struct string_list *fail_on; /* as compare's --fail-on */
   enum output_format format;         /* text, json or markdown */
   const char *output;                /* NULL: stdout */
   const char *store;                 /* history that stores both runs; NULL: none */
   const char *command_line;
   double run_timeout; /* time limit of all processes in seconds; 0: none */
};

/* A is this program, B the other build. Returns an enum exit_code. */
int interleave(const struct interleave_settings *settings, const struct selection *selection);

#endif
