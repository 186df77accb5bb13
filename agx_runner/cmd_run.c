/* SPDX-License-Identifier: MIT
 *
 * run: measures what the patterns select.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "agx_runner/derived.h"
#include "agx_runner/output.h"
#include "agx_runner/progress.h"
#include "agx_runner/result.h"
#include "agx_runner/runner.h"
#include "agx_runner/selection.h"
#include "agx_runner/store.h"

/* Colour is for a terminal, and for those who have not asked for none (https://no-color.org). */
static bool wants_colour(const struct output *output)
{
   const char *no_color = getenv("NO_COLOR");

   return isatty(fileno(output->file)) == 1 && (no_color == NULL || no_color[0] == '\0');
}

static int write_results(const struct options *options, const struct result_run *run, struct output *output)
{
   if (result_write(run, options->format, wants_colour(output), output->file) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   return output_commit(output);
}

/* False: the run ended before its time. */
static bool measure_all(const struct options *options, struct session *session, const struct selection *selection,
                        struct result_run *run)
{
   struct progress progress;
   struct measure measure;
   bool going = true;

   measure_start(&measure, session, options->samples, options->seed, options->clock == CLOCK_INFER);
   if (options->clock == CLOCK_NOMINAL) {
      measure_assume_clock(&measure, session->info->max_frequency_khz * 1e3);
   }
   measure.progress = &progress;
   progress_start(&progress, selection->count);
   for (size_t i = 0; going && i < selection->count; i++) {
      const struct selected *item = &selection->items[i];
      struct result *result = result_add(run, item->name);

      progress_step(&progress, item->name);
      going = result != NULL && measure_benchmark(&measure, item->benchmark, item->metric, result);
   }
   progress_finish(&progress);
   measure_finish(&measure);
   return going;
}

static int exit_code(const struct result_run *run)
{
   for (size_t i = 0; i < run->count; i++) {
      if (result_status_is_bad(run->results[i].status)) {
         return EXIT_FAILED;
      }
   }
   return result_count_status(run, RESULT_PASS) == 0 ? EXIT_SKIPPED : EXIT_OK;
}

static int run_selection(const struct options *options, const struct selection *selection, struct session *session,
                         struct output *output)
{
   struct result_run run;

   const bool whole = result_run_init(&run, session->info, options->command_line, options->seed) &&
                      measure_all(options, session, selection, &run) && derived_add(&run);
   int code = whole ? exit_code(&run) : EXIT_ABORTED;

   if (!whole) {
      const char *reason = run.count > 0 ? run.results[run.count - 1].reason : "out of memory";

      (void)complain(EXIT_ABORTED, "stopped after %zu of %zu results: %s", run.count, selection->count, reason);
   }
   /* A file holds a whole run or is not there. */
   if (whole || output->path == NULL) {
      int written = write_results(options, &run, output);
      if (written == EXIT_OK && whole && options->store != NULL) {
         written = store_keep(options->store, &run);
      }
      code = written != EXIT_OK ? written : code;
   }
   result_run_finish(&run);
   return code;
}

static int make_selection(const struct options *options, struct selection *selection)
{
   *selection = (struct selection){0};
   if (options->mixes.count == 0) {
      if (options->ilp != 0 || options->simds != 0) {
         return complain(EXIT_INVALID, "--ilp and --simds go with --mix");
      }
      return selection_make(selection, &options->operands, !options->full);
   }
   if (options->operands.count > 0) {
      return complain(EXIT_INVALID, "patterns do not go with --mix: '%s'", options->operands.items[0]);
   }
   return selection_make_mixes(selection, &options->mixes, options->ilp, options->simds);
}

int cmd_run(const struct options *options)
{
   struct selection selection;
   struct session session = {0};
   struct output output = {0};
   int code = make_selection(options, &selection);

   if (code == EXIT_OK) {
      code = session_open(&session, options->device, options->timeout);
   }
   if (code == EXIT_OK) {
      code = output_open(&output, options->output);
   }
   if (code == EXIT_OK) {
      code = run_selection(options, &selection, &session, &output);
   }
   output_discard(&output);
   session_close(&session);
   selection_finish(&selection);
   return code;
}
