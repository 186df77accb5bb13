/* SPDX-License-Identifier: MIT
 *
 * run: measures and tests what the patterns select.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/kept.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/measure/derived.h"
#include "agx_runner/power/energy.h"
#include "agx_runner/process/work_run.h"
#include "agx_runner/process/selection_work.h"
#include "agx_runner/compare/interleave.h"
#include "drm/asahi.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/report/report.h"
#include "agx_runner/results/result.h"
#include "agx_runner/process/results_dir.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store.h"
#include "agx_runner/terminal/terminal.h"

/* Colour is for a terminal, and for those who have not asked for none (https://no-color.org). */
static bool wants_colour(const struct output *output)
{
   const char *no_color = getenv("NO_COLOR");

   return terminal_is_able(fileno(output->file)) && (no_color == NULL || no_color[0] == '\0');
}

static int write_results(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct options *options = data;
   const int error = options->format == RESULT_FORMAT_HTML
                         ? report_write(run, &(const struct report_extras){0}, output->file)
                         : result_write(run, options->format, wants_colour(output), output->file);

   if (error < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int code = output_commit(output);
   if (options->run.power) {
      power_write(run, stderr);
   }
   return code == EXIT_OK && whole && options->store != NULL ? store_keep(options->store, run) : code;
}

static int make_selection(const struct options *options, struct selection *selection)
{
   *selection = (struct selection){0};
   if (options->mixes.count == 0) {
      if (options->ilp != 0 || options->simds != 0) {
         return complain(EXIT_INVALID, "--ilp and --simds go with --mix");
      }
      const bool hardware = !asahi_spec_is_virtual(options->run.device);
      const struct selection_scope scope = {
          .brief = !options->full, .guarded = hardware && !options->hazardous, .small = !hardware && !options->full};
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

/* Says before the run whether there will be energies: workers look for the rail themselves. */
static void announce_power(const struct options *options)
{
   struct energy_meter meter;
   char why[320];

   if (asahi_spec_is_virtual(options->run.device)) {
      note("--power: %s has no power rails: skipped", options->run.device);
   } else if (!energy_start(&meter, POWER_HWMON, why, sizeof(why))) {
      note("--power: skipped: %s", why);
   } else {
      note("--power: %s, read each %u ms; %g s a row. Leave the machine idle", meter.rail.label, POWER_INTERVAL_MS,
           2 * meter.lead_seconds + meter.idle_seconds + meter.busy_seconds);
   }
}

/* dir: NULL, or open. */
static int run_all(const struct options *options, struct results_dir *dir)
{
   struct expectations *expectations = NULL;
   struct selection selection;
   int code = make_selection(options, &selection);

   struct selection_work data = {.selection = &selection, .settings = &options->run};
   const struct work work = selection_work(&data);
   struct work_run run = {
       .settings = &options->run, .work = &work, .dir = dir, .command_line = options->command_line, .jobs = 1};
   const struct work_report report = {
       .path = options->output, .derive = derived_add, .write = write_results, .data = options};
   if (code == EXIT_OK) {
      code = work_run_load_expectations(options->fails, options->skips, options->flakes, &expectations);
      run.expectations = expectations;
   }
   if (code == EXIT_OK) {
      code = work_run_prepare(&run);
   }
   if (code == EXIT_OK && options->store != NULL) {
      code = store_probe(options->store);
   }
   if (code == EXIT_OK) {
      compiler_set_limits(&(struct compiler_limits){.seconds = options->program.compile_seconds,
                                                    .memory_mib = options->program.compile_mib});
      (void)compiler_start(); /* one for all processes of the run; should it fail, a compilation says so */
      code = work_run_open(&run);
   }
   if (code == EXIT_OK) {
      if (options->run.power) {
         announce_power(options);
      }
      code = work_run_execute(&run, &report);
   }
   work_run_finish(&run);
   expectations_destroy(expectations);
   selection_finish(&selection);
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
   if (code == EXIT_OK && options->run.power) {
      code =
          complain(EXIT_INVALID, "--power does not go with --interleave: the energies of two builds are not compared");
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
   if (options->interleave != NULL) {
      return run_interleaved(options);
   }
   if (options->fail_on.count > 0) {
      return complain(EXIT_INVALID, "--fail-on goes with --interleave, or with agx-runner compare");
   }
   return kept_run(options, run_all);
}
