/* SPDX-License-Identifier: MIT
 *
 * run: measures and tests what the patterns select.
 */
#include <limits.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/run_options.h"
#include "agx_runner/measure/derived.h"
#include "agx_runner/power/energy.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/runs/selection_work.h"
#include "agx_runner/compare/interleave.h"
#include "drm/asahi.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/report/formats.h"
#include "agx_runner/results/result.h"
#include "agx_runner/runs/results_dir.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/results/store.h"

static int write_results(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct run_options *options = data;

   if (run_write(run, options->kept.format, output->file) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int code = output_commit(output);
   if (options->kept.run.power) {
      power_write(run, stderr);
   }
   return code == EXIT_OK && whole && options->store != NULL ? store_keep(options->store, run) : code;
}

static int make_selection(const struct run_options *options, struct selection *selection)
{
   *selection = (struct selection){0};
   if (options->mixes.count == 0) {
      if (options->ilp != 0 || options->simds != 0) {
         return complain(EXIT_INVALID, "--ilp and --simds need --mix");
      }
      const bool hardware = !asahi_spec_is_virtual(options->kept.run.device);
      const struct selection_scope scope = {
          .brief = !options->full, .guarded = hardware && !options->hazardous, .small = !hardware && !options->full};
      const int code = selection_make(selection, &options->kept.line.operands, &scope);

      if (code == EXIT_OK && hardware && selection_risks(selection) > 0) {
         note("%zu tests may hang or reset the GPU. They run last. Save your work, and work from ssh or a text console",
              selection_risks(selection));
      }
      return code;
   }
   if (options->kept.line.operands.count > 0) {
      return complain(EXIT_INVALID, "--mix takes no patterns: '%s'", options->kept.line.operands.items[0]);
   }
   return selection_make_mixes(selection, &options->mixes, options->ilp, options->simds);
}

/* Says before the run whether there will be energies: workers look for the rail themselves. */
static void announce_power(const struct run_options *options)
{
   struct energy_meter meter;
   char why[320];

   if (asahi_spec_is_virtual(options->kept.run.device)) {
      note("--power: %s has no power rails: skipped", options->kept.run.device);
   } else if (!energy_start(&meter, POWER_HWMON, why, sizeof(why))) {
      note("--power: skipped: %s", why);
   } else {
      note("--power: %s, read each %u ms; %g s a row. Leave the machine idle", meter.rail.label, POWER_INTERVAL_MS,
           2 * meter.lead_seconds + meter.idle_seconds + meter.busy_seconds);
   }
}

/* dir: NULL, or open. */
static int run_all(const void *given, struct results_dir *dir)
{
   const struct run_options *options = given;
   struct expectations *expectations = NULL;
   struct selection selection;
   int code = make_selection(options, &selection);

   struct selection_work data = {.selection = &selection, .settings = &options->kept.run};
   const struct work work = selection_work(&data);
   struct work_run run = {
       .settings = &options->kept.run, .work = &work, .dir = dir, .command_line = options->kept.line.text, .jobs = 1};
   const struct work_report report = {
       .path = options->kept.output, .derive = derived_add, .write = write_results, .data = options};
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
      compiler_set_limits(
          &(struct compiler_limits){.seconds = options->compile_seconds, .memory_mib = options->compile_mib});
      (void)compiler_start(); /* one for all processes of the run; if that fails, a compilation reports it */
      code = work_run_open(&run);
   }
   if (code == EXIT_OK) {
      if (options->kept.run.power) {
         announce_power(options);
      }
      code = work_run_execute(&run, &report);
   }
   work_run_finish(&run);
   expectations_destroy(expectations);
   selection_finish(&selection);
   return code;
}

static int run_interleaved(const struct run_options *options)
{
   struct selection selection = {0};
   struct string_list words = {0};
   int code = options->kept.resume != NULL ? complain(EXIT_INVALID, "--resume cannot be combined with --interleave")
                                           : make_selection(options, &selection);

   const struct interleave_settings settings = {
       .program = options->interleave,
       .words = &words,
       .fail_on = &options->fail_on,
       .format = options->kept.format,
       .output = options->kept.output,
       .store = options->store,
       .command_line = options->kept.line.text,
       .run_timeout = options->kept.run.run_timeout,
   };
   if (code == EXIT_OK && options->kept.run.results != NULL) {
      code = complain(EXIT_INVALID,
                      "--interleave has no journal, so --results cannot be given (--store stores both runs)");
   }
   if (code == EXIT_OK && options->kept.run.power) {
      code = complain(EXIT_INVALID,
                      "--power cannot be combined with --interleave: the energies of two builds are not compared");
   }
   if (code == EXIT_OK) {
      code = options_forward(&command_run, options, &words);
   }
   if (code == EXIT_OK) {
      code = interleave(&settings, &selection);
   }
   options_forward_finish(&words);
   selection_finish(&selection);
   return code;
}

static int cmd_run(const void *data)
{
   const struct run_options *options = data;

   const int code = compiler_choose(options->compiler);
   if (code != EXIT_OK) {
      return code;
   }
   compiler_set_cache(!options->no_cache);
   if (options->interleave != NULL) {
      return run_interleaved(options);
   }
   if (options->fail_on.count > 0) {
      return complain(EXIT_INVALID, "--fail-on needs --interleave, or agx-runner compare");
   }
   return kept_run(&command_run, options, run_all);
}

const struct command command_run = {
    .name = "run",
    .operands = "[PATTERN...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "run benchmarks and tests; patterns are globs on group/name, ! excludes",
    .rows = run_rows,
    .size = sizeof(struct run_options),
    .run = cmd_run,
};
