/* SPDX-License-Identifier: MIT
 *
 * sweep memory and sweep layout run in this process. The points of sweep ilp (every instruction at every number of
 * chains and of simdgroups a core) the cells of sweep gemm, and the points of sweep bandwidth, atomics and launch run
 * in worker processes, as the tests of `run` do. Their CSV has all points that were measured, also those of an
 * interrupted sweep.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/kept.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/process/selection_work.h"
#include "agx_runner/sweep/sweep_gemm.h"
#include "agx_runner/sweep/sweep_layout.h"
#include "agx_runner/sweep/sweep_memory.h"
#include "agx_runner/sweep/sweep_series.h"
#include "agx_runner/sweep/sweep_work.h"
#include "agx_runner/process/work_run.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/compiler.h"

static const struct sweep_kernel *find_kernel(const char *name)
{
   for (unsigned i = 0; i < SWEEP_KERNELS; i++) {
      if (!strcasecmp(name, sweep_kernels[i].name)) {
         return &sweep_kernels[i];
      }
   }
   return NULL;
}

/* Plans the points of the kernels named after "ilp", else of all. An enum exit_code; messages are printed. */
static int plan_points(const struct options *options, struct sweep_work *work)
{
   const struct string_list *operands = &options->operands;
   bool wanted[SWEEP_KERNELS] = {false};

   for (size_t i = 1; i < operands->count; i++) {
      const struct sweep_kernel *kernel = find_kernel(operands->items[i]);

      if (kernel == NULL) {
         return complain(EXIT_INVALID,
                         "sweep ilp: there is no '%s', only FADD, FMUL and FFMA, each with 16 or 32: FADD32",
                         operands->items[i]);
      }
      wanted[kernel - sweep_kernels] = true;
   }
   for (unsigned i = 0; i < SWEEP_KERNELS; i++) {
      if ((wanted[i] || operands->count == 1) && !sweep_work_add(work, &sweep_kernels[i], options->full)) {
         return complain(EXIT_FAILED, "out of memory");
      }
   }
   return EXIT_OK;
}

/* The table, its published cells and the plot. An enum exit_code. */
static int write_points(const struct options *options, const struct sweep *sweep, struct output *output)
{
   sweep_write_csv(sweep, output->file);
   const int code = output_commit(output);
   if (options->output != NULL) {
      sweep_write_cells(sweep, stdout);
   }
   const int plotted = options->plot != NULL ? sweep_plot(sweep, options->plot) : EXIT_OK;
   return code != EXIT_OK ? code : plotted;
}

/* whole: not looked at. What was measured of a stopped sweep is written, too. */
static int write_sweep(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct options *options = data;
   struct sweep sweep = {.device = &run->device, .points = calloc(run->count + 1, sizeof(*sweep.points))};
   int code = EXIT_OK;

   (void)whole;
   if (sweep.points == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (sweep_point_of(result, &sweep.points[sweep.count])) {
         sweep.count++;
      }
      if (result->status != RESULT_PASS) {
         note("%s: %s: %s", result->name, result_status_names[result->status], result->reason);
      }
   }
   if (sweep.count > 0) {
      code = write_points(options, &sweep, output);
   }
   free(sweep.points);
   return code;
}

/* Runs the units, and writes what came of them. An enum exit_code. */
static int execute_work(const struct options *options, const struct work *work, struct results_dir *dir,
                        int (*write)(const void *data, const struct result_run *run, bool whole, struct output *output))
{
   struct work_run run = {
       .settings = &options->run, .work = work, .dir = dir, .command_line = options->command_line, .jobs = 1};
   const struct work_report report = {.path = options->output, .stopped = true, .write = write, .data = options};
   int code = work_run_prepare(&run);

   if (code == EXIT_OK) {
      (void)compiler_start(); /* one for all processes of the run; should it fail, a compilation says so */
      code = work_run_open(&run);
   }
   if (code == EXIT_OK) {
      code = work_run_execute(&run, &report);
   }
   work_run_finish(&run);
   return code;
}

/* dir: NULL, or open. */
static int execute_ilp(const struct options *options, struct results_dir *dir)
{
   struct sweep_work data = {.settings = &options->run};
   int code = plan_points(options, &data);
   const struct work work = sweep_work(&data);

   code = code == EXIT_OK ? execute_work(options, &work, dir, write_sweep) : code;
   sweep_work_finish(&data);
   return code;
}

