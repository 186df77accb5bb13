/* SPDX-License-Identifier: MIT
 *
 * agx-runner piglit: OpenCL program tests in Piglit's format.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/pool.h"
#include "agx_runner/piglit/session.h"
#include "agx_runner/piglit/worker.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/compiler.h"

static unsigned cores(void)
{
   cpu_set_t set;

   return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static void show_progress(void *data, const struct piglit_result *result)
{
   progress_step(data, result->name);
}

/* The first compilation starts the compile service, which reads libclc: done here, all workers share it. The kernel is
 * the shortest; should it not compile, the tests will say why. */
static void warm_compiler(void)
{
   static const char source[] = "kernel void warm(global int *x) { *x = 1; }";
   const struct compiler_options options = {.arguments = ""};
   struct compiler_result result = {0};

   compiler_opencl("warm.cl", source, sizeof(source) - 1, &options, &result);
   compiler_result_finish(&result);
}

/* Opens the device once here: what is wrong with it is said once, and what it is stands in the report. */
static int look_at_device(const struct options *options, struct piglit_session *session, char *used, size_t used_size)
{
   struct asahi_device *device;
   char why[256];

   int ret = piglit_device_open(options->run.device, options->jobs == 1, &device, used, used_size, why, sizeof(why));
   if (ret < 0) {
      return complain(ret == -EINVAL ? EXIT_INVALID : EXIT_FAILED, "%s", why);
   }
   session->device = *asahi_device_get_info(device);
   asahi_device_close(device);
   return EXIT_OK;
}

static int collect(const struct options *options, struct piglit_session *session)
{
   char message[512];

   if (options->expect != NULL &&
       piglit_expectations_load(options->expect, &session->expectations, message, sizeof(message)) < 0) {
      return complain(EXIT_INVALID, "%s", message);
   }
   for (size_t i = 0; i < options->operands.count; i++) {
      if (piglit_session_add(session, options->operands.items[i], message, sizeof(message)) < 0) {
         return complain(EXIT_INVALID, "%s", message);
      }
   }
   return piglit_session_prepare(session) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

static int run_all(const struct options *options, struct piglit_session *session)
{
   struct progress progress;
   char used[192];

   warm_compiler(); /* before a device is opened: the compile service has no part in it */
   int code = look_at_device(options, session, used, sizeof(used));
   if (code != EXIT_OK) {
      return code;
   }
   const struct piglit_pool pool = {
       .device = used,
       .jobs = options->jobs != 0 ? options->jobs : cores(),
       .seconds = options->file_timeout,
       .results = session->results,
       .count = session->count,
       .done = show_progress,
       .data = &progress,
   };
   const double start = piglit_now();
   progress_start(&progress, session->count);
   int ret = piglit_pool_run(&pool);
   progress_finish(&progress);
   session->seconds = piglit_now() - start;
   return ret < 0 ? complain(EXIT_FAILED, "no worker process: %s", strerror(-ret)) : EXIT_OK;
}

static int write_report(const struct options *options, const struct piglit_session *session)
{
   static int (*const writers[])(const struct piglit_session *session, FILE *out) = {
       [PIGLIT_FORMAT_SUMMARY] = piglit_write_summary,
       [PIGLIT_FORMAT_JSON] = piglit_write_json,
       [PIGLIT_FORMAT_PIGLIT] = piglit_write_protocol,
   };
   struct output output;

   int code = output_open(&output, options->output);
   if (code != EXIT_OK) {
      return code;
   }
   code = writers[options->piglit_format](session, output.file) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                                    : output_commit(&output);
   output_discard(&output);
   return code;
}

/* Whether the results are what was expected. */
static int judge(const struct piglit_session *session)
{
   struct piglit_totals totals;

   if (piglit_session_count(session, &totals) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   if (totals.unexpected + totals.improved > 0) {
      return EXIT_FAILED;
   }
   return totals.status[PIGLIT_SKIP] == totals.tests ? EXIT_SKIPPED : EXIT_OK;
}

int cmd_piglit(const struct options *options)
{
   struct piglit_session session = {0};

   int code = collect(options, &session);
   if (code == EXIT_OK) {
      code = run_all(options, &session);
   }
   if (code == EXIT_OK) {
      code = write_report(options, &session);
   }
   if (code == EXIT_OK) {
      code = judge(&session);
   }
   piglit_session_finish(&session);
   return code;
}
