/* SPDX-License-Identifier: MIT
 *
 * agx-runner piglit: OpenCL program tests in Piglit's format, and tests of compute shaders, run by the same runner of
 * processes as `run`.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/shared/kept.h"
#include "agx_runner/cli/shared/shard.h"
#include "agx_runner/cli/program_rows.h"
#include "agx_runner/driver/host.h"
#include "agx_runner/driver/tests/tests.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/report.h"
#include "agx_runner/piglit/work.h"
#include "agx_runner/program/check_reports.h"
#include "agx_runner/report/formats.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "process/child/child.h"
#include "drivers/find.h"
#include "util/array.h"
#include "util/clock.h"
#include "util/cores.h"

struct piglit_options {
   struct kept_options kept; /* of the settings: device, reruns, run_timeout, results */
   uint32_t jobs;            /* 0: one a core */
   bool check, no_cache;
   const char *compiler; /* compiler_choose() */
   const char *mesa;     /* whose drivers compile and run; NULL or "linked": agx-compile and the device do */
   double timeout;       /* time limit of a file, seconds */
   const char *expect;   /* folder of expectation files; NULL: none */
   const char *shard;    /* shard_parse() */
};

static const struct output_offer offers[] = {
    {FORMAT_SUMMARY, NULL}, {FORMAT_JSON, NULL},     {FORMAT_CSV, NULL},    {FORMAT_JUNIT, NULL},
    {FORMAT_TAP, NULL},     {FORMAT_MARKDOWN, NULL}, {FORMAT_PIGLIT, NULL},
};
static const struct output_formats formats = {offers, ARRAY_COUNT(offers), sizeof(offers[0])};

#define FIELD(member) .field = offsetof(struct piglit_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_device, FIELD(kept.run.device)},
   {&option_compiler, FIELD(compiler)},
   {&option_mesa, FIELD(mesa)},
   {&option_no_cache, FIELD(no_cache)},
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &formats,
           .initial = "summary",
           .help = "summary, json, csv, junit, tap, markdown, or piglit (the output of Piglit's own tester)"),
    FIELD(kept.format)},
   {&option_jobs, FIELD(jobs)},
   {&option_check, FIELD(check)},
   {OPTION(.name = "timeout", .metavar = "SECONDS", .kind = KIND_SECONDS, .max = 86400, .initial = "60",
           .help = "limit of a test file: time on hardware; on a virtual device the time that its process works or "
                   "sleeps"),
    FIELD(timeout)},
   {&option_expect, FIELD(expect)},
   {&option_shard, FIELD(shard)},
   {&option_results, FIELD(kept.run.results)},
   {&option_resume, FIELD(kept.resume)},
   {&option_reruns, FIELD(kept.run.reruns)},
   {&option_run_timeout, FIELD(kept.run.run_timeout)},
   {&option_output, FIELD(kept.output)},
   {0},
};
/* clang-format on */

static int collect(const struct piglit_options *options, struct piglit_files *files)
{
   char message[512];

   for (size_t i = 0; i < options->kept.line.operands.count; i++) {
      if (piglit_files_add(files, options->kept.line.operands.items[i], message, sizeof(message)) < 0) {
         return complain(EXIT_INVALID, "%s", message);
      }
   }
   if (files->count == 0) {
      return complain(EXIT_INVALID, "piglit: name files or folders of tests");
   }
   piglit_files_sort(files);
   struct shard shard;
   const int code = shard_parse(options->shard, &shard);
   if (code == EXIT_OK) {
      piglit_files_shard(files, shard.number, shard.of);
   }
   return code == EXIT_OK && files->count == 0 ? complain(EXIT_INVALID, "--shard %s: it has no file", options->shard)
                                               : code;
}

struct piglit_report {
   const struct piglit_options *options;
   double start; /* time at which the run started, by util_clock_seconds() */
};

/* Prints what --check checked, so that a run without findings differs from one without checks. */
static void note_checked(const struct result_run *run)
{
   size_t ran = 0, found = 0;

   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      ran += result->status == RESULT_PASS || result->status == RESULT_FAIL;
      found += result->status == RESULT_FAIL && check_report_is_one(result->reason);
   }
   note("--check: %zu test%s ran on a device that checks bounds, races, undefined and hazards; findings in %zu", ran,
        ran == 1 ? "" : "s", found);
}

