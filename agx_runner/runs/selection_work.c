/* SPDX-License-Identifier: MIT
 *
 * Inside a worker process: the device and the measurement stay open from unit to unit. A subtest of the uAPI opens the
 * device itself.
 */
#include "agx_runner/runs/selection_work.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/power/energy.h"
#include "agx_runner/runs/worker_results.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "uapi/uapi.h"

/* The open device and measurement of the process. */
struct bench {
   struct session session;
   struct measure measure;
   struct progress progress;
   struct energy_meter meter;
};

static const struct selected *selected(const void *data, size_t unit)
{
   const struct selection_work *work = data;

   return &work->selection->items[work->turns != NULL ? work->turns[unit].item : unit];
}

static void use_compiler(const struct selection_work *work, size_t unit)
{
   if (work->turns != NULL) {
      compiler_use(work->turns[unit].compiler);
   }
}

static const char *name(const void *data, size_t unit)
{
   return selected(data, unit)->name;
}

static bool together(const void *data, size_t before, size_t next)
{
   const struct selection_work *work = data;

   return (work->turns == NULL || work->turns[before].number == work->turns[next].number) &&
          selected_together(selected(data, before), selected(data, next));
}

static pid_t helper(const void *data, size_t unit)
{
   use_compiler(data, unit);
   const pid_t process = compiler_process();
   compiler_use(0);
   return process;
}

static void before_submit(void *data)
{
   worker_alive(data);
}

static void report_progress(void *data, double fraction)
{
   worker_progress(data, fraction);
}

static struct bench *open_bench(struct worker *worker, const struct selected *item)
{
   const struct run_settings *settings = ((const struct selection_work *)worker->work->data)->settings;
   const struct asahi_watch watch = {before_submit, worker};
   char *spec = worker_device_spec(worker, item->name);
   struct bench *bench = calloc(1, sizeof(*bench));

   if (spec == NULL || bench == NULL || session_open(&bench->session, spec, settings->timeout) != EXIT_OK) {
      worker_unopened(worker);
   }
   free(spec);
   asahi_device_watch(bench->session.device, &watch);
   bench->progress = (struct progress){.report = report_progress, .data = worker};
   char why[320];
   const bool metered = settings->power && !bench->session.info->is_virtual &&
                        energy_start(&bench->meter, POWER_HWMON, why, sizeof(why));
   const struct measure_settings measuring = {.samples = settings->samples,
                                              .precision = settings->precision,
                                              .seed = settings->seed,
                                              .clock = settings->clock,
                                              .ffma_cycles = settings->ffma_cycles,
                                              .progress = &bench->progress,
                                              .after = metered ? energy_measure : NULL,
                                              .after_data = &bench->meter};
   if (!measure_start(&bench->measure, &bench->session, &measuring, why, sizeof(why))) {
      (void)complain(EXIT_INVALID, "%s", why);
      worker_unopened(worker);
   }
   return bench;
}

/* Returns false if the process must end. */
static bool run_benchmark(struct worker *worker, const struct selected *item, struct result *result)
{
   struct bench *bench = worker->state;

   if (bench == NULL) {
      bench = worker->state = open_bench(worker, item);
   } else if (bench->session.info->is_virtual) {
      (void)asahi_device_set_scope(bench->session.device, item->name); /* on failure, inject= has nothing to match */
   }
   return measure_benchmark(&bench->measure, item->benchmark, item->metric, result);
}

static bool run_test(struct worker *worker, const struct selected *item, struct result *result)
{
   static const enum result_status statuses[] = {
       [UAPI_PASS] = RESULT_PASS, [UAPI_FAIL] = RESULT_FAIL, [UAPI_SKIP] = RESULT_SKIP};
   const struct asahi_watch watch = {before_submit, worker};
   struct uapi_result outcome;
   char *spec = worker_device_spec(worker, item->name);

   if (spec == NULL) {
      result_set(result, RESULT_FAIL, "out of memory");
      return false;
   }
   struct agx_program *helper = compiler_helper_program();
   uapi_run(item->test, spec, helper, &watch, &outcome);
   agx_program_destroy(helper);
   free(spec);
   enum result_status status = statuses[outcome.status];
   /* a remark tells how the header and the kernel differ; for a job that had to fail, how it failed */
   if (outcome.status == UAPI_PASS && outcome.message[0] != '\0' && !uapi_is_fault(item->test)) {
      status = RESULT_WARN;
   }
   result_set(result, status, "%.230s", outcome.message);
   return true;
}

/* Whether the device must be checked after a result of this kind. */
static bool is_failure(const struct result *result)
{
   return result_status_is_bad(result->status) && result->status != RESULT_INVALID;
}

static bool run(struct worker *worker, size_t unit)
{
   const struct selected *item = selected(worker->work->data, unit);
   struct result result;

   use_compiler(worker->work->data, unit);
   result_init(&result, item->name);
   const bool going =
       (item->benchmark != NULL ? run_benchmark(worker, item, &result) : run_test(worker, item, &result)) &&
       !is_failure(&result);
   worker_result(worker, &result);
   result_finish(&result);
   return going;
}

static void close_bench(struct worker *worker)
{
   struct bench *bench = worker->state;

   if (bench != NULL) {
      measure_finish(&bench->measure);
      session_close(&bench->session);
      free(bench);
   }
}

struct turn *selection_turns(const struct selection *selection, size_t *count)
{
   static const uint8_t compilers[TURNS_OF_AN_ITEM] = {0, 1, 1, 0};
   struct turn *turns = calloc(TURNS_OF_AN_ITEM * selection->count + 1, sizeof(*turns));

   *count = 0;
   for (size_t first = 0, end; turns != NULL && first < selection->count; first = end) {
      end = first + 1;
      while (end < selection->count && selected_together(&selection->items[first], &selection->items[end])) {
         end++;
      }
      for (uint8_t number = 0; number < TURNS_OF_AN_ITEM; number++) {
         for (size_t item = first; item < end; item++) {
            turns[(*count)++] = (struct turn){item, number, compilers[number]};
         }
      }
   }
   return turns;
}

struct work selection_work(struct selection_work *data)
{
   return (struct work){.data = data,
                        .count = data->turns != NULL ? data->turn_count : data->selection->count,
                        .name = name,
                        .together = together,
                        .helper = helper,
                        .run = run,
                        .close = close_bench};
}
