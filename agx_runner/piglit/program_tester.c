/* SPDX-License-Identifier: MIT
 *
 * cl-program-tester: runs one file and prints what Piglit's own program of this name prints, so that `piglit run cl`
 * can drive it. Piglit passes no options, so the device comes from the environment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/device.h"
#include "agx_runner/piglit/protocol.h"
#include "agx_runner/piglit/run.h"
#include "agx_runner/program/check_reports.h"
#include "agx_runner/terminal/place.h"
#include "compiler/api/compiler.h"
#include "util/array.h"

/* Names must live until their test has ended. */
struct names {
   char **list;
   size_t count;
};

static void sink_plan(void *data, const char *name)
{
   struct names *names = data;
   char *copy = strdup(name);

   if (copy == NULL || !ARRAY_RESERVE_ONE(names->list, names->count)) {
      fputs("out of memory\n", stderr);
      exit(1);
   }
   names->list[names->count++] = copy;
}

static void sink_begin(void *data, size_t test)
{
   (void)data;
   (void)test;
}

static void sink_end(void *data, size_t test, enum piglit_status status, const char *reason)
{
   const struct names *names = data;

   if (reason[0] != 0) {
      printf("%s\n", reason);
   }
   piglit_print_subtest(stdout, names->list[test], piglit_status_name(status));
   fflush(stdout);
}

static void sink_print(void *data, const char *line)
{
   (void)data;
   printf("%s\n", line);
   fflush(stdout);
}

/* Opens the device twice: what it is determines how it is opened. */
static int open_device(const char *spec, struct asahi_device **device, char *why, size_t why_size)
{
   int ret = asahi_device_open(spec, device, why, why_size);

   if (ret < 0) {
      return ret;
   }
   char *exact = piglit_device_spec(spec, asahi_device_get_info(*device), 1, false);
   asahi_device_close(*device);
   if (exact == NULL) {
      snprintf(why, why_size, "out of memory");
      return -ENOMEM;
   }
   ret = piglit_device_open(exact, device, why, why_size);
   free(exact);
   return ret;
}

static enum piglit_status run(const char *path)
{
   const char *spec = getenv("AGX_RUNNER_DEVICE");
   struct piglit_run run = {.timeout_ns = ASAHI_DEFAULT_TIMEOUT_NS, .lines = spec != NULL && check_spec_is_on(spec)};
   struct names names = {0};
   const struct piglit_sink sink = {
       .data = &names, .plan = sink_plan, .begin = sink_begin, .end = sink_end, .print = sink_print};
   char reason[PIGLIT_REASON];

   if (open_device(spec != NULL ? spec : "auto", &run.device, reason, sizeof(reason)) < 0) {
      fprintf(stderr, "%s\n", reason);
      return PIGLIT_FAIL;
   }
   enum piglit_status status = piglit_run_file(&run, path, &sink, reason, sizeof(reason));
   asahi_device_close(run.device);
   for (size_t i = 0; i < names.count; i++) {
      free(names.list[i]);
   }
   free(names.list);
   return status;
}

int main(int argc, char **argv)
{
   static const struct place compiler = {"AGX_RUNNER_COMPILER", "compiler/program/agx-compile", AGX_RUNNER_LIBEXECDIR};
   static char path[PLACE_PATH];
   enum piglit_status status = PIGLIT_WARN;

   if (argc == 2 && argv[1][0] != '-') {
      compiler_set_program(place_look(&compiler, path) ? path : NULL, path);
      status = run(argv[1]);
   } else {
      fprintf(stderr,
              "Usage: cl-program-tester FILE.cl|FILE.program_test\n"
              "The environment variable AGX_RUNNER_DEVICE names the device: auto (the default), a render node, or\n"
              "virtual:CHIP. See `agx-runner piglit --help` for running many files.\n");
   }
   piglit_print_result(stdout, piglit_status_name(status));
   /* Piglit's exit status: 1 for a failure only. */
   return status == PIGLIT_FAIL ? 1 : 0;
}
