/* SPDX-License-Identifier: MIT
 *
 * The units of a sweep, and how a worker process measures them. The device stays open from point to point, until one
 * fails. How many simdgroups a number of registers lets run is measured once in each process.
 */
#include "agx_runner/sweep/sweep_work.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/runs/worker_results.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "nir_kernels/mix.h"
#include "util/array.h"

#define SIMDS_MAX 96 /* occupancy by threadgroup memory */

/* The occupancies without --full. The published 4, 8 and 88 are among them. */
static const unsigned few_simds[] = {1, 2, 4, 8, 16, 24, 48, 88, 96};
static const unsigned few_registers[] = {104, 128, 160, 208, 256};
#define REGISTERS_STEP 8
#define REGISTERS_MIN 104 /* fewer let no more run, by the published table */
#define REGISTERS_MAX 256
#define REGISTER_COUNTS ((REGISTERS_MAX - REGISTERS_MIN) / REGISTERS_STEP + 1)

/* What stays open in the process. */
struct state {
   struct session session;
   struct measure measure;
   struct progress progress;
   struct result residency[REGISTER_COUNTS]; /* name "": not measured yet */
};

/* ---- Which points there are ---- */

static bool add_unit(struct sweep_work *work, const struct sweep_unit *unit)
{
   if (!ARRAY_RESERVE_ONE(work->units, work->count)) {
      return false;
   }
   struct sweep_unit *added = &work->units[work->count++];
   *added = *unit;
   snprintf(added->name, sizeof(added->name), "%s/ilp-%u/%s-%u", unit->kernel->name, unit->ilp,
            unit->half_registers != 0 ? "registers" : "simds",
            unit->half_registers != 0 ? unit->half_registers : unit->simds);
   return true;
}

bool sweep_work_add(struct sweep_work *work, const struct sweep_kernel *kernel, bool full)
{
   bool whole = true;

   for (unsigned ilp = 1; ilp <= SWEEP_ILP_MAX; ilp++) {
      for (unsigned i = 0; i < (full ? SIMDS_MAX : ARRAY_COUNT(few_simds)); i++) {
         whole &=
             add_unit(work, &(struct sweep_unit){.kernel = kernel, .ilp = ilp, .simds = full ? i + 1 : few_simds[i]});
      }
      for (unsigned i = 0; i < (full ? REGISTER_COUNTS : ARRAY_COUNT(few_registers)); i++) {
         const unsigned half_registers = full ? REGISTERS_MIN + i * REGISTERS_STEP : few_registers[i];

         whole &= add_unit(work, &(struct sweep_unit){.kernel = kernel, .ilp = ilp, .half_registers = half_registers});
      }
   }
   return whole;
}

void sweep_work_finish(struct sweep_work *work)
{
   free(work->units);
   *work = (struct sweep_work){0};
}

static const struct sweep_unit *unit_at(const void *data, size_t unit)
{
   const struct sweep_work *work = data;

   return &work->units[unit];
}

static const char *unit_name(const void *data, size_t unit)
{
   return unit_at(data, unit)->name;
}

/* ---- In the worker process ---- */

static void before_submit(void *data)
{
   worker_alive(data);
}

static void report_progress(void *data, double fraction)
{
   worker_progress(data, fraction);
}

static struct state *open_session(struct worker *worker, const char *name)
{
   const struct run_settings *settings = ((const struct sweep_work *)worker->work->data)->settings;
   const struct asahi_watch watch = {before_submit, worker};
   char *spec = worker_device_spec(worker, name);
   struct state *state = calloc(1, sizeof(*state));

   if (spec == NULL || state == NULL || session_open(&state->session, spec, settings->timeout) != EXIT_OK) {
      worker_unopened(worker);
   }
   free(spec);
   asahi_device_watch(state->session.device, &watch);
   state->progress = (struct progress){.report = report_progress, .data = worker};
   const struct measure_settings measuring = {.samples = settings->samples,
                                              .seed = settings->seed,
                                              .clock = settings->clock,
                                              .ffma_cycles = settings->ffma_cycles,
                                              .progress = &state->progress};
   char why[240];
   if (!measure_start(&state->measure, &state->session, &measuring, why, sizeof(why))) {
      (void)complain(EXIT_INVALID, "%s", why);
      worker_unopened(worker);
   }
   return state;
}

/* The catalogue's benchmark of how many simdgroups run at once with this many registers. NULL: it has none. */
static const struct benchmark *residency_benchmark(unsigned half_registers)
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