/* whole: not looked at. What was measured of a stopped sweep is written, too. */
static int write_gemm(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct options *options = data;

   (void)whole;
   sweep_gemm_csv(run, output->file);
   const int code = output_commit(output);
   const int plotted = options->plot != NULL ? sweep_gemm_plot(run, options->plot) : EXIT_OK;
   return code != EXIT_OK ? code : plotted;
}

static int execute_gemm(const struct options *options, struct results_dir *dir)
{
   struct selection selection;
   int code = sweep_gemm_select(&selection, options->operands.items + 1, options->operands.count - 1, options->full);
   struct selection_work data = {.selection = &selection, .settings = &options->run};
   const struct work work = selection_work(&data);

   code = code == EXIT_OK ? execute_work(options, &work, dir, write_gemm) : code;
   selection_finish(&selection);
   return code;
}

/* whole: not looked at. What was measured of a stopped sweep is written, too. */
static int write_series(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct options *options = data;

   (void)whole;
   sweep_series_csv(run, output->file);
   const int code = output_commit(output);
   const int plotted = options->plot != NULL ? sweep_series_plot(run, options->plot) : EXIT_OK;
   return code != EXIT_OK ? code : plotted;
}

static int execute_series(const struct options *options, struct results_dir *dir)
{
   const struct string_list *operands = &options->operands;
   struct selection selection;
   int code = sweep_series_select(&selection, operands->items[0], operands->items + 1, operands->count - 1);
   struct selection_work data = {.selection = &selection, .settings = &options->run};
   const struct work work = selection_work(&data);

   code = code == EXIT_OK ? execute_work(options, &work, dir, write_series) : code;
   selection_finish(&selection);
   return code;
}

static int execute(const struct options *options, struct results_dir *dir)
{
   const char *sweep = options->operands.items[0];

   return sweep_series_is(sweep)   ? execute_series(options, dir)
          : !strcmp(sweep, "gemm") ? execute_gemm(options, dir)
                                   : execute_ilp(options, dir);
}

static int write_layout(const struct options *options)
{
   struct output output = {0};
   int code =
       options->operands.count > 1
           ? complain(EXIT_INVALID, "sweep layout takes no further word, and '%s' is one", options->operands.items[1])
           : output_open(&output, options->output);

   if (code == EXIT_OK) {
      code = sweep_layout(&options->run, output.file, options->plot);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int write_memory(const struct options *options)
{
   struct output output = {0};
   const bool table = options->output != NULL || !options->fit;
   struct sweep_memory_options memory = {
       .full = options->full, .fit = options->fit ? stdout : NULL, .plot = options->plot};

   if (options->operands.count > 1) {
      return complain(EXIT_INVALID, "sweep memory takes no further word, and '%s' is one", options->operands.items[1]);
   }
   if (options->plot != NULL && !gnuplot_is_installed()) {
      return complain(EXIT_INVALID, "--plot needs gnuplot (package gnuplot-nox), which does not start");
   }
   int code = table ? output_open(&output, options->output) : EXIT_OK;
   if (code == EXIT_OK) {
      memory.csv = output.file;
      code = sweep_memory(&options->run, &memory);
   }
   if ((code == EXIT_OK || code == EXIT_ABORTED) && table) {
      const int written = output_commit(&output);
      code = code == EXIT_OK ? written : code;
   }
   output_discard(&output);
   return code;
}

int cmd_sweep(const struct options *options)
{
   if (options->resume == NULL && options->operands.count == 0) {
      return complain(EXIT_INVALID, "sweep: ilp, gemm, memory, bandwidth, atomics, launch or layout is missing");
   }
   if (options->resume == NULL && !strcmp(options->operands.items[0], "layout")) {
      return write_layout(options);
   }
   if (options->resume == NULL && !strcmp(options->operands.items[0], "memory")) {
      return write_memory(options);
   }
   if (options->resume == NULL && strcmp(options->operands.items[0], "ilp") != 0 &&
       strcmp(options->operands.items[0], "gemm") != 0 && !sweep_series_is(options->operands.items[0])) {
      return complain(EXIT_INVALID,
                      "sweep: there is no '%s', only 'ilp', 'gemm', 'memory', 'bandwidth', 'atomics', 'launch' and "
                      "'layout'",
                      options->operands.items[0]);
   }
   if (options->fit) {
      return complain(EXIT_INVALID, "--fit goes with sweep memory only");
   }
   if (options->plot != NULL && !gnuplot_is_installed()) {
      return complain(EXIT_INVALID, "--plot needs gnuplot (package gnuplot-nox), which does not start");
   }
   return kept_run(options, execute);
}
