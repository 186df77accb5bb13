/* SPDX-License-Identifier: MIT
 *
 * run: measures and tests what the patterns select.
 */
#include <limits.h>
#include <stdlib.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/run_options.h"
#include "agx_runner/measure/derived.h"
#include "agx_runner/power/energy.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/runs/selection_work.h"
#include "agx_runner/compare/compilers.h"
#include "agx_runner/driver/catalogue.h"
#include "drivers/find.h"
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

/* Chooses the writer of the output: a run's, or that of a comparison of two compilers. */
struct reporting {
   const struct run_options *options;
   struct compilers_settings compilers;
   struct fail_on rules;
};

static int write_comparison(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct reporting *reporting = data;

   return whole ? compilers_compare(&reporting->compilers, run, output) : EXIT_OK;
}

static bool compares(const struct run_options *options)
{
   return options->compilers.count == COMPILERS;
}

/* Prepares the comparison: its turns and its rules. */
static int prepare_comparison(struct selection_work *work, struct reporting *reporting)
{
   struct turn *turns = selection_turns(work->selection, &work->turn_count);

   work->turns = turns;
   reporting->compilers = (struct compilers_settings){.turns = turns,
                                                      .turn_count = work->turn_count,
                                                      .fail_on = &reporting->rules,
                                                      .format = (enum output_format)reporting->options->kept.format,
                                                      .store = reporting->options->store};
   return turns == NULL ? complain(EXIT_FAILED, "out of memory")
                        : fail_on_parse(&reporting->options->fail_on, &reporting->rules);
}

/* Starts the server of each compiler, one for all processes of the run. If that fails, a compilation reports it. */
static void start_compilers(const struct run_options *options)
{
   compiler_set_limits(
       &(struct compiler_limits){.seconds = options->compile_seconds, .memory_mib = options->compile_mib});
   for (unsigned i = compares(options) ? COMPILERS : 1; i-- > 0;) {
      compiler_use(i);
      (void)compiler_start();
   }
}

/* Runs the units, whose selection is made. */
static int run_units(const struct run_options *options, struct results_dir *dir, const struct work *work,
                     const struct work_report *report)
{
   struct expectations *expectations = NULL;
   struct work_run run = {
       .settings = &options->kept.run, .work = work, .dir = dir, .command_line = options->kept.line.text, .jobs = 1};
   int code = work_run_load_expectations(options->fails, options->skips, options->flakes, &expectations);

   run.expectations = expectations;
   if (code == EXIT_OK) {
      code = work_run_prepare(&run);
   }
   if (code == EXIT_OK && options->store != NULL) {
      code = store_probe(options->store);
   }
   if (code == EXIT_OK) {
      start_compilers(options);
      code = work_run_open(&run);
   }
   if (code == EXIT_OK) {
      if (options->kept.run.power) {
         announce_power(options);
      }
      code = work_run_execute(&run, report);
   }
   work_run_finish(&run);
   expectations_destroy(expectations);
   return code;
}

/* Chooses the compilers that the command line names. */
static int choose_compilers(const struct run_options *options)
{
   int code = EXIT_OK;

   if (options->compilers.count > COMPILERS) {
      return complain(EXIT_INVALID, "--compiler: '%s' is one too many: two are compared",
                      options->compilers.items[COMPILERS]);
   }
   for (unsigned i = (unsigned)options->compilers.count; code == EXIT_OK && i-- > 0;) {
      compiler_use(i);
      code = compiler_choose(options->compilers.items[i]);
   }
   compiler_use(0);
   return code;
}

/* Compiles with the Mesa that the command line names what the selection needs. */
static int start_mesa(const struct run_options *options, const struct selection *selection)
{
   if (options->kept.run.mesa_version == NULL) {
      return EXIT_OK;
   }
   if (options->compilers.count > 0) {
      return complain(EXIT_INVALID, "--mesa and --compiler cannot be combined: one of them compiles");
   }
   const int code = driver_catalogue_start(options->kept.run.mesa);
   for (size_t i = 0; code == EXIT_OK && i < selection->count; i++) {
      if (selection->items[i].benchmark != NULL) {
         driver_catalogue_add(selection->items[i].benchmark);
      }
   }
   return code;
}

static int check_comparison(const struct run_options *options)
{
   const uint32_t format = options->kept.format;

   if (!compares(options)) {
      return options->fail_on.count == 0
                 ? EXIT_OK
                 : complain(EXIT_INVALID, "--fail-on needs two --compiler, or agx-runner compare");
   }
   if (format != FORMAT_TEXT && format != FORMAT_JSON && format != FORMAT_MARKDOWN) {
      return complain(EXIT_INVALID, "two compilers are compared: --format text, json or markdown, not '%s'",
                      output_format_names[format]);
   }
   return options->kept.run.power
              ? complain(EXIT_INVALID, "--power cannot be combined with two --compiler: energies are not compared")
              : EXIT_OK;
}

/* dir: NULL, or open. */
static int run_all(const void *given, struct results_dir *dir)
{
   const struct run_options *options = given;
   struct reporting reporting = {.options = options};
   struct selection selection = {0};
   struct selection_work data = {.selection = &selection, .settings = &options->kept.run};
   struct work_report report = {
       .path = options->kept.output, .derive = derived_add, .write = write_results, .data = options};
   int code = check_comparison(options);

   if (code == EXIT_OK) {
      code = choose_compilers(options);
   }
   if (code == EXIT_OK) {
      code = make_selection(options, &selection);
   }
   if (code == EXIT_OK) {
      code = start_mesa(options, &selection);
   }
   if (code == EXIT_OK && compares(options)) {
      code = prepare_comparison(&data, &reporting);
      report = (struct work_report){
          .path = options->kept.output, .write = write_comparison, .data = &reporting, .judges = true};
   }
   const struct work work = selection_work(&data);
   if (code == EXIT_OK) {
      code = run_units(options, dir, &work, &report);
   }
   free((void *)data.turns);
   driver_catalogue_finish();
   selection_finish(&selection);
   return code;
}

static int cmd_run(const void *data)
{
   struct run_options options = *(const struct run_options *)data;
   char version[MESA_WORD];

   options.kept.run.mesa_version = mesa_version(options.kept.run.mesa, version);
   compiler_set_cache(!options.no_cache);
   return kept_run(&command_run, &options, run_all);
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