/* The simdgroups that this many registers let run on a core; 0: `result` says why not. */
static unsigned residency(struct state *state, unsigned half_registers, struct result *result)
{
   const struct benchmark *benchmark = residency_benchmark(half_registers);
   struct result *known = &state->residency[(half_registers - REGISTERS_MIN) / REGISTERS_STEP];

   if (known->name[0] == '\0') {
      result_init(known, "residency");
      if (benchmark != NULL) {
         (void)measure_benchmark(&state->measure, benchmark, BENCH_RESIDENCY, known);
      } else {
         result_set(known, RESULT_SKIP, "the catalogue has no occupancy/simds-%u", half_registers);
      }
   }
   if (known->status == RESULT_PASS && known->value >= 2) {
      return (unsigned)known->value / 2 * 2;
   }
   result_set(result, result_status_is_bad(known->status) ? known->status : RESULT_SKIP,
              "no occupancy by %u half registers: %.150s", half_registers, known->reason);
   return 0;
}

/* False: the process must end. */
static bool measure_unit(struct state *state, const struct sweep_unit *unit, struct result *result)
{
   const unsigned simds = unit->half_registers != 0 ? residency(state, unit->half_registers, result) : unit->simds;
   struct bench_mix mix;
   char why[320];

   if (simds == 0) {
      return !result_status_is_bad(result->status);
   }
   if (bench_mix_parse(unit->kernel->name, unit->ilp, unit->half_registers != 0 ? 0 : simds, &mix, why, sizeof(why)) <
       0) {
      result_set(result, RESULT_FAIL, "%.200s", why);
      return false;
   }
   if (unit->half_registers != 0) {
      snprintf(result->name, sizeof(result->name), "%s/simds-%u", unit->name, simds);
      /* Threadgroups of 64 threads, as the residency was found with. */
      mix.occupancy = (struct bench_occupancy){
          .group = 64, .threadgroups_per_core = simds / 2, .half_registers = (uint16_t)unit->half_registers};
   }
   return measure_benchmark(&state->measure, &mix.benchmark, BENCH_THROUGHPUT, result) &&
          (!result_status_is_bad(result->status) || result->status == RESULT_INVALID);
}

static bool run(struct worker *worker, size_t index)
{
   const struct sweep_unit *unit = unit_at(worker->work->data, index);
   struct result result;

   struct state *state = worker->state;

   if (state == NULL) {
      worker->state = state = open_session(worker, unit->name);
   } else if (state->session.info->is_virtual) {
      (void)asahi_device_set_scope(state->session.device, unit->name); /* without it, inject= has nothing to match */
   }
   result_init(&result, unit->name);
   const bool going = measure_unit(state, unit, &result);
   worker_result(worker, &result);
   result_finish(&result);
   return going;
}

static void close_session(struct worker *worker)
{
   struct state *state = worker->state;

   for (unsigned i = 0; state != NULL && i < REGISTER_COUNTS; i++) {
      result_finish(&state->residency[i]);
   }
   if (state != NULL) {
      measure_finish(&state->measure);
      session_close(&state->session);
      free(state);
   }
}

static pid_t helper(const void *data, size_t unit)
{
   (void)data, (void)unit;
   return compiler_process();
}

struct work sweep_work(struct sweep_work *data)
{
   return (struct work){
       .data = data, .count = data->count, .name = unit_name, .helper = helper, .run = run, .close = close_session};
}

/* ---- From results to points ---- */

bool sweep_point_of(const struct result *result, struct sweep_point *point)
{
   char kernel[16];
   unsigned ilp, simds, half_registers = 0;

   if (sscanf(result->name, "%15[^/]/ilp-%u/simds-%u", kernel, &ilp, &simds) != 3 &&
       sscanf(result->name, "%15[^/]/ilp-%u/registers-%u/simds-%u", kernel, &ilp, &half_registers, &simds) != 4) {
      return false;
   }
   for (unsigned i = 0; i < SWEEP_KERNELS; i++) {
      if (strcmp(sweep_kernels[i].name, kernel) == 0) {
         *point = (struct sweep_point){.kernel = &sweep_kernels[i],
                                       .ilp = ilp,
                                       .simds = simds,
                                       .half_registers = half_registers,
                                       .cycles = result->value,
                                       .low = result->low,
                                       .high = result->high};
         point->published = sweep_published(point->kernel->instruction, point->kernel->bits, ilp, simds);
         snprintf(point->status, sizeof(point->status), "%s", result_status_names[result->status]);
         return true;
      }
   }
   return false;
}
