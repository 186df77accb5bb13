/* SPDX-License-Identifier: MIT
 *
 * A run from beginning to end, for every command that runs units: what an earlier run has finished, what needs no run,
 * the pool, the results as expectation files judge them, and the folder that keeps it all.
 */
#ifndef AGX_RUNNER_WORK_RUN_H
#define AGX_RUNNER_WORK_RUN_H

#include "agx_runner/process/pool.h"
#include "agx_runner/process/results_dir.h"
#include "agx_runner/terminal/output.h"

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

/* What becomes of the results. */
struct work_report {
   const char *path; /* of the output; NULL or "-": standard output */
   bool stopped;     /* a file gets the results of a stopped run, too; else it holds a whole run or is not there */
   /* Adds results that follow from all others, to a run that was not stopped. False: out of memory. NULL: none. */
   bool (*derive)(struct result_run *results);
   /* whole: the run was not stopped. */
   int (*write)(const void *data, const struct result_run *results, bool whole, struct output *output);
   const void *data;
};
/* After work_run_open(): runs what is missing, writes results.json and failures.csv into the folder, where there is
 * one, and writes the output. The exit code is that of the first of these that is not EXIT_OK: output, folder, run,
 * results. */
int work_run_execute(struct work_run *run, const struct work_report *report);
void work_run_finish(struct work_run *run);

/* Loads the files of expectations that are named; NULL: none. */
int work_run_load_expectations(const char *fails, const char *skips, const char *flakes,
                               struct expectations **expectations);

#endif
