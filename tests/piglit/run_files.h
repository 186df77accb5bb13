/* SPDX-License-Identifier: MIT
 *
 * Runs files of tests as `agx-runner piglit` does, and keeps the results.
 */
#ifndef TESTS_PIGLIT_RUN_FILES_H
#define TESTS_PIGLIT_RUN_FILES_H

#include <stdlib.h>

#include "agx_runner/piglit/files.h"
#include "agx_runner/piglit/work.h"
#include "agx_runner/runs/work_run.h"
#include "tests/check.h"

static inline void add_path(struct piglit_files *files, const char *path)
{
   char message[256];

   if (piglit_files_add(files, path, message, sizeof(message)) < 0) {
      printf("%s\n", message);
      exit(1);
   }
}

static inline int note_whole(const void *data, const struct result_run *results, bool whole, struct output *output)
{
   (void)results, (void)output;
   **(bool *const *)data = whole;
   return 0;
}

/* The results: result_run_finish() must follow. */
static inline struct result_run run_files(struct piglit_files *files, const char *device)
{
   const struct run_settings settings = {.device = device, .timeout = 60, .test_timeout = 120, .idle_timeout = 120};
   struct piglit_work data = {.files = files, .seconds = 120, .print = true};
   bool is_whole = false, *const whole = &is_whole;
   const struct work_report report = {.write = note_whole, .data = &whole};

   piglit_files_sort(files);
   const struct work work = piglit_work(&data);
   struct work_run run = {
       .settings = &settings, .work = &work, .command_line = "agx-runner piglit", .jobs = 2, .keep_output = true};
   CHECK(work_run_prepare(&run) == 0 && work_run_open(&run) == 0);
   (void)work_run_execute(&run, &report); /* tests may fail */
   CHECK(is_whole);
   const struct result_run results = run.results;
   run.results = (struct result_run){0};
   work_run_finish(&run);
   return results;
}

#endif
