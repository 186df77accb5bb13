/* SPDX-License-Identifier: MIT
 *
 * A complete run, for every command that runs units: the results of an earlier run, results that need no run, the
 * pool, classification by expectation files, and the folder that stores everything.
 */
#ifndef AGX_RUNNER_WORK_RUN_H
#define AGX_RUNNER_WORK_RUN_H

#include "agx_runner/runs/results_dir.h"
#include "agx_runner/runs/run_settings.h"
#include "agx_runner/terminal/output.h"
#include "drm/asahi.h"
#include "process/pool.h"

struct work_run {
   /* Set by the caller: */
   const struct run_settings *settings;
   const struct work *work;
   const struct expectations *expectations; /* NULL: none */
   struct results_dir *dir;                 /* open; NULL: nothing is stored */
   const char *command_line;
   unsigned jobs; /* worker processes; 0: one */
   bool keep_output;

   /* Internal: */
   struct pool pool;
   struct asahi_device_info info; /* of the device of the run */
   struct outcome *outcomes;
   struct result_run results;
   bool headed; /* `results` has its header */
   bool needed; /* there is something to run */
   char *journal_path;
};

/* Reads finished units, and sets results that need no run. work_run_finish() must follow in any case. All of these
 * print errors and return an enum exit_code. */
int work_run_prepare(struct work_run *run);
/* Opens the device if there is something to run, and makes or checks the header of the results. */
int work_run_open(struct work_run *run);
/* Call it after work_run_prepare(): the worker processes that have a unit at a time, at least one. */
size_t work_run_processes(const struct work_run *run);

/* How the results are reported. */
struct work_report {
   const char *path; /* path of the output; NULL or "-": standard output */
   /* a file also gets the results of a stopped run; otherwise it contains a complete run or does not exist */
   bool stopped;
   /* Adds results that are derived from all others, unless the run was stopped. Returns false when out of memory. NULL:
    * none. */
   bool (*derive)(struct result_run *results);
   /* `whole` is false if the run was stopped. */
   int (*write)(const void *data, const struct result_run *results, bool whole, struct output *output);
   const void *data;
   bool judges; /* what write() returns decides the exit code, not the statuses of the results */
};
/* Call it after work_run_open(): runs what is missing, writes results.json and failures.csv into the folder if there is
 * one, and writes the output. The exit code is the first of these that is not EXIT_OK: output, folder, run, results. */
int work_run_execute(struct work_run *run, const struct work_report *report);
void work_run_finish(struct work_run *run);

/* Loads fails.txt, skips.txt and flakes.txt of a folder, those that it has; NULL: none. */
int work_run_load_folder(const char *folder, struct expectations **expectations);

/* Loads the named files of expectations; NULL: none. */
int work_run_load_expectations(const char *fails, const char *skips, const char *flakes,
                               struct expectations **expectations);

#endif
