/* SPDX-License-Identifier: MIT */
#include "agx_runner/process/worker.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/process/child.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/compiler.h"
#include "uapi/uapi.h"

#define ALIVE_SECONDS 0.1

/* No journal, no run: what the run does next could not be told afterwards. */
static void check_journal(const struct worker *worker, int error)
{
   if (error < 0) {
      child_report(worker->reports, "journal %d", -error);
      exit(EXIT_FAILED);
   }
}

static void before_submit(void *data)
{
   struct worker *worker = data;
   const double now = child_now();

   if (now - worker->reported > ALIVE_SECONDS) {
      child_report(worker->reports, "alive");
      worker->reported = now;
   }
}

static void report_progress(void *data, double fraction)
{
   struct worker *worker = data;
   const double now = child_now();

   if (now - worker->reported > ALIVE_SECONDS) {
      child_report(worker->reports, "progress %f", fraction);
      worker->reported = now;
   }
}

/* A virtual device is told what it is opened for: inject= may be about that. free() it. */
static char *scoped_spec(const struct worker *worker, const char *name)
{
   char *spec, number[16] = "";

   if (!asahi_spec_is_virtual(worker->device)) {
      return strdup(worker->device);
   }
   if (worker->try > 1) {
      snprintf(number, sizeof(number), "#%u", worker->try);
   }
   if (asprintf(&spec, "%s,scope=%s%s", worker->device, name, number) < 0) {
      return NULL;
   }
   for (char *comma = strstr(spec, ",scope="); comma != NULL && (comma = strchr(comma + 1, ',')) != NULL;) {
      *comma = ';';
   }
   return spec;
}

/* What stands for the time of a process on the device. */
struct bench {
   struct session session;
   struct measure measure;
   bool open;
};

static void open_bench(struct worker *worker, struct bench *bench, const struct selected *item)
{
   const struct asahi_watch watch = {before_submit, worker};
   char *spec = scoped_spec(worker, item->name);
   const int code = spec != NULL ? session_open(&bench->session, spec, worker->settings->timeout) : EXIT_FAILED;

   free(spec);
   if (code != EXIT_OK) {
      child_report(worker->reports, "unopened");
      exit(EXIT_FAILED); /* the runner has the message, and makes a result of it */
   }
   asahi_device_watch(bench->session.device, &watch);
   worker->progress = (struct progress){.report = report_progress, .data = worker};
   const struct measure_settings settings = {.samples = worker->settings->samples,
                                             .seed = worker->settings->seed,
                                             .clock = worker->settings->clock,
                                             .progress = &worker->progress};
   char why[240];

   if (!measure_start(&bench->measure, &bench->session, &settings, why, sizeof(why))) {
      (void)complain(EXIT_INVALID, "%s", why);
      child_report(worker->reports, "unopened");
      exit(EXIT_FAILED);
   }
   bench->open = true;
}

/* False: the process must end. */
static bool run_benchmark(struct worker *worker, struct bench *bench, const struct selected *item,
                          struct result *result)
{
   if (!bench->open) {
      open_bench(worker, bench, item);
   } else if (bench->session.info->is_virtual) {
      (void)asahi_device_set_scope(bench->session.device, item->name); /* without it, inject= has nothing to match */
   }
   return measure_benchmark(&bench->measure, item->benchmark, item->metric, result);
}

static bool run_test(struct worker *worker, const struct selected *item, struct result *result)
{
   static const enum result_status statuses[] = {
       [UAPI_PASS] = RESULT_PASS, [UAPI_FAIL] = RESULT_FAIL, [UAPI_SKIP] = RESULT_SKIP};
   const struct asahi_watch watch = {before_submit, worker};
   struct uapi_result outcome;
   char *spec = scoped_spec(worker, item->name);

   if (spec == NULL) {
      result_set(result, RESULT_FAIL, "out of memory");
      return false;
   }
   struct agx_program *helper = compiler_helper_program();
   uapi_run(item->test, spec, helper, &watch, &outcome);
   agx_program_destroy(helper);
   free(spec);
   enum result_status status = statuses[outcome.status];
   /* A remark is where header and today's kernel differ; of a job that had to fail, it is how it did. */
   if (outcome.status == UAPI_PASS && outcome.message[0] != '\0' && !uapi_is_fault(item->test)) {
      status = RESULT_WARN;
   }
   result_set(result, status, "%.230s", outcome.message);
   return true;
}

static void report_result(const struct worker *worker, const struct result *result)
{
   char *line = result_to_line(result);

   if (line == NULL) {
      exit(EXIT_FAILED);
   }
   child_report(worker->reports, "result %zu %s", worker->current, line);
   free(line);
}

/* After a result of this kind the device is looked at. */
static bool is_failure(const struct result *result)
{
   return result_status_is_bad(result->status) && result->status != RESULT_INVALID;
}

int worker_live(void *data, int reports)
{
   struct worker *worker = data;
   struct bench bench = {.open = false};
   bool going = true;

   worker->reports = reports;
   for (size_t i = 0; going && i < worker->count; i++) {
      const struct selected *item = &worker->selection->items[worker->items[i]];
      struct result result;

      worker->current = worker->items[i];
      if (worker->journal != NULL) {
         check_journal(worker,
                       journal_append(worker->journal, "begin %zu %u %s", worker->current, worker->try, item->name));
      }
      child_report(reports, "begin %zu", worker->current);
      result_init(&result, item->name);
      going =
          (item->benchmark != NULL ? run_benchmark(worker, &bench, item, &result) : run_test(worker, item, &result)) &&
          !is_failure(&result);
      report_result(worker, &result);
      result_finish(&result);
   }
   if (bench.open) {
      measure_finish(&bench.measure);
      session_close(&bench.session);
   }
   return EXIT_OK;
}
