/* SPDX-License-Identifier: MIT
 *
 * At the end of a complete run every unit has an outcome. After a stopped run, only the units that ended have one.
 */
#include "agx_runner/runs/work_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/runs/probe.h"
#include "agx_runner/runs/recording.h"
#include "agx_runner/terminal/runner.h"

#define ENDED_MAX 2 /* most runs that may be ended in a unit before it is skipped */

static const char *unit_name(const struct work_run *run, size_t unit)
{
   return run->work->name(run->work->data, unit);
}

static int no_memory(void)
{
   return complain(EXIT_FAILED, "out of memory");
}

static int decide(struct work_run *run, size_t unit, enum result_status status, const char *reason)
{
   struct attempt attempt = {0};
   struct result *result = attempt_add(&attempt, unit_name(run, unit));

   if (result == NULL) {
      return no_memory();
   }
   result_set(result, status, "%s", reason);
   outcome_add(&run->outcomes[unit], &attempt);
   return EXIT_OK;
}

/* Sets results that need no run. */
static int decide_without(struct work_run *run)
{
   int code = EXIT_OK;

   for (size_t i = 0; code == EXIT_OK && i < run->work->count; i++) {
      if (run->outcomes[i].tries > 0) {
         continue;
      }
      if (expect_skip(run->expectations, unit_name(run, i))) {
         code = decide(run, i, RESULT_SKIP, "a line of the skips file matches");
      } else if (run->outcomes[i].ended >= ENDED_MAX) {
         code = decide(run, i, RESULT_INCOMPLETE, "two runs ended during it: it was not tried again");
      } else if (run->outcomes[i].ended > 0) {
         note("%s: incomplete, a run ended in it; it is tried again", unit_name(run, i));
      }
   }
   return code;
}

static size_t finished(const struct work_run *run)
{
   size_t count = 0;

   for (size_t i = 0; i < run->work->count; i++) {
      count += run->outcomes[i].tries > 0;
   }
   return count;
}

size_t work_run_processes(const struct work_run *run)
{
   const size_t missing = run->work->count - finished(run);
   const size_t processes = missing < run->jobs ? missing : run->jobs;
   return processes > 0 ? processes : 1;
}

int work_run_prepare(struct work_run *run)
{
   int code = EXIT_OK;

   run->outcomes = calloc(run->work->count + 1, sizeof(*run->outcomes));
   if (run->outcomes == NULL) {
      return no_memory();
   }
   if (run->dir != NULL) {
      code = results_dir_outcomes(run->dir, run->work, run->outcomes);
   }
   if (code == EXIT_OK && run->dir != NULL) {
      code = results_dir_load_header(run->dir, &run->results, &run->headed);
   }
   return code == EXIT_OK ? decide_without(run) : code;
}

/* Makes the header of the results. A resumed run keeps its own, and must use the same device. */
static int make_header(struct work_run *run, const struct asahi_device_info *info)
{
   if (run->headed) {
      const struct asahi_device_info *before = &run->results.device;

      return strcmp(before->path, info->path) == 0 && strcmp(before->name, info->name) == 0
                 ? EXIT_OK
                 : complain(EXIT_INVALID, "the run to resume was on %s (%s), this is %s (%s)", before->path,
                            before->name, info->path, info->name);
   }
   run->headed = true;
   if (!result_run_init(&run->results, info, run->command_line, run->settings->seed)) {
      return no_memory();
   }
   if (run->settings->mesa_version != NULL) {
      result_run_set_mesa(&run->results, run->settings->mesa, run->settings->mesa_version);
   }
   run->results.ffma_cycles = run->settings->ffma_cycles;
   return run->dir != NULL ? results_dir_save_header(run->dir, &run->results) : EXIT_OK;
}

/* Opens the pool and the device. */
static int open_pool(struct work_run *run)
{
   const struct run_settings *settings = run->settings;

   run->pool = (struct pool){.limits = {settings->test_timeout, settings->idle_timeout, settings->run_timeout},
                             .work = run->work,
                             .journal = run->dir != NULL ? &run->dir->journal : NULL,
                             .jobs = run->jobs};
   if (run->dir != NULL && asprintf(&run->journal_path, "%s/journal", settings->results) < 0) {
      run->journal_path = NULL;
      return no_memory();
   }
   run->pool.journal_path = run->journal_path;
   const int error = pool_open(&run->pool);
   if (error < 0) {
      return complain(EXIT_FAILED, "cannot set up the run: %s", strerror(-error));
   }
   return probe_device(&run->pool, settings->device, settings->timeout, &run->info);
}

int work_run_open(struct work_run *run)
{
   /* a complete unit may still need another try, which the pool decides */
   run->needed = !run->headed || finished(run) < run->work->count || run->settings->reruns > 0;
   const int code = run->needed ? open_pool(run) : EXIT_OK;
   return code == EXIT_OK && run->needed ? make_header(run, &run->info) : code;
}

/* If the unit is a file, its results name it. Returns false when out of memory. */
static bool name_file(struct work_run *run, size_t unit, size_t first)
{
   for (size_t i = first; run->work->file != NULL && i < run->results.count; i++) {
      struct result *result = &run->results.results[i];

      free(result->file);
      result->file = strdup(run->work->file(run->work->data, unit));
      if (result->file == NULL) {
         return false;
      }
   }
   return true;
}

/* Runs what is missing and collects the results. *ended: EXIT_OK, or why units were not run; that message is
 * printed. */
