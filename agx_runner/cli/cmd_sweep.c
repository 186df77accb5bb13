/* SPDX-License-Identifier: MIT
 *
 * sweep ilp: every instruction at every number of chains and of simdgroups a core.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/progress.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/process/selection.h"
#include "agx_runner/measure/sweep.h"
#include "nir_kernels/mix.h"

#define SIMDS_MAX 96 /* occupancy by threadgroup memory */

/* Where not everything is asked for: the published 4, 8 and 88 are among them. */
static const unsigned few_simds[] = {1, 2, 4, 8, 16, 24, 48, 88, 96};
static const unsigned few_registers[] = {104, 128, 160, 208, 256};
#define REGISTERS_STEP 8
#define REGISTERS_MIN 104 /* fewer let no more run, by the published table */
#define REGISTERS_MAX 256

/* How occupancy is set. */
struct occupancy {
   unsigned simds, half_registers; /* half_registers 0: by threadgroup memory */
};

struct plan {
   const struct sweep_kernel *kernels[SWEEP_KERNELS];
   size_t kernel_count;
   struct occupancy occupancies[SIMDS_MAX + (REGISTERS_MAX - REGISTERS_MIN) / REGISTERS_STEP + 1];
   size_t count;
};

/* The rows of the catalogue that find out how many simdgroups run at once. */
static const struct benchmark *residency(unsigned half_registers)
{
   char name[32];

   snprintf(name, sizeof(name), "simds-%u", half_registers);
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, "occupancy") && !strcmp(bench_at(i)->name, name)) {
         return bench_at(i);
      }
   }
   return NULL;
}

/* Adds the occupancy that this many registers give on this device. False: the run must end. */
static bool plan_registers(struct plan *plan, struct measure *measure, unsigned half_registers)
{
   const struct benchmark *benchmark = residency(half_registers);
   struct result result;
   bool going = true;

   result_init(&result, "");
   if (benchmark != NULL) {
      going = measure_benchmark(measure, benchmark, BENCH_RESIDENT, &result);
      if (result.status == RESULT_PASS && result.value >= 2) {
         plan->occupancies[plan->count++] = (struct occupancy){(unsigned)result.value / 2 * 2, half_registers};
      } else {
         note("no occupancy by %u half registers: %s", half_registers, result.reason);
      }
   }
   result_finish(&result);
   return going;
}

static const struct sweep_kernel *find_kernel(const char *name)
{
   for (unsigned i = 0; i < SWEEP_KERNELS; i++) {
      if (!strcasecmp(name, sweep_kernels[i].name)) {
         return &sweep_kernels[i];
      }
   }
   return NULL;
}

/* The kernels named after "ilp", else all. An enum exit_code; messages are printed. */
static int plan_kernels(struct plan *plan, const struct string_list *operands)
{
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
      if (wanted[i] || operands->count == 1) {
         plan->kernels[plan->kernel_count++] = &sweep_kernels[i];
      }
   }
   return EXIT_OK;
}

static bool make_plan(struct plan *plan, struct measure *measure, bool full)
{
   bool going = true;

   for (unsigned i = 0; i < (full ? SIMDS_MAX : ARRAY_COUNT(few_simds)); i++) {
      plan->occupancies[plan->count++] = (struct occupancy){full ? i + 1 : few_simds[i], 0};
   }
   for (unsigned halves = REGISTERS_MIN; full && going && halves <= REGISTERS_MAX; halves += REGISTERS_STEP) {
      going = plan_registers(plan, measure, halves);
   }
   for (unsigned i = 0; !full && going && i < ARRAY_COUNT(few_registers); i++) {
      going = plan_registers(plan, measure, few_registers[i]);
   }
   return going;
}

/* Threadgroups of 64 threads, as the residency was found with. */
static void limit_by_registers(struct bench_mix *mix, const struct occupancy *occupancy)
{
   mix->occupancy = (struct bench_occupancy){
       .group = 64,
       .threadgroups_per_core = occupancy->simds / 2,
       .half_registers = (uint16_t)occupancy->half_registers,
   };
}

/* False: the run must end; *why says it. */
static bool measure_point(struct measure *measure, const struct occupancy *occupancy, struct sweep_point *point,
                          struct result *result)
{
   struct bench_mix mix;
   char why[320];

