/* SPDX-License-Identifier: MIT
 *
 * sweep memory and sweep layout run in this process. The points of sweep ilp (every instruction at every number of
 * chains and of simdgroups a core), the cells of sweep gemm, and the points of sweep bandwidth, atomics and launch run
 * in worker processes, as the tests of `run` do. Their CSV contains all points that were measured, even if the sweep
 * was interrupted.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/run_options.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/runs/selection_work.h"
#include "agx_runner/sweep/sweep_gemm.h"
#include "agx_runner/sweep/sweep_layout.h"
#include "agx_runner/sweep/sweep_memory.h"
#include "agx_runner/sweep/sweep_series.h"
#include "agx_runner/sweep/sweep_work.h"
#include "agx_runner/runs/work_run.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"

struct sweep_options {
   struct kept_options kept;
   bool full, fit, no_cache;
   const char *compiler; /* compiler_choose() */
   const char *plot;     /* NULL: none */
};

#define FIELD(member) .field = offsetof(struct sweep_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_device, FIELD(kept.run.device)},
   {&option_samples, FIELD(kept.run.samples)},
   {&option_seed, FIELD(kept.run.seed)},
   {&option_clock, FIELD(kept.run.clock)},
   {&option_ffma_cycles, FIELD(kept.run.ffma_cycles)},
   {OPTION(.name = "full", .kind = KIND_FLAG,
           .help = "measure every number of simdgroups from 1 to 96 and every register count [default: 14 occupancies]; "
                   "of sweep memory: rings up to 256 MiB [default: 32]; of sweep gemm: also cells that take a virtual "
                   "device minutes"), FIELD(full)},
   {OPTION(.name = "fit", .kind = KIND_FLAG,
           .help = "of sweep memory: print size and latency of each level; the table of points is then written with -o "
                   "alone"), FIELD(fit)},
   {OPTION(.name = "plot", .metavar = "FILE.svg", .kind = KIND_STRING, .min = 1,
           .help = "also draw the curves; needs gnuplot"), FIELD(plot)},
   {&option_timeout, FIELD(kept.run.timeout)},
   {&option_compiler, FIELD(compiler)},
   {&option_no_cache, FIELD(no_cache)},
   {&option_results, FIELD(kept.run.results)},
   {&option_resume, FIELD(kept.resume)},
   {&option_reruns, FIELD(kept.run.reruns)},
   {&option_test_timeout, FIELD(kept.run.test_timeout)},
   {&option_idle_timeout, FIELD(kept.run.idle_timeout)},
   {&option_run_timeout, FIELD(kept.run.run_timeout)},
   {&option_output, FIELD(kept.output)},
   {0},
};
/* clang-format on */

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
static int plan_points(const struct sweep_options *options, struct sweep_work *work)
{
   const struct string_list *operands = &options->kept.line.operands;
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
static int write_points(const struct sweep_options *options, const struct sweep *sweep, struct output *output)
{
   sweep_write_csv(sweep, output->file);
   const int code = output_commit(output);
   if (options->kept.output != NULL) {
      sweep_write_cells(sweep, stdout);
   }
   const int plotted = options->plot != NULL ? sweep_plot(sweep, options->plot) : EXIT_OK;
   return code != EXIT_OK ? code : plotted;
}

/* whole is ignored: the points of a stopped sweep are written, too. */
static int write_sweep(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct sweep_options *options = data;
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
static int execute_work(const struct sweep_options *options, const struct work *work, struct results_dir *dir,
                        int (*write)(const void *data, const struct result_run *run, bool whole, struct output *output))
{
   struct work_run run = {
       .settings = &options->kept.run, .work = work, .dir = dir, .command_line = options->kept.line.text, .jobs = 1};
   const struct work_report report = {.path = options->kept.output, .stopped = true, .write = write, .data = options};
   int code = work_run_prepare(&run);

   if (code == EXIT_OK) {
      (void)compiler_start(); /* one for all processes of the run; if that fails, a compilation reports it */
      code = work_run_open(&run);
   }
   if (code == EXIT_OK) {
      code = work_run_execute(&run, &report);
   }
   work_run_finish(&run);
   return code;
}

/* dir: NULL, or open. */
static int execute_ilp(const struct sweep_options *options, struct results_dir *dir)
{
   struct sweep_work data = {.settings = &options->kept.run};
   int code = plan_points(options, &data);
   const struct work work = sweep_work(&data);

   code = code == EXIT_OK ? execute_work(options, &work, dir, write_sweep) : code;
   sweep_work_finish(&data);
   return code;
}

/* whole is ignored: the cells of a stopped sweep are written, too. */
static int write_gemm(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct sweep_options *options = data;

   (void)whole;
   sweep_gemm_csv(run, output->file);
   const int code = output_commit(output);
   const int plotted = options->plot != NULL ? sweep_gemm_plot(run, options->plot) : EXIT_OK;
   return code != EXIT_OK ? code : plotted;
}

static int execute_gemm(const struct sweep_options *options, struct results_dir *dir)
{
   struct selection selection;
   int code = sweep_gemm_select(&selection, options->kept.line.operands.items + 1,
                                options->kept.line.operands.count - 1, options->full);
   struct selection_work data = {.selection = &selection, .settings = &options->kept.run};
   const struct work work = selection_work(&data);

   code = code == EXIT_OK ? execute_work(options, &work, dir, write_gemm) : code;
   selection_finish(&selection);
   return code;
}

/* whole is ignored: the points of a stopped sweep are written, too. */
static int write_series(const void *data, const struct result_run *run, bool whole, struct output *output)
{
   const struct sweep_options *options = data;

   (void)whole;
   sweep_series_csv(run, output->file);
   const int code = output_commit(output);
   const int plotted = options->plot != NULL ? sweep_series_plot(run, options->plot) : EXIT_OK;
   return code != EXIT_OK ? code : plotted;
}

static int execute_series(const struct sweep_options *options, struct results_dir *dir)
{
   const struct string_list *operands = &options->kept.line.operands;
   struct selection selection;
   int code = sweep_series_select(&selection, operands->items[0], operands->items + 1, operands->count - 1);
   struct selection_work data = {.selection = &selection, .settings = &options->kept.run};
   const struct work work = selection_work(&data);

   code = code == EXIT_OK ? execute_work(options, &work, dir, write_series) : code;
   selection_finish(&selection);
   return code;
}

static int execute(const void *data, struct results_dir *dir)
{
   const struct sweep_options *options = data;
   const char *sweep = options->kept.line.operands.items[0];

   return sweep_series_is(sweep)   ? execute_series(options, dir)
          : !strcmp(sweep, "gemm") ? execute_gemm(options, dir)
                                   : execute_ilp(options, dir);
}

static int write_layout(const struct sweep_options *options)
{
   struct output output = {0};
   int code = options->kept.line.operands.count > 1 ? complain(EXIT_INVALID, "sweep layout: unexpected argument '%s'",
                                                               options->kept.line.operands.items[1])
                                                    : output_open(&output, options->kept.output);

   if (code == EXIT_OK) {
      code = sweep_layout(&options->kept.run, output.file, options->plot);
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int write_memory(const struct sweep_options *options)
{
   struct output output = {0};
   const bool table = options->kept.output != NULL || !options->fit;
   struct sweep_memory_options memory = {
       .full = options->full, .fit = options->fit ? stdout : NULL, .plot = options->plot};

   if (options->kept.line.operands.count > 1) {
      return complain(EXIT_INVALID, "sweep memory: unexpected argument '%s'", options->kept.line.operands.items[1]);
   }
   if (options->plot != NULL && !gnuplot_is_installed()) {
      return complain(EXIT_INVALID, "--plot needs gnuplot (package gnuplot-nox), which does not start");
   }
   int code = table ? output_open(&output, options->kept.output) : EXIT_OK;
   if (code == EXIT_OK) {
      memory.csv = output.file;
      code = sweep_memory(&options->kept.run, &memory);
   }
   if ((code == EXIT_OK || code == EXIT_ABORTED) && table) {
      const int written = output_commit(&output);
      code = code == EXIT_OK ? written : code;
   }
   output_discard(&output);
   return code;
}

static int cmd_sweep(const void *data)
{
   const struct sweep_options *options = data;

   const int code = compiler_choose(options->compiler);
   if (code != EXIT_OK) {
      return code;
   }
   compiler_set_cache(!options->no_cache);
   if (options->kept.resume == NULL && options->kept.line.operands.count == 0) {
      return complain(EXIT_INVALID, "sweep: ilp, gemm, memory, bandwidth, atomics, launch or layout is missing");
   }
   if (options->kept.resume == NULL && !strcmp(options->kept.line.operands.items[0], "layout")) {
      return write_layout(options);
   }
   if (options->kept.resume == NULL && !strcmp(options->kept.line.operands.items[0], "memory")) {
      return write_memory(options);
   }
   if (options->kept.resume == NULL && strcmp(options->kept.line.operands.items[0], "ilp") != 0 &&
       strcmp(options->kept.line.operands.items[0], "gemm") != 0 &&
       !sweep_series_is(options->kept.line.operands.items[0])) {
      return complain(EXIT_INVALID,
                      "sweep: there is no '%s', only 'ilp', 'gemm', 'memory', 'bandwidth', 'atomics', 'launch' and "
                      "'layout'",
                      options->kept.line.operands.items[0]);
   }
   if (options->fit) {
      return complain(EXIT_INVALID, "--fit needs sweep memory");
   }
   if (options->plot != NULL && !gnuplot_is_installed()) {
      return complain(EXIT_INVALID, "--plot needs gnuplot (package gnuplot-nox), which does not start");
   }
   return kept_run(&command_sweep, options, execute);
}

const struct command command_sweep = {
    .name = "sweep",
    .operands = "ilp|gemm|memory|bandwidth|atomics|launch|layout [WORD...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary =
        "ilp: measure arithmetic over parallel chains and simdgroups a core; writes CSV and a plot. gemm: matrix "
        "products "
        "by form, kernel, size and tile (words choose). memory: latency of loads by size. bandwidth, atomics, launch: "
        "curves of the catalogue's benchmarks. layout: which lane holds which element of a matrix "
        "operand",
    .rows = rows,
    .size = sizeof(struct sweep_options),
    .run = cmd_sweep,
};
