/* SPDX-License-Identifier: MIT
 *
 * Runs one generated program. Invariant: every buffer holds the same bytes before each run.
 */
#include "fuzz/attempt/attempt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agx_runner/measure/session.h"
#include "agx_runner/program/check_reports.h"
#include "compiler/api/stage.h"
#include "vgpu/checks.h"
#include "util/array.h"

#define MOST_INSTRUCTIONS (UINT64_C(1) << 22) /* for both simdgroups: correct code needs a fraction of it */

static int make_buffers(struct bench_device *bench)
{
   static const struct fuzz_program *const program;
   static const struct fuzz_outputs *const outputs;
   int ret = asahi_buffer_create(bench->device, sizeof(outputs->value), &bench->outputs);

   if (ret == 0) {
      ret = asahi_buffer_create(bench->device, sizeof(program->input), &bench->inputs);
   }
   if (ret == 0) {
      ret = asahi_buffer_create(bench->device, sizeof(outputs->memory), &bench->memory);
   }
   if (ret == 0) {
      ret = asahi_buffer_create(bench->device, KERNEL_BUFFER_BYTES, &bench->arguments);
   }
   return ret;
}

/* kernels that spill need it */
static int set_helper(struct bench_device *bench)
{
   struct agx_program *helper = compiler_helper_program();
   const int ret = helper != NULL ? asahi_device_set_helper(bench->device, helper) : -ENOMEM;

   agx_program_destroy(helper);
   return ret;
}

static int open_one(struct bench_device *bench, const char *spec, char *why, size_t why_size)
{
   *bench = (struct bench_device){.log = -1};
   snprintf(bench->spec, sizeof(bench->spec), "%s", spec);
   int ret = asahi_device_open(spec, &bench->device, why, why_size);

   if (ret == 0) {
      bench->options = device_compiler_options(asahi_device_get_info(bench->device));
      ret = make_buffers(bench);
      ret = ret == 0 ? set_helper(bench) : ret;
      if (ret < 0) {
         snprintf(why, why_size, "%s", asahi_device_error(bench->device));
         bench_device_close(bench);
      }
   }
   return ret;
}

int bench_device_open(struct bench_device *bench, const char *spec, const char *against, char *why, size_t why_size)
{
   int ret = open_one(bench, spec, why, why_size);

   if (ret < 0 || against == NULL) {
      return ret;
   }
   bench->against = calloc(1, sizeof(*bench->against));
   ret = bench->against == NULL ? -ENOMEM : open_one(bench->against, against, why, why_size);
   if (ret < 0) {
      bench_device_close(bench);
   }
   return ret;
}

void bench_device_close(struct bench_device *bench)
{
   if (bench->against != NULL) {
      bench_device_close(bench->against);
      free(bench->against);
   }

   if (bench->device != NULL) {
      asahi_buffer_destroy(bench->device, bench->outputs);
      asahi_buffer_destroy(bench->device, bench->inputs);
      asahi_buffer_destroy(bench->device, bench->memory);
      asahi_buffer_destroy(bench->device, bench->arguments);
      asahi_device_close(bench->device);
   }
   if (bench->log >= 0) {
      close(bench->log);
   }
   *bench = (struct bench_device){.log = -1};
}

int bench_device_listen(struct bench_device *bench)
{
   bench->log = memfd_create("agx-runner-fuzz", MFD_CLOEXEC);
   return bench->log < 0 || dup2(bench->log, STDERR_FILENO) < 0 ? -errno : 0;
}

static void clear_log(const struct bench_device *bench)
{
   if (bench->log >= 0 && ftruncate(bench->log, 0) == 0) {
      (void)lseek(bench->log, 0, SEEK_SET);
   }
}

/* Mesa prints which ops its backend cannot compile, but emits code anyway. */
bool attempt_unhandled(const struct bench_device *bench, char *why, size_t size)
{
   char text[128] = "";
   const ssize_t length = bench->log >= 0 ? pread(bench->log, text, sizeof(text) - 1, 0) : 0;

   if (length <= 0 || strstr(text, "Unhandled") == NULL) {
      return false;
   }
   snprintf(why, size, "%.*s", (int)strcspn(text, "\n"), text);
   return true;
}

/* Limits instructions, so that an endless loop of wrong code is detected soon. 0: the initial limit, for kernels in
 * OpenCL C. */
static void limit_instructions(const struct bench_device *bench, uint64_t most)
{
   if (asahi_device_get_info(bench->device)->is_virtual) {
      (void)asahi_device_set_budget(bench->device, most);
   }
}

int attempt_run(struct bench_device *bench, const struct fuzz_program *program, const struct agx_program *code,
                struct fuzz_outputs *found)
{
   uint8_t block[FUZZ_ARGUMENT_BYTES];
   struct asahi_program *uploaded = NULL;
   struct asahi_dispatch dispatch = {.grid = {FUZZ_LANES, 1, 1},
                                     .group = {FUZZ_LANES, 1, 1},
                                     .arguments = block,
                                     .argument_bytes = code->argument_bytes};

