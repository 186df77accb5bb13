/* SPDX-License-Identifier: MIT
 *
 * run: measures and tests what the patterns select.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/options.h"
#include "agx_runner/measure/derived.h"
#include "agx_runner/process/pool.h"
#include "agx_runner/compare/interleave.h"
#include "drm/asahi.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/report/report.h"
#include "agx_runner/results/result.h"
#include "agx_runner/process/results_dir.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store.h"
#include "agx_runner/terminal/terminal.h"

#define ENDED_MAX 2 /* so often may a run end in a test before it is given up */

/* A run and what belongs to it. */
struct run {
   const struct options *options;
   struct results_dir *dir; /* NULL: nothing is kept */
   struct selection selection;
   struct expectations *expectations;
   struct outcome *outcomes;
   struct result_run results;
   bool headed; /* results has all but the results */
   struct output output;
};

/* Colour is for a terminal, and for those who have not asked for none (https://no-color.org). */
static bool wants_colour(const struct output *output)
{
   const char *no_color = getenv("NO_COLOR");

   return terminal_is_able(fileno(output->file)) && (no_color == NULL || no_color[0] == '\0');
}

static int write_results(const struct options *options, const struct result_run *run, struct output *output)
{
   const int error = options->format == RESULT_FORMAT_HTML
                         ? report_write(run, NULL, NULL, output->file)
                         : result_write(run, options->format, wants_colour(output), output->file);

   if (error < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return output_commit(output);
}

static int exit_code(const struct result_run *run)
{
   for (size_t i = 0; i < run->count; i++) {
      if (result_status_is_bad(run->results[i].status)) {
         return EXIT_FAILED;
      }
   }
   return result_count_status(run, RESULT_SKIP) == run->count ? EXIT_SKIPPED : EXIT_OK;
}

static int make_selection(const struct options *options, struct selection *selection)
{
   *selection = (struct selection){0};
   if (options->mixes.count == 0) {
      if (options->ilp != 0 || options->simds != 0) {
         return complain(EXIT_INVALID, "--ilp and --simds go with --mix");
      }
      const bool hardware = !asahi_spec_is_virtual(options->run.device);
      const struct selection_scope scope = {.brief = !options->full, .guarded = hardware && !options->hazardous};
      const int code = selection_make(selection, &options->operands, &scope);

      if (code == EXIT_OK && hardware && selection_risks(selection) > 0) {
         note("%zu tests may hang or reset the GPU. They run last. Save your work, and work from ssh or a text console",
              selection_risks(selection));
      }
      return code;
   }
   if (options->operands.count > 0) {
      return complain(EXIT_INVALID, "patterns do not go with --mix: '%s'", options->operands.items[0]);
   }
   return selection_make_mixes(selection, &options->mixes, options->ilp, options->simds);
}

static int load_expectations(const struct options *options, struct expectations **expectations)
{
   const char *const paths[] = {
       [EXPECT_FAILS] = options->fails, [EXPECT_SKIPS] = options->skips, [EXPECT_FLAKES] = options->flakes};
   char message[512];

   *expectations = expectations_create();
   if (*expectations == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (enum expect_file kind = EXPECT_FAILS; kind <= EXPECT_FLAKES; kind++) {
      if (paths[kind] != NULL &&
          expectations_load(*expectations, kind, paths[kind], verdict_statuses, message, sizeof(message)) < 0) {
         return complain(EXIT_INVALID, "%s", message);
      }
   }
   return EXIT_OK;
}

static void decide(struct run *run, size_t index, enum result_status status, const char *reason)
{
   struct result result;

   result_init(&result, run->selection.items[index].name);
   result_set(&result, status, "%s", reason);
   outcome_add(&run->outcomes[index], &result);
}

/* Results that need no run. */
static void decide_without(struct run *run)
{
   for (size_t i = 0; i < run->selection.count; i++) {
      if (run->outcomes[i].tries > 0) {
         continue;
      }
      if (expect_skip(run->expectations, run->selection.items[i].name)) {
         decide(run, i, RESULT_SKIP, "a line of the skips file matches");
      } else if (run->outcomes[i].ended >= ENDED_MAX) {
         decide(run, i, RESULT_INCOMPLETE, "two runs ended in it: it was not tried again");
      } else if (run->outcomes[i].ended > 0) {
         note("%s: incomplete, a run ended in it; it is tried again", run->selection.items[i].name);
      }
   }
}

static bool is_complete(const struct run *run)
{
   for (size_t i = 0; i < run->selection.count; i++) {
      if (run->outcomes[i].tries == 0) {
         return false;
      }
   }
   return true;
}

/* What stands above the results: a resumed run's own, which must be of the same device. */
static int make_header(struct run *run, const struct asahi_device_info *info)
{
   const struct options *options = run->options;

   if (run->headed) {
      const struct asahi_device_info *before = &run->results.device;

      return strcmp(before->path, info->path) == 0 && strcmp(before->name, info->name) == 0
                 ? EXIT_OK
                 : complain(EXIT_INVALID, "the run to resume was on %s (%s), this is %s (%s)", before->path,
                            before->name, info->path, info->name);
   }
   run->headed = true;
   if (!result_run_init(&run->results, info, options->command_line, options->run.seed)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return run->dir != NULL ? results_dir_save_header(run->dir, &run->results) : EXIT_OK;
}

static int gather(struct run *run)
{
   for (size_t i = 0; i < run->selection.count; i++) {
      if (run->outcomes[i].tries > 0) {
         struct result *result = result_add(&run->results, "");

         if (result == NULL) {
            return complain(EXIT_FAILED, "out of memory");
         }
         verdict_apply(run->expectations, &run->outcomes[i], result);
      }
   }
   return EXIT_OK;
}

static int report(struct run *run, int ended)
{
   int code = gather(run);

   if (code == EXIT_OK && ended == EXIT_OK && !derived_add(&run->results)) {
      code = complain(EXIT_FAILED, "out of memory");
   }
   if (code != EXIT_OK) {
      return code;
   }
   code = ended != EXIT_OK ? ended : exit_code(&run->results);
   /* On a full disk nothing more is tried. */
   if (run->dir != NULL && ended != EXIT_FAILED) {
      const int written =
          results_dir_report(run->dir, &run->results, run->expectations, run->outcomes, run->selection.count);
      code = written != EXIT_OK ? written : code;
   }
   /* A file holds a whole run or is not there. */
   if (ended == EXIT_OK || run->output.path == NULL) {
      int written = write_results(run->options, &run->results, &run->output);
      if (written == EXIT_OK && ended == EXIT_OK && run->options->store != NULL) {
         written = store_keep(run->options->store, &run->results);
      }
      code = written != EXIT_OK ? written : code;
   }
   return code;
}

static size_t finished(const struct run *run)
{
   size_t count = 0;

   for (size_t i = 0; i < run->selection.count; i++) {
      count += run->outcomes[i].tries > 0;
   }
   return count;
}

static int execute(struct run *run)
{
   struct execution execution = {.settings = &run->options->run,
                                 .selection = &run->selection,
                                 .expectations = run->expectations,
                                 .journal = run->dir != NULL ? &run->dir->journal : NULL,
                                 .outcomes = run->outcomes};
   int code = EXIT_OK, ended = EXIT_OK;

   /* Another try may be missing of what is complete: execute_all() knows. */
   const bool needed = !run->headed || !is_complete(run) || run->options->run.reruns > 0;
   if (needed) {
      (void)compiler_start(); /* one for all processes of the run; should it fail, a compilation says so */
      code = execute_start(&execution);
   }
   if (code == EXIT_OK && needed) {
      code = make_header(run, execute_info(&execution));
   }
   if (code == EXIT_OK) {
      code = output_open(&run->output, run->options->output);
   }
   if (code == EXIT_OK && needed) {
      ended = execute_all(&execution);
      if (ended != EXIT_OK) {
         (void)complain(ended, "stopped after %zu of %zu results: %s", finished(run), run->selection.count,
                        execution.why);
         if (run->dir != NULL) {
            note("agx-runner run --resume %s goes on with it", run->options->run.results);
         }
      }
   }
   execute_finish(&execution);
   return code == EXIT_OK ? report(run, ended) : code;
}

/* dir: NULL, or open. */
static int run_all(const struct options *options, struct results_dir *dir)
{
   struct run run = {.options = options, .dir = dir};
   int code = make_selection(options, &run.selection);

   if (code == EXIT_OK) {
      code = load_expectations(options, &run.expectations);
   }
   if (code == EXIT_OK) {
      run.outcomes = calloc(run.selection.count, sizeof(*run.outcomes));
      code = run.outcomes == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   }
   if (code == EXIT_OK && dir != NULL) {
      code = results_dir_outcomes(dir, &run.selection, run.outcomes);
   }
   if (code == EXIT_OK && dir != NULL) {
      code = results_dir_load_header(dir, &run.results, &run.headed);
   }
   if (code == EXIT_OK && options->store != NULL) {
      code = store_probe(options->store);
   }
   if (code == EXIT_OK) {
      decide_without(&run);
      code = execute(&run);
   }
   output_discard(&run.output);
   result_run_finish(&run.results);
   for (size_t i = 0; run.outcomes != NULL && i < run.selection.count; i++) {
      outcome_finish(&run.outcomes[i]);
   }
   free(run.outcomes);
   expectations_destroy(run.expectations);
   selection_finish(&run.selection);
   return code;
}

/* The options that the run in `dir` was started with, but for where its results go now. */
static int stored_options(const struct options *options, const struct results_dir *dir, struct options *stored)
{
   const int code = options_parse(command_find("run"), dir->argc, dir->argv, stored);

   stored->format = options->format;
   stored->output = options->output;
   stored->run.results = dir->path;
   return code == OPTIONS_RUN ? EXIT_OK : code == EXIT_OK ? EXIT_INVALID : code;
}

static int resume(const struct options *options)
{
   struct results_dir dir;
   struct options stored = {0};
   int code = options->operands.count > 0 || options->run.results != NULL
                  ? complain(EXIT_INVALID, "--resume goes on with a run as it was started: no patterns, no --results")
                  : EXIT_OK;

   if (code != EXIT_OK) {
      return code;
   }
   code = results_dir_resume(&dir, options->resume);
   if (code == EXIT_OK) {
      code = stored_options(options, &dir, &stored);
   }
   if (code == EXIT_OK) {
      code = run_all(&stored, &dir);
   }
   options_finish(&stored);
   results_dir_finish(&dir);
   return code;
}

static int run_interleaved(const struct options *options)
{
   struct selection selection = {0};
   struct string_list words = {0};
   int code = options->resume != NULL ? complain(EXIT_INVALID, "--resume does not go with --interleave")
                                      : make_selection(options, &selection);

   const struct interleave_settings settings = {
       .program = options->interleave,
       .words = &words,
       .fail_on = &options->fail_on,
       .format = options->format,
       .output = options->output,
       .store = options->store,
       .command_line = options->command_line,
       .run_timeout = options->run.run_timeout,
   };
   if (code == EXIT_OK && options->run.results != NULL) {
      code = complain(EXIT_INVALID, "--interleave keeps no journal: no --results (--store keeps both runs)");
   }
   if (code == EXIT_OK) {
      code = options_forward(command_find("run"), options, &words);
   }
   if (code == EXIT_OK) {
      code = interleave(&settings, &selection);
   }
   options_forward_finish(&words);
   selection_finish(&selection);
   return code;
}

int cmd_run(const struct options *options)
{
   struct results_dir dir;

   if (options->interleave != NULL) {
      return run_interleaved(options);
   }
   if (options->fail_on.count > 0) {
      return complain(EXIT_INVALID, "--fail-on goes with --interleave, or with agx-runner compare");
   }
   if (options->resume != NULL) {
      return resume(options);
   }
   if (options->run.results == NULL) {
      return run_all(options, NULL);
   }
   int code = results_dir_create(&dir, options->run.results, options->argc, options->argv);
   if (code == EXIT_OK) {
      code = run_all(options, &dir);
   }
   results_dir_finish(&dir);
   return code;
}