static int write_results(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct piglit_report *report = data;
   const struct piglit_options *options = report->options;
   int ret;

   if (options->kept.format == FORMAT_SUMMARY) {
      ret = piglit_write_summary(run, options->expect != NULL, util_clock_seconds() - report->start, output->file);
   } else if (options->kept.format == FORMAT_PIGLIT) {
      ret = piglit_write_protocol(run, output->file);
   } else {
      ret = run_write(run, options->kept.format, output->file);
   }
   if (whole && options->check) {
      note_checked(run);
   }
   return ret < 0 ? complain(EXIT_FAILED, "out of memory") : output_commit(output);
}

static int choose_mesa(const struct piglit_options *options, struct piglit_work *work, char version[MESA_WORD])
{
   struct mesa mesa;

   if (options->mesa == NULL || strcmp(options->mesa, "linked") == 0) {
      return EXIT_OK;
   }
   mesa_describe(options->mesa, &mesa);
   if (mesa.why[0] != '\0') {
      return complain(EXIT_INVALID, "--mesa %s: %s", options->mesa, mesa.why);
   }
   work->driver = &driver_tests;
   work->mesa = options->mesa;
   memcpy(version, mesa.version, sizeof(mesa.version));
   int code = EXIT_OK;
   for (enum mesa_api api = 0; code == EXIT_OK && api < MESA_APIS; api++) {
      code = mesa.drivers[api][0] != '\0' ? driver_host_find(api) : EXIT_OK;
   }
   return code;
}

/* dir: NULL, or open. */
static int execute(const void *given, struct results_dir *dir)
{
   const struct piglit_options *options = given;
   const bool print = options->kept.format == FORMAT_PIGLIT || dir != NULL;
   struct piglit_files files = {0};
   struct expectations *expectations = NULL;
   struct run_settings settings = options->kept.run;
   struct piglit_work data = {.files = &files, .seconds = options->timeout, .print = print};
   char *spec = NULL, version[MESA_WORD] = "";

   settings.timeout = settings.test_timeout = settings.idle_timeout = options->timeout;
   int code = work_run_load_folder(options->expect, &expectations);
   if (code == EXIT_OK) {
      code = compiler_choose(options->compiler);
   }
   if (code == EXIT_OK) {
      code = choose_mesa(options, &data, version);
   }
   if (code == EXIT_OK) {
      code = collect(options, &files);
   }
   const struct work work = piglit_work(&data);
   struct work_run run = {.settings = &settings,
                          .work = &work,
                          .expectations = expectations,
                          .dir = dir,
                          .command_line = options->kept.line.text,
                          .jobs = options->jobs != 0 ? options->jobs : util_cores(),
                          .keep_output = print};
   if (code == EXIT_OK) {
      code = work_run_prepare(&run);
   }
   if (code == EXIT_OK) {
      compiler_set_cache(!options->no_cache);
      compiler_set_limits(&(struct compiler_limits){.seconds = options->timeout});
      (void)compiler_start(); /* one for all processes of the run; should it fail, a compilation says so */
      code = work_run_open(&run);
   }
   if (code == EXIT_OK && data.mesa != NULL) {
      result_run_set_mesa(&run.results, data.mesa, version);
   }
   if (code == EXIT_OK && run.needed) {
      spec = piglit_device_spec(settings.device, &run.info, work_run_processes(&run), options->check);
      run.pool.device = spec;
      code = spec == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   }
   if (code == EXIT_OK) {
      const struct piglit_report format = {options, util_clock_seconds()};
      const struct work_report report = {.path = options->kept.output, .write = write_results, .data = &format};

      code = work_run_execute(&run, &report);
   }
   work_run_finish(&run);
   free(spec);
   piglit_files_finish(&files);
   expectations_destroy(expectations);
   return code;
}

static int cmd_piglit(const void *options)
{
   return kept_run(&command_piglit, options, execute);
}

const struct command command_piglit = {
    .name = "piglit",
    .operands = "FILE|DIR...",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "run tests of OpenCL programs and of compute shaders, in parallel",
    .rows = rows,
    .size = sizeof(struct piglit_options),
    .run = cmd_piglit,
};
