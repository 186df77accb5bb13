/* SPDX-License-Identifier: MIT
 *
 * Inside a worker process the device of a question stays open until a question is about another one. Invariant: no unit
 * needs the device of the run, which only names the model: each opens that of its figure.
 */
#include "agx_runner/correlate/correlate_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/correlate/ask.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/runs/worker_results.h"
#include "agx_runner/terminal/pattern.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "util/array.h"

/* What stays open in the process. */
struct state {
   const char *device; /* a figure's; NULL: none is open */
   struct session session;
   struct measure measure;
   struct progress progress;
};

/* ---- Which questions there are ---- */

void correlate_unit_name(const struct figure *figure, char name[RESULT_NAME_MAX])
{
   snprintf(name, RESULT_NAME_MAX, "%s %s", figure->device, figure->ask);
}

bool correlate_chooses(const struct string_list *patterns, const struct figure *figure)
{
   char row[RESULT_NAME_MAX];
   bool chosen = patterns->count == 0;

   snprintf(row, sizeof(row), "%s/%s", figure->group, figure->row);
   for (size_t i = 0; !chosen && i < patterns->count; i++) {
      chosen = pattern_matches(patterns->items[i], row) || strcmp(patterns->items[i], figure->group) == 0;
   }
   return chosen;
}

static int by_device(const void *left, const void *right)
{
   const struct correlate_unit *a = left, *b = right;
   const int order = strcmp(a->figure->device, b->figure->device);

   return order != 0 ? order : strcmp(a->name, b->name);
}

int correlate_work_plan(struct correlate_work *work, const struct run_settings *settings,
                        const struct string_list *patterns)
{
   size_t kept = 0;

   *work = (struct correlate_work){.settings = settings, .units = calloc(figure_count, sizeof(*work->units))};
   if (work->units == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (unsigned i = 0; i < figure_count; i++) {
      if (figures[i].role != FIGURE_NOT_ASKED && correlate_chooses(patterns, &figures[i])) {
         work->units[work->count].figure = &figures[i];
         correlate_unit_name(&figures[i], work->units[work->count++].name);
      }
   }
   qsort(work->units, work->count, sizeof(*work->units), by_device);
   for (size_t i = 0; i < work->count; i++) {
      if (kept == 0 || strcmp(work->units[kept - 1].name, work->units[i].name) != 0) {
         work->units[kept++] = work->units[i];
      }
   }
   work->count = kept;
   return kept > 0 ? EXIT_OK : complain(EXIT_INVALID, "correlate: no figure that can be asked matches");
}

void correlate_work_finish(struct correlate_work *work)
{
   free(work->units);
   *work = (struct correlate_work){0};
}

static const char *unit_name(const void *data, size_t unit)
{
   return ((const struct correlate_work *)data)->units[unit].name;
}

static pid_t helper(const void *data, size_t unit)
{
   (void)data, (void)unit;
   return compiler_process();
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

static void close_device(struct state *state)
{
   if (state->device != NULL) {
      measure_finish(&state->measure);
      session_close(&state->session);
      state->device = NULL;
   }
}

/* Opens the device of a figure, unless it is open. */
static void open_device(struct worker *worker, struct state *state, const char *device)
{
   const struct run_settings *settings = ((const struct correlate_work *)worker->work->data)->settings;
   const struct asahi_watch watch = {before_submit, worker};
   char why[240];

   if (state->device != NULL && strcmp(state->device, device) == 0) {
      return;
   }
   close_device(state);
   if (session_open(&state->session, device, settings->timeout) != EXIT_OK) {
      worker_unopened(worker);
   }
   state->device = device;
   asahi_device_watch(state->session.device, &watch);
   state->progress = (struct progress){.report = report_progress, .data = worker};
   const struct measure_settings measuring = {
       .samples = settings->samples, .seed = settings->seed, .progress = &state->progress};
   if (!measure_start(&state->measure, &state->session, &measuring, why, sizeof(why))) {
      (void)complain(EXIT_INVALID, "%s", why);
      worker_unopened(worker);
   }
}

static void set_value(struct result *result, double value)
{
   if (isnan(value)) {
      result_set(result, RESULT_FAIL, "no answer");
      return;
   }
   result_set(result, RESULT_PASS, "%s", "");
   result->value = result->low = result->high = value;
}

/* Measures the parts of a question. Returns false if the process must end. */
static bool measure_parts(struct state *state, const struct ask *ask, struct result *result)
{
   double values[2] = {NAN, NAN};
   bool going = true;

   for (unsigned i = 0; going && i < ask->count; i++) {
      const struct selected *item = &ask->parts[i].items[0];
      struct result part;

      result_init(&part, item->name);
      going = item->benchmark != NULL && measure_benchmark(&state->measure, item->benchmark, item->metric, &part);
      values[i] = part.status == RESULT_PASS ? part.value : NAN;
      if (isnan(values[i])) {
         result_set(result, part.status == RESULT_PASS ? RESULT_FAIL : part.status, "%.100s: %.120s", item->name,
                    part.reason);
         result_finish(&part);
         return going && !result_status_is_bad(result->status);
      }
      result_finish(&part);
   }
   set_value(result, ask->count == 2 ? 100 * (values[0] / values[1] - 1) : values[0]);
   return going;
}

static bool run(struct worker *worker, size_t unit)
{
   const struct figure *figure = ((const struct correlate_work *)worker->work->data)->units[unit].figure;
   struct state *state = worker->state != NULL ? worker->state : calloc(1, sizeof(*state));
   struct result result;
   struct ask ask;
   bool going = false;

   worker->state = state;
   result_init(&result, unit_name(worker->work->data, unit));
   if (state == NULL || ask_parse(figure->ask, &ask) != EXIT_OK) {
      result_set(&result, RESULT_FAIL, "the question cannot be read");
   } else if (ask.count == 0) {
      set_value(&result, ask_launches(figure->ask, figure->device));
      going = true;
   } else {
      open_device(worker, state, figure->device);
      going = measure_parts(state, &ask, &result);
   }
   if (state != NULL) {
      ask_finish(&ask);
   }
   worker_result(worker, &result);
   result_finish(&result);
   return going;
}

static void close_state(struct worker *worker)
{
   if (worker->state != NULL) {
      close_device(worker->state);
      free(worker->state);
   }
}

struct work correlate_work(struct correlate_work *data)
{
   return (struct work){
       .data = data, .count = data->count, .name = unit_name, .helper = helper, .run = run, .close = close_state};
}