   memset(asahi_buffer_map(bench->outputs), 0, sizeof(found->value));
   memset(asahi_buffer_map(bench->memory), 0, sizeof(found->memory));
   memcpy(asahi_buffer_map(bench->inputs), program->input, sizeof(program->input));
   fuzz_arguments(program, asahi_buffer_address(bench->outputs), asahi_buffer_address(bench->inputs),
                  asahi_buffer_address(bench->memory), block);
   int ret = asahi_program_upload(bench->device, code, &uploaded);
   if (ret == 0) {
      dispatch.program = uploaded;
      limit_instructions(bench, MOST_INSTRUCTIONS);
      ret = asahi_run(bench->device, &dispatch, 1, ASAHI_DEFAULT_TIMEOUT_NS, NULL);
      limit_instructions(bench, 0);
   }
   memset(found, 0, sizeof(*found));
   memcpy(found->value, asahi_buffer_map(bench->outputs), sizeof(found->value));
   memcpy(found->memory, asahi_buffer_map(bench->memory), sizeof(found->memory));
   asahi_program_destroy(bench->device, uploaded);
   return ret;
}

/* Whether a report is a finding: correct code gives some reports, and a wrong answer is noticed anyway. */
static bool counts(const char *text)
{
   static const char *const harmless[] = {
       "the shift count", /* lowered bit-field extracts shift by 32 if a select then chooses another value */
   };

   for (unsigned i = 0; i < ARRAY_COUNT(harmless); i++) {
      if (strncmp(text, harmless[i], strlen(harmless[i])) == 0) {
         return false;
      }
   }
   return true;
}

/* Reads the reports of the device's checks. Returns false if none counts. */
bool attempt_checked(struct bench_device *bench, const struct agx_program *code, char *why, size_t size)
{
   struct vgpu_check_report report = {.total = 1};
   char line[112];

   for (uint32_t i = 0; i < report.total && i < VGPU_CHECK_REPORTS; i++) {
      if (asahi_device_check(bench->device, i, &report) < 0 || report.total == 0) {
         return false;
      }
      bench->reported = true;
      if (counts(report.text)) {
         check_report_line(report.place, code, line, sizeof(line));
         snprintf(why, size, "%.90s; %.60s%.90s", report.text, report.place, line);
         return true;
      }
   }
   return false;
}

/* Replaces the device after a report. */
static void renew(struct bench_device *bench)
{
   char spec[sizeof(bench->spec)], why[256];
   const int log = bench->log;

   memcpy(spec, bench->spec, sizeof(spec));
   struct bench_device *against = bench->against;

   bench->log = -1;
   bench->against = NULL;
   bench_device_close(bench);
   if (open_one(bench, spec, why, sizeof(why)) < 0) {
      fprintf(stderr, "%s\n", why);
      abort(); /* it could be opened before */
   }
   bench->log = log;
   bench->against = against;
}

/* Runs the program on the other device, and takes its answer where the interpreter says that it is determined. A
 * program that the compiler gets wrong is the same on both. Returns false if it did not run. */
static bool take_answer(struct bench_device *other, const struct fuzz_program *program, const struct agx_program *code,
                        struct fuzz_outputs *expected)
{
   struct fuzz_outputs found;

   if (attempt_run(other, program, code, &found) < 0) {
      return false;
   }
   memcpy(expected->value, found.value, sizeof(expected->value));
   memcpy(expected->memory, found.memory, sizeof(expected->memory));
   return true;
}

void attempt_begin(struct bench_device *bench)
{
   if (bench->reported) {
      renew(bench);
   }
   clear_log(bench);
   compiler_stage(COMPILER_STAGE_START); /* the oracle comes first */
}

void attempt(struct bench_device *bench, void *data, struct attempt_result *result)
{
   const struct fuzz_program *program = data;
   struct compiler_result compiled = {0};

   result->why[0] = '\0';
   result->difference = (struct fuzz_difference){0};
   attempt_begin(bench);
   const int ret = fuzz_compile(program, &bench->options, &result->expected.program, &compiled);
   if (ret != 0 || compiled.count != 1) {
      result->verdict = VERDICT_UNSUPPORTED;
      snprintf(result->why, sizeof(result->why), "%.150s", compiled.log != NULL ? compiled.log : "out of memory");
   } else if (attempt_unhandled(bench, result->why, sizeof(result->why))) {
      result->verdict = VERDICT_UNHANDLED;
   } else if (!result->expected.program.valid) {
      result->verdict = VERDICT_UNDEFINED;
      snprintf(result->why, sizeof(result->why), "%s", result->expected.program.why);
   } else if (attempt_run(bench, program, compiled.programs[0], &result->found) < 0) {
      result->verdict = VERDICT_BROKEN;
      snprintf(result->why, sizeof(result->why), "%.150s", asahi_device_error(bench->device));
   } else if (bench->against != NULL &&
              !take_answer(bench->against, program, compiled.programs[0], &result->expected.program)) {
      result->verdict = VERDICT_BROKEN;
      snprintf(result->why, sizeof(result->why), "%.150s", asahi_device_error(bench->against->device));
   } else {
      const bool different = fuzz_differ(&result->expected.program, &result->found, &result->difference);
      const bool reports = attempt_checked(bench, NULL, result->why, sizeof(result->why));
      result->verdict = different ? VERDICT_DIFFERENT : reports ? VERDICT_CHECKED : VERDICT_ALIKE;
   }
   compiler_result_finish(&compiled);
}
