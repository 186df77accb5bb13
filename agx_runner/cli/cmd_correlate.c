/* SPDX-License-Identifier: MIT
 *
 * correlate: what the timing model says beside what is published. Each figure is asked of the virtual device of its own
 * chip, in worker processes.
 */
#include <limits.h>
#include <stdlib.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/correlate/correlate_work.h"
#include "agx_runner/correlate/correlation.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "util/array.h"

struct correlate_options {
   struct command_line line;
   struct run_settings run;
   uint32_t jobs, format; /* format: an enum output_format */
   const char *output;    /* NULL: standard output */
   const char *docs;      /* the tree whose page, picture and record are written; NULL: none */
   const char *check;     /* a record of an earlier run; NULL: none */
   const char *compiler;  /* compiler_choose() */
};

static const struct output_offer offers[] = {{FORMAT_TEXT, NULL}, {FORMAT_JSON, NULL}, {FORMAT_CSV, NULL}};
static const struct output_formats formats = {offers, ARRAY_COUNT(offers), sizeof(offers[0])};

#define FIELD(member) .field = offsetof(struct correlate_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {OPTION(.letter = 'f', .name = "format", .metavar = "FORMAT", .kind = KIND_FORMAT, .formats = &formats,
           .initial = "text"), FIELD(format)},
   {OPTION(.name = "check", .metavar = "FILE.csv", .kind = KIND_STRING, .min = 1,
           .help = "fail if blind figures got worse than this record, as --write-docs writes it"), FIELD(check)},
   {OPTION(.name = "write-docs", .metavar = "DIR", .kind = KIND_STRING, .min = 1,
           .help = "also write docs/correlation.md, docs/pictures/correlation.svg and results/correlation.csv in this "
                   "source tree; needs gnuplot"), FIELD(docs)},
   {&option_jobs, FIELD(jobs)},
   {OPTION(.letter = 'n', .name = "samples", .metavar = "N", .kind = KIND_U32, .min = 1, .max = 100000, .initial = "3",
           .help = "number of timings for each figure: a virtual device gives nearly the same each time"),
    FIELD(run.samples)},
   {&option_seed, FIELD(run.seed)},
   {&option_timeout, FIELD(run.timeout)},
   {&option_test_timeout, FIELD(run.test_timeout)},
   {&option_idle_timeout, FIELD(run.idle_timeout)},
   {&option_run_timeout, FIELD(run.run_timeout)},
   {&option_compiler, FIELD(compiler)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

/* Writes what a writer writes to a file of the tree. */
static int write_file(const char *tree, const char *name, const struct correlation *correlation,
                      void (*write)(const struct correlation *correlation, FILE *file))
{
   char path[PATH_MAX];
   struct output output = {0};

   snprintf(path, sizeof(path), "%s/%s", tree, name);
   int code = output_open(&output, path);
   if (code == EXIT_OK) {
      write(correlation, output.file);
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int write_docs(const char *tree, const struct correlation *correlation)
{
   char path[PATH_MAX];
   int code = write_file(tree, "docs/correlation.md", correlation, correlation_write_markdown);

   snprintf(path, sizeof(path), "%s/docs/pictures/correlation.svg", tree);
   code = code == EXIT_OK ? gnuplot_write(correlation_plot, correlation, path) : code;
   return code == EXIT_OK ? write_file(tree, "results/correlation.csv", correlation, correlation_write_summaries)
                          : code;
}

static int write_formatted(uint32_t format, const struct correlation *correlation, FILE *file)
{
   if (format == FORMAT_JSON) {
      return correlation_write_json(correlation, file) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   }
   (format == FORMAT_CSV ? correlation_write_csv : correlation_write_text)(correlation, file);
   return EXIT_OK;
}

static int write_all(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct correlate_options *options = data;
   struct correlation correlation;
   int code =
       correlation_make(&correlation, run, &options->line.operands) ? EXIT_OK : complain(EXIT_FAILED, "out of memory");

   code = code == EXIT_OK ? write_formatted(options->format, &correlation, output->file) : code;
   code = code == EXIT_OK ? output_commit(output) : code;
   if (code == EXIT_OK && whole && options->docs != NULL) {
      code = write_docs(options->docs, &correlation);
   }
   if (code == EXIT_OK && whole && options->check != NULL) {
      code = correlation_check(&correlation, options->check);
   }
   correlation_finish(&correlation);
   return code;
}

static int run_work(const struct correlate_options *options, struct correlate_work *data)
{
   const struct work work = correlate_work(data);
   const struct work_report report = {.path = options->output, .write = write_all, .data = options};
   struct work_run run = {
       .settings = &options->run, .work = &work, .command_line = options->line.text, .jobs = options->jobs};
   int code = work_run_prepare(&run);

   if (code == EXIT_OK) {
      (void)compiler_start(); /* one for all processes of the run; if that fails, a compilation reports it */
      code = work_run_open(&run);
   }
   code = code == EXIT_OK ? work_run_execute(&run, &report) : code;
   work_run_finish(&run);
   return code;
}

static int cmd_correlate(const void *data)
{
   struct correlate_options options = *(const struct correlate_options *)data;
   struct correlate_work work = {0};

   options.run.device = "virtual:m1";
   if (options.docs != NULL && options.line.operands.count > 0) {
      return complain(EXIT_INVALID, "--write-docs writes all figures: leave '%s' out", options.line.operands.items[0]);
   }
   if (options.docs != NULL && !gnuplot_is_installed()) {
      return complain(EXIT_INVALID, "--write-docs needs gnuplot (package gnuplot-nox), which does not start");
   }
   int code = compiler_choose(options.compiler);
   code = code == EXIT_OK ? correlate_work_plan(&work, &options.run, &options.line.operands) : code;
   code = code == EXIT_OK ? run_work(&options, &work) : code;
   correlate_work_finish(&work);
   return code;
}

const struct command command_correlate = {
    .name = "correlate",
    .operands = "[PATTERN...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "compare the timing model with all published figures; patterns are groups, or globs on group/row",
    .rows = rows,
    .size = sizeof(struct correlate_options),
    .run = cmd_correlate,
};
