/* SPDX-License-Identifier: MIT
 *
 * A run from beginning to end, for every command that runs units: what an earlier run has finished, what needs no run,
 * the pool, the results as expectation files judge them, and the folder that keeps it all.
 */
#ifndef AGX_RUNNER_WORK_RUN_H
#define AGX_RUNNER_WORK_RUN_H

#include "agx_runner/process/pool.h"
#include "agx_runner/process/results_dir.h"

struct work_run {
   /* The caller's: */
   const struct run_settings *settings;
   const struct work *work;
   const struct expectations *expectations; /* NULL: none */
   struct results_dir *dir;                 /* open; NULL: nothing is kept */
   const char *command_line;
   unsigned jobs; /* worker processes; 0: one */
   bool keep_output;

   /* Its own: */
   struct pool pool;
   struct outcome *outcomes;
   struct result_run results;
   bool headed; /* results has all but the results */
   bool needed; /* there is something to run */
};

/* Reads what is finished, and decides what needs no run. work_run_finish() must follow in any case. All of these print
 * what is wrong and return an enum exit_code. */
int work_run_prepare(struct work_run *run);
/* Opens the device, where there is something to run, and makes or checks the head of the results. */
int work_run_open(struct work_run *run);
/* Runs what is missing, and gathers the results. *ended: EXIT_OK, or why not all was run; that message is printed. */
int work_run_execute(struct work_run *run, int *ended);
/* Writes results.json and failures.csv into the folder, where there is one. */
int work_run_keep(const struct work_run *run);
void work_run_finish(struct work_run *run);

/* EXIT_OK, EXIT_SKIPPED or EXIT_FAILED, by the results' statuses. */
int work_run_exit_code(const struct result_run *run);
/* Loads the files of expectations that are named; NULL: none. */
int work_run_load_expectations(const char *fails, const char *skips, const char *flakes,
                               struct expectations **expectations);

#endif
