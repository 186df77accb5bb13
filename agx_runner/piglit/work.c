/* SPDX-License-Identifier: MIT
 *
 * Inside a worker process: reports a file's tests as they end. Tests that were not run because the program ended get
 * the file's result, so that each planned test has one.
 */
#include "agx_runner/piglit/work.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/run.h"
#include "agx_runner/piglit/script/load.h"
#include "agx_runner/program/check_reports.h"
#include "agx_runner/results/result.h"
#include "agx_runner/runs/worker_results.h"
#include "compiler/api/compiler.h"
#include "util/array.h"

/* State that persists from file to file. */
struct state {
   struct asahi_device *device;
};

/* The file that runs. */
struct file {
   struct worker *worker;
   const struct piglit_work *work;
   const struct piglit_path *path;
   char **tests; /* full names of the planned tests */
   size_t count, done;
   bool no_memory;
};

static const struct piglit_path *path_of(const void *data, size_t unit)
{
   const struct piglit_work *work = data;

   return &work->files->items[unit];
}

static const char *unit_name(const void *data, size_t unit)
{
   return path_of(data, unit)->name;
}

static const char *unit_file(const void *data, size_t unit)
{
   return path_of(data, unit)->path;
}

/* In a reason such as "FILE:LINE: why", removes FILE if it is the test's own, of a program's test. */
static const char *without_path(const char *reason, const char *path)
{
   const size_t length = strlen(path);

   if (script_is_one(path) || strncmp(reason, path, length) != 0 || reason[length] != ':') {
      return reason;
   }
   reason += length + 1;
   reason += strspn(reason, "0123456789:");
   return reason + strspn(reason, " ");
}

static void report(const struct file *file, const char *name, enum piglit_status status, const char *reason)
{
   static const enum result_status statuses[PIGLIT_STATUSES] = {
       [PIGLIT_PASS] = RESULT_PASS,    [PIGLIT_FAIL] = RESULT_FAIL,   [PIGLIT_SKIP] = RESULT_SKIP,
       [PIGLIT_WARN] = RESULT_INVALID, [PIGLIT_CRASH] = RESULT_CRASH, [PIGLIT_TIMEOUT] = RESULT_TIMEOUT};
   struct result result;

   result_init(&result, name);
   result_set(&result, statuses[status], "%.239s",
              status == PIGLIT_SKIP ? without_path(reason, file->path->path) : reason);
   if (status == PIGLIT_PASS || status == PIGLIT_FAIL) {
      result.check = status == PIGLIT_PASS ? RESULT_CHECK_PASS : RESULT_CHECK_FAIL;
   }
   worker_result(file->worker, &result);
   result_finish(&result);
}

static void sink_plan(void *data, const char *test)
{
   struct file *file = data;
   char *name;

   if (!ARRAY_RESERVE_ONE(file->tests, file->count) || asprintf(&name, "%s@%s", file->path->name, test) < 0) {
      file->no_memory = true;
      return;
   }
   file->tests[file->count++] = name;
   worker_plan(file->worker, name);
}

static void sink_begin(void *data, size_t test)
{
   const struct file *file = data;

   (void)test;
   worker_begin(file->worker);
}

static void sink_end(void *data, size_t test, enum piglit_status status, const char *reason)
{
   struct file *file = data;

   (void)test; /* tests end in the order of the plan */
   if (file->done < file->count) {
      report(file, file->tests[file->done++], status, reason);
   }
}

static void sink_print(void *data, const char *line)
{
   const struct file *file = data;

   if (file->work->print) {
      worker_print(file->worker, line);
   }
}

static struct state *open_device(struct worker *worker)
{
   const struct piglit_work *work = worker->work->data;
   struct state *state = calloc(1, sizeof(*state));
   char why[256] = "out of memory";

   compiler_set_session();
   if (state == NULL ||
       (!work->without_device && piglit_device_open(worker->device, &state->device, why, sizeof(why)) < 0)) {
      fprintf(stderr, "%s\n", why);
      worker_unopened(worker);
   }
   return state;
}

static bool run(struct worker *worker, size_t unit)
{
   const struct piglit_work *work = worker->work->data;
   struct file file = {.worker = worker, .work = work, .path = path_of(work, unit)};
   const struct piglit_sink sink = {
       .data = &file, .plan = sink_plan, .begin = sink_begin, .end = sink_end, .print = sink_print};
   char reason[PIGLIT_REASON] = "";
   bool device_failed = false;

   if (worker->state == NULL) {
      worker->state = open_device(worker);
   }
   const struct piglit_run settings = {.driver = work->driver,
                                       .mesa = work->mesa,
                                       .device_name = worker->device,
                                       .device = ((struct state *)worker->state)->device,
                                       .timeout_ns = (uint64_t)fmin(work->seconds * 1e9, ASAHI_DEFAULT_TIMEOUT_NS),
                                       .lines = !work->without_device && check_spec_is_on(worker->device),
                                       .device_failed = &device_failed};
   const enum piglit_status status =
       (work->run != NULL ? work->run : piglit_run_file)(&settings, file.path->path, &sink, reason, sizeof(reason));
   if (file.no_memory) {
      exit(1);
   }
   if (file.count == 0) {
      report(&file, file.path->name, status, reason);
   }
   while (file.done < file.count) {
      report(&file, file.tests[file.done++], status, reason);
   }
   for (size_t i = 0; i < file.count; i++) {
      free(file.tests[i]);
   }
   free(file.tests);
   return !device_failed;
}

static void close_device(struct worker *worker)
{
   struct state *state = worker->state;

   if (state != NULL) {
      asahi_device_close(state->device);
      free(state);
   }
}

static pid_t helper(const void *data, size_t unit)
{
   (void)data, (void)unit;
   return compiler_process();
}

struct work piglit_work(struct piglit_work *data)
{
   return (struct work){.data = data,
                        .count = data->files->count,
                        .name = unit_name,
                        .file = unit_file,
                        .helper = helper,
                        .run = run,
                        .close = close_device};
}