static int run_units(struct work_run *run, int *ended)
{
   const size_t count = run->work->count;
   struct recording recording = {.expectations = run->expectations,
                                 .outcomes = run->outcomes,
                                 .reruns = run->settings->reruns,
                                 .keep_output = run->keep_output};

   *ended = run->needed ? recording_run(&recording, &run->pool) : EXIT_OK;
   if (*ended != EXIT_OK) {
      (void)complain(*ended, "stopped after %zu of %zu results: %s", finished(run), count, run->pool.why);
      if (run->dir != NULL) {
         const size_t program = strcspn(run->command_line, " ") + 1; /* "agx-runner run float/..." */

         note("%.*s --resume %s continues it", (int)(program + strcspn(run->command_line + program, " ")),
              run->command_line, run->settings->results);
      }
   }
   pool_close(&run->pool);
   for (size_t i = 0; i < count; i++) {
      const size_t first = run->results.count;

      if (!outcome_judge(&run->outcomes[i], run->expectations, &run->results) || !name_file(run, i, first)) {
         return no_memory();
      }
   }
   return EXIT_OK;
}

/* Returns EXIT_OK, EXIT_SKIPPED or EXIT_FAILED by the results' statuses. path: the file that the results were written
 * to, so that the terminal does not show what failed; NULL: standard output. */
static int exit_code(const struct result_run *run, const char *path)
{
   const struct result *first = NULL;
   size_t bad = 0;

   for (size_t i = 0; i < run->count; i++) {
      if (result_status_is_bad(run->results[i].status)) {
         first = first != NULL ? first : &run->results[i];
         bad++;
      }
   }
   if (bad == 0) {
      return result_count_status(run, RESULT_SKIP) == run->count ? EXIT_SKIPPED : EXIT_OK;
   }
   return path == NULL ? EXIT_FAILED
                       : complain(EXIT_FAILED, "%zu of %zu results failed, the first: %s: %s: %s (%s has all)", bad,
                                  run->count, first->name, result_status_names[first->status], first->reason, path);
}

static int write_report(struct work_run *run, const struct work_report *report, int ended, struct output *output)
{
   int kept = EXIT_OK, written = EXIT_OK;

   if (ended == EXIT_OK && report->derive != NULL && !report->derive(&run->results)) {
      return no_memory();
   }
   /* EXIT_FAILED: the journal could not be written. The folder remains unchanged. */
   if (run->dir != NULL && ended != EXIT_FAILED) {
      kept = results_dir_report(run->dir, &run->results, run->expectations, run->outcomes, run->work->count);
   }
   if (ended == EXIT_OK || report->stopped || output->path == NULL) {
      written = report->write(report->data, &run->results, ended == EXIT_OK, output);
   }
   return written != EXIT_OK ? written
          : kept != EXIT_OK  ? kept
          : ended != EXIT_OK ? ended
          : report->judges   ? EXIT_OK
                             : exit_code(&run->results, output->path);
}

int work_run_execute(struct work_run *run, const struct work_report *report)
{
   struct output output = {0};
   int ended = EXIT_OK;
   int code = output_open(&output, report->path); /* a path that cannot be written is reported before the run */

   if (code == EXIT_OK) {
      code = run_units(run, &ended);
   }
   if (code == EXIT_OK) {
      code = write_report(run, report, ended, &output);
   }
   output_discard(&output);
   return code;
}

void work_run_finish(struct work_run *run)
{
   pool_close(&run->pool);
   result_run_finish(&run->results);
   for (size_t i = 0; run->outcomes != NULL && i < run->work->count; i++) {
      outcome_finish(&run->outcomes[i]);
   }
   free(run->outcomes);
   free(run->journal_path);
   run->outcomes = NULL;
   run->journal_path = NULL;
}

int work_run_load_expectations(const char *fails, const char *skips, const char *flakes,
                               struct expectations **expectations)
{
   const char *const paths[] = {[EXPECT_FAILS] = fails, [EXPECT_SKIPS] = skips, [EXPECT_FLAKES] = flakes};
   char message[512];

   *expectations = expectations_create();
   if (*expectations == NULL) {
      return no_memory();
   }
   for (enum expect_file kind = EXPECT_FAILS; kind <= EXPECT_FLAKES; kind++) {
      if (paths[kind] != NULL &&
          expectations_load(*expectations, kind, paths[kind], outcome_fail_words, message, sizeof(message)) < 0) {
         return complain(EXIT_INVALID, "%s", message);
      }
   }
   return EXIT_OK;
}

int work_run_load_folder(const char *folder, struct expectations **expectations)
{
   static const char *const names[] = {"fails.txt", "skips.txt", "flakes.txt"};
   char *paths[3] = {NULL};
   int code = EXIT_OK;

   for (unsigned i = 0; code == EXIT_OK && folder != NULL && i < 3; i++) {
      if (asprintf(&paths[i], "%s/%s", folder, names[i]) < 0) {
         paths[i] = NULL;
         code = complain(EXIT_FAILED, "out of memory");
      } else if (access(paths[i], F_OK) < 0) {
         free(paths[i]);
         paths[i] = NULL;
      }
   }
   if (code == EXIT_OK) {
      code = work_run_load_expectations(paths[0], paths[1], paths[2], expectations);
   }
   for (unsigned i = 0; i < 3; i++) {
      free(paths[i]);
   }
   return code;
}