   point->simds = occupancy->simds;
   point->half_registers = occupancy->half_registers;
   point->published = sweep_published(point->kernel->instruction, point->kernel->bits, point->ilp, point->simds);
   if (bench_mix_parse(point->kernel->name, point->ilp, occupancy->half_registers != 0 ? 0 : occupancy->simds, &mix,
                       why, sizeof(why)) < 0) {
      result_set(result, RESULT_FAIL, "%.200s", why);
      return false;
   }
   if (occupancy->half_registers != 0) {
      limit_by_registers(&mix, occupancy);
   }
   const bool going = measure_benchmark(measure, &mix.benchmark, BENCH_THROUGHPUT, result);
   point->cycles = result->value;
   point->low = result->low;
   point->high = result->high;
   snprintf(point->status, sizeof(point->status), "%s", result_status_names[result->status]);
   return going;
}

/* Fills the sweep; an enum exit_code. */
static int measure_all(const struct options *options, struct session *session, struct plan *plan, struct sweep *sweep)
{
   struct measure measure;
   struct progress progress = {0};
   const struct measure_settings settings = {
       .samples = options->run.samples, .seed = options->run.seed, .clock = options->run.clock, .progress = &progress};
   char why[240] = "interrupted";

   if (!measure_start(&measure, session, &settings, why, sizeof(why))) {
      return complain(EXIT_INVALID, "%s", why);
   }
   bool going = make_plan(plan, &measure, options->full), passed = true;
   const size_t total = plan->kernel_count * SWEEP_ILP_MAX * plan->count;
   sweep->points = calloc(total, sizeof(*sweep->points));
   going &= sweep->points != NULL;
   progress_start(&progress, total);
   for (size_t i = 0; going && i < total; i++) {
      const size_t series = i / plan->count;
      struct sweep_point *point = &sweep->points[i];
      struct result result;

      point->kernel = plan->kernels[series / SWEEP_ILP_MAX];
      point->ilp = (unsigned)(series % SWEEP_ILP_MAX + 1);
      result_init(&result, point->kernel->name);
      progress_step(&progress, point->kernel->name);
      going = measure_point(&measure, &plan->occupancies[i % plan->count], point, &result);
      snprintf(why, sizeof(why), "%s", result.reason);
      passed &= result.status == RESULT_PASS;
      result_finish(&result);
      sweep->count = i + going;
   }
   progress_finish(&progress);
   measure_finish(&measure);
   if (!going) {
      return complain(EXIT_ABORTED, "stopped after %zu of %zu points: %s", sweep->count, total, why);
   }
   return passed ? EXIT_OK : complain(EXIT_FAILED, "some points have no figure, the last: %s", why);
}

static int run_sweep(const struct options *options, struct session *session, struct plan *plan, struct output *output)
{
   struct sweep sweep = {.device = session->info};
   int code = measure_all(options, session, plan, &sweep);

   /* What was measured before an interrupt is kept, too. */
   if (sweep.count > 0) {
      sweep_write_csv(&sweep, output->file);
      const int written = output_commit(output);
      code = written != EXIT_OK ? written : code;
      if (options->output != NULL) {
         sweep_write_cells(&sweep, stdout);
      }
      if (options->plot != NULL) {
         const int plotted = sweep_plot(&sweep, options->plot);
         code = plotted != EXIT_OK ? plotted : code;
      }
   }
   free(sweep.points);
   return code;
}

int cmd_sweep(const struct options *options)
{
   struct session session = {0};
   struct output output = {0};
   struct plan plan = {.count = 0};

   if (strcmp(options->operands.items[0], "ilp") != 0) {
      return complain(EXIT_INVALID, "sweep: there is no '%s', only 'ilp'", options->operands.items[0]);
   }
   if (options->plot != NULL && !gnuplot_is_installed()) {
      return complain(EXIT_INVALID, "--plot needs gnuplot (package gnuplot-nox), which does not start");
   }
   int code = plan_kernels(&plan, &options->operands);
   if (code == EXIT_OK) {
      code = session_open(&session, options->run.device, options->run.timeout);
   }
   if (code == EXIT_OK) {
      code = output_open(&output, options->output);
   }
   if (code == EXIT_OK) {
      code = run_sweep(options, &session, &plan, &output);
   }
   output_discard(&output);
   session_close(&session);
   return code;
}
