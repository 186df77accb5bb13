/* SPDX-License-Identifier: MIT
 *
 * The result model: creates, fills and frees runs and results. Every writer renders this model and nothing else.
 */
#include "agx_runner/results/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/results/commit.h"
#include "agx_runner/results/environment.h"
#include "compiler/api/compiler.h"
#include "util/array.h"

const char *const result_time_names[RESULT_TIME_COUNT] = {
    [RESULT_TIME_SHORTER] = "shorter",
    [RESULT_TIME_LONGER] = "longer",
    [RESULT_TIME_CONTROL] = "control",
    [RESULT_TIME_REFERENCE] = "reference",
};

const char *const result_status_names[RESULT_STATUS_COUNT] = {
    [RESULT_PASS] = "pass",
    [RESULT_FAIL] = "fail",
    [RESULT_SKIP] = "skip",
    [RESULT_INVALID] = "invalid",
    [RESULT_WARN] = "warn",
    [RESULT_CRASH] = "crash",
    [RESULT_TIMEOUT] = "timeout",
    [RESULT_HANG] = "hang",
    [RESULT_INCOMPLETE] = "incomplete",
    [RESULT_EXPECTED_FAIL] = "expected-fail",
    [RESULT_UNEXPECTED_PASS] = "unexpected-pass",
    [RESULT_FLAKE] = "flake",
    [RESULT_KNOWN_FLAKE] = "known-flake",
};

bool result_status_is_bad(enum result_status status)
{
   return status == RESULT_FAIL || (status >= RESULT_INVALID && status <= RESULT_INCOMPLETE && status != RESULT_WARN) ||
          status == RESULT_UNEXPECTED_PASS;
}

static void describe_compiler(struct result_run *run)
{
   const char *missing, *program = compiler_path(&missing);
   char *path = program != NULL ? realpath(program, NULL) : NULL;

   if (path != NULL && strlen(path) < sizeof(run->compiler)) {
      snprintf(run->compiler, sizeof(run->compiler), "%s", path);
   }
   free(path);
   snprintf(run->mesa, sizeof(run->mesa), "%s", compiler_mesa_version());
   snprintf(run->mesa_commit, sizeof(run->mesa_commit), "%s", compiler_mesa_commit());
}

void result_run_set_mesa(struct result_run *run, const char *name, const char *version)
{
   snprintf(run->mesa_name, sizeof(run->mesa_name), "%s", name);
   snprintf(run->mesa, sizeof(run->mesa), "%s", version);
   run->mesa_commit[0] = '\0';
}

bool result_run_init(struct result_run *run, const struct asahi_device_info *device, const char *command_line,
                     uint64_t seed)
{
   const time_t now = time(NULL);
   struct utsname system;
   struct tm utc;

   *run = (struct result_run){.device = *device, .seed = seed};
   run->command_line = strdup(command_line);
   const char *debug = getenv("AGX_MESA_DEBUG");
   /* readlink() leaves the rest of the text 0. */
   if (readlink("/proc/self/exe", run->program, sizeof(run->program)) >= (ssize_t)sizeof(run->program) - 1) {
      run->program[0] = '\0'; /* cut */
   }
   snprintf(run->agx_runner, sizeof(run->agx_runner), AGX_RUNNER_VERSION);
   snprintf(run->commit, sizeof(run->commit), "%s", result_agx_runner_commit());
   describe_compiler(run);
   snprintf(run->mesa_debug, sizeof(run->mesa_debug), "%s", debug != NULL ? debug : "");
   if (uname(&system) == 0) {
      snprintf(run->kernel, sizeof(run->kernel), "%.50s %.50s %.50s", system.sysname, system.release, system.machine);
      snprintf(run->host, sizeof(run->host), "%s", system.nodename);
   }
   if (gmtime_r(&now, &utc) != NULL) {
      strftime(run->time, sizeof(run->time), "%Y-%m-%dT%H:%M:%SZ", &utc);
   }
   return run->command_line != NULL;
}

void result_run_finish(struct result_run *run)
{
   for (size_t i = 0; i < run->count; i++) {
      result_finish(&run->results[i]);
   }
   free(run->results);
   free(run->command_line);
   *run = (struct result_run){0};
}

void result_init(struct result *result, const char *name)
{
   *result = (struct result){.reference = NAN,
                             .value = NAN,
                             .low = NAN,
                             .high = NAN,
                             .other_code = {.value = NAN, .low = NAN, .high = NAN},
                             .seconds = NAN};
   snprintf(result->name, sizeof(result->name), "%s", name);
}

void result_finish(struct result *result)
{
   free(result->samples);
   free(result->times);
   free(result->other_code.samples);
   program_stats_finish(&result->program);
   free(result->file);
   free(result->output);
   free(result->kernel_log);
   *result = (struct result){0};
}

static char *copy_text(const char *text)
{
   return text != NULL ? strdup(text) : NULL;
}

static double *copy_samples(const double *samples, size_t *count)
{
   double *copy = *count > 0 ? calloc(*count, sizeof(*copy)) : NULL;

   if (copy != NULL) {
      memcpy(copy, samples, *count * sizeof(*copy));
   } else {
      *count = 0;
   }
   return copy;
}

void result_copy(const struct result *from, struct result *to)
{
   *to = *from;
   to->samples = copy_samples(from->samples, &to->sample_count);
   size_t times = from->times != NULL ? from->sample_count * RESULT_TIME_COUNT : 0;
   to->times = copy_samples(from->times, &times);
   to->other_code.samples = copy_samples(from->other_code.samples, &to->other_code.sample_count);
   to->program.mnemonics = copy_text(from->program.mnemonics);
   to->kernel_log = copy_text(from->kernel_log);
   to->output = copy_text(from->output);
   to->file = copy_text(from->file);
}

struct result *result_add(struct result_run *run, const char *name)
{
   if (!ARRAY_RESERVE_ONE(run->results, run->count)) {
      return NULL;
   }
   result_init(&run->results[run->count], name);
   return &run->results[run->count++];
}

void result_set(struct result *result, enum result_status status, const char *format, ...)
{
   va_list arguments;

   result->status = status;
   va_start(arguments, format);
   vsnprintf(result->reason, sizeof(result->reason), format, arguments);
   va_end(arguments);
   if (status != RESULT_PASS) {
      result->value = result->low = result->high = NAN;
      result->sample_count = 0;
   }
}

void result_withhold(struct result *result)
{
   free(result->other_code.samples);
   result->other_code =
       (struct result_figure){result->value, result->low, result->high, result->samples, result->sample_count};
   result->value = result->low = result->high = NAN;
   result->samples = NULL;
   result->sample_count = 0;
}

size_t result_count_status(const struct result_run *run, enum result_status status)
{
   size_t count = 0;

   for (size_t i = 0; i < run->count; i++) {
      count += run->results[i].status == status;
   }
   return count;
}
