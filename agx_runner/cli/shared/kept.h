/* SPDX-License-Identifier: MIT
 *
 * --results and --resume, for every command that runs units: opens the folder, and resumes a run with the command line
 * with which it was started.
 */
#ifndef AGX_RUNNER_KEPT_H
#define AGX_RUNNER_KEPT_H

#include "agx_runner/options/options.h"
#include "agx_runner/runs/results_dir.h"
#include "agx_runner/runs/run_settings.h"

/* The first member of the struct of each such command. */
struct kept_options {
   struct command_line line;
   struct run_settings run;
   const char *resume; /* folder; NULL: none */
   const char *output; /* NULL: stdout */
   uint32_t format;    /* enum output_format, for who has --format */
};

/* Calls execute() with the folder that the options name (NULL: none), and with the options that count: of a resumed run
 * its own, but for format and output. options: the command's struct. Messages are printed; an enum exit_code. */
int kept_run(const struct command *command, const void *options,
             int (*execute)(const void *options, struct results_dir *dir));

#endif
