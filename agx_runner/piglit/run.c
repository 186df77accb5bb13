/* SPDX-License-Identifier: MIT
 *
 * Processes a file from its text to the results of its tests: checks, compiles, runs, compares.
 */
#include "agx_runner/piglit/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/piglit/kernel.h"
#include "agx_runner/piglit/offer.h"
#include "agx_runner/piglit/format/program_test.h"
#include "agx_runner/piglit/script/load.h"
#include "compiler/api/compiler.h"

__attribute__((format(printf, 2, 3))) static void print(const struct piglit_sink *sink, const char *format, ...)
{
   char line[1024];
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(line, sizeof(line), format, arguments);
   va_end(arguments);
   sink->print(sink->data, line);
}

/* Prints the compiler's messages. */
static void print_log(const struct piglit_sink *sink, const char *log)
{
   for (const char *line = log; *line != 0;) {
      int length = (int)strcspn(line, "\n");
      print(sink, "%.*s", length, line);
      line += length + (line[length] != 0);
   }
}

/* struct agx_program truncates long names. */
static const struct agx_program *find_kernel(const struct compiler_result *result, const char *name)
{
   for (size_t i = 0; i < result->count; i++) {
      if (strcmp(result->programs[i]->name, name) == 0) {
         return result->programs[i];
      }
   }
   return NULL;
}

static const char *test_name(const struct piglit_test *test)
{
   /* Piglit's own tester prints this for a test without a name */
   return test->name != NULL ? test->name : "(null)";
}

/* Explains why there is no program of that name: the compiler refused this kernel, or it is not in the source. */
static enum piglit_status explain_missing(const struct compiler_result *result, const char *kernel,
                                          const struct piglit_sink *sink, char *reason, size_t reason_size)
{
   const struct compiler_refusal *refusal = compiler_result_refusal(result, kernel);

   if (refusal == NULL) {
      snprintf(reason, reason_size, "there is no kernel \"%s\" in the program", kernel);
      return PIGLIT_FAIL;
   }
   print_log(sink, refusal->reason);
   refusal_sentence(&refusal->why, reason, reason_size);
   return refusal_is_unsupported(refusal->why.who) ? PIGLIT_SKIP : PIGLIT_FAIL;
}

static enum piglit_status run_test(const struct piglit_run *run, const struct piglit_file *file, const char *options,
                                   const struct piglit_test *test, const struct compiler_result *result,
                                   const struct piglit_sink *sink, char *reason, size_t reason_size)
{
   const char *kernel = test->launch.kernel_name != NULL ? test->launch.kernel_name : file->launch.kernel_name;
   const struct agx_program *program = find_kernel(result, kernel);

   print(sink, "> Running kernel test: %s", test_name(test));
   if (program == NULL) {
      return explain_missing(result, kernel, sink, reason, reason_size);
   }
   print(sink, "Using kernel %s", kernel);
   if (!piglit_group_fits(&test->launch)) {
      snprintf(reason, reason_size, "a local size of more than %u threads", PIGLIT_MAX_GROUP);
      return PIGLIT_SKIP;
   }
   return run->driver != NULL ? run->driver->run(run, file, options, program, test, sink, reason, reason_size)
                              : piglit_run_kernel(run, program, test, sink, reason, reason_size);
}

static enum piglit_status run_tests(const struct piglit_run *run, const struct piglit_file *file, const char *options,
                                    const struct compiler_result *result, const struct piglit_sink *sink)
{
   static const char *const verdicts[PIGLIT_STATUSES] = {
       [PIGLIT_PASS] = ">> All of the tests PASSED",
       [PIGLIT_FAIL] = ">> Some or all of the tests FAILED",
       [PIGLIT_SKIP] = ">> Tests skipped",
   };
   enum piglit_status all = PIGLIT_SKIP;
   char reason[PIGLIT_REASON];

   for (size_t i = 0; i < file->test_count; i++) {
      reason[0] = 0;
      sink->begin(sink->data, i);
      enum piglit_status status = run_test(run, file, options, &file->tests[i], result, sink, reason, sizeof(reason));
      sink->end(sink->data, i, status, reason);
      all = piglit_status_merge(all, status);
   }
   sink->print(sink->data, verdicts[all]);
   return all;
}

/* Returns the status of the build: PIGLIT_PASS if there are kernels to run. */
static enum piglit_status judge_build(const struct piglit_file *file, int ret, const struct compiler_result *result,
                                      const struct piglit_sink *sink, char *reason, size_t reason_size)
{
   print_log(sink, result->log);
   refusal_line(&result->why, file->source_name, reason, reason_size);
   if (result->crash.crashed) {
      return result->crash.late ? PIGLIT_TIMEOUT : PIGLIT_CRASH;
   }
   if (compiler_result_is_unsupported(result)) {
      refusal_sentence(&result->why, reason, reason_size);
      return PIGLIT_SKIP;
   }
   if (file->expect_build_fail && ret < 0) {
      sink->print(sink->data, "Program has failed to build as expected");
      reason[0] = 0;
   } else if (file->expect_build_fail) {
      snprintf(reason, reason_size, "the program is compiled, which the test does not expect");
      return PIGLIT_FAIL;
   } else if (ret < 0) {
      return PIGLIT_FAIL;
   } else {
      sink->print(sink->data, "Program has been built successfully");
      reason[0] = 0;
   }
   return PIGLIT_PASS;
}

/* Makes the build options as Piglit does: the file's, and the version unless the file chose one. NULL: out of
 * memory. */
static char *build_options(const struct piglit_file *file, int64_t version)
{
   const char *own = file->build_options != NULL ? file->build_options : "";
   char *options = NULL;
   int ret;

   if (version > 10 && strstr(own, "-cl-std") == NULL) {
      ret = asprintf(&options, "%s -cl-std=CL%d.%d", own, (int)version / 10, (int)version % 10);
   } else {
      ret = asprintf(&options, "%s", own);
   }
   return ret >= 0 ? options : NULL;
}

static enum piglit_status build_and_run(const struct piglit_run *run, const struct piglit_file *file,
                                        const char *options_text, const struct piglit_sink *sink, char *reason,
                                        size_t reason_size)
{
   const struct asahi_device_info *info = asahi_device_get_info(run->device);
   const struct compiler_options options = {
       .atomic_coherency = info->atomic_coherency,
       .soft_faults = info->soft_faults,
       .arguments = options_text,
       .lines = run->lines,
   };
   struct compiler_result result = {0};

   int ret = run->driver != NULL
                 ? run->driver->compile(run, file, options_text, &result)
                 : compiler_opencl(file->source_name, file->source, file->source_size, &options, &result);
   if (ret == -ENOMEM) {
      snprintf(reason, reason_size, "%s: out of memory", file->source_name);
      compiler_result_finish(&result);
      return PIGLIT_FAIL;
   }
   enum piglit_status status = judge_build(file, ret, &result, sink, reason, reason_size);
   if (status == PIGLIT_PASS && file->test_count > 0) {
      status = run_tests(run, file, options_text, &result, sink);
   }
   compiler_result_finish(&result);
   return status;
}

static enum piglit_status run_loaded(const struct piglit_run *run, const struct piglit_file *file,
                                     const struct piglit_sink *sink, char *reason, size_t reason_size)
{
   const struct asahi_device_info *info = asahi_device_get_info(run->device);
   int64_t version;

   if (!file->configured) {
      snprintf(reason, reason_size, "no test in it: there is no comment /*! ... !*/ with a [config] section");
      return PIGLIT_SKIP;
   }

   enum piglit_status status = piglit_offer(file, info->name, &version, reason, reason_size);
   if (status != PIGLIT_PASS) {
      print(sink, "# Skipping device %s: %s", info->name, reason);
      return status;
   }
   if (file->source == NULL) {
      snprintf(reason, reason_size, "program binaries are of no form that Mesa's AGX compiler reads");
      return PIGLIT_SKIP;
   }
   char *options = build_options(file, version);
   if (options == NULL) {
      snprintf(reason, reason_size, "%s: out of memory", file->path);
      return PIGLIT_FAIL;
   }
   print(sink, "# Running on:");
   print(sink, "#   Platform: " PIGLIT_PLATFORM_NAME);
   print(sink, "#   Device: %s (%s)", info->name, info->path);
   print(sink, "#   OpenCL version: %d.%d", PIGLIT_OPENCL_VERSION / 10, PIGLIT_OPENCL_VERSION % 10);
   print(sink, "#   OpenCL C version: %d.%d", (int)version / 10, (int)version % 10);
   print(sink, "#   Build options: %s", options);
   status = build_and_run(run, file, options, sink, reason, reason_size);
   free(options);
   return status;
}

/* A test of shaders is one test. What its reader does not understand is no fault of anyone. */
static enum piglit_status run_script(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                                     char *reason)
{
   struct script *script;
   enum piglit_status status = PIGLIT_SKIP;

   const int ret = script_load(path, &script, reason, PIGLIT_REASON);
   if (ret < 0) {
      status = ret == -EINVAL ? PIGLIT_SKIP : PIGLIT_WARN;
   } else if (run->driver == NULL) {
      snprintf(reason, PIGLIT_REASON, "%s: a test of shaders runs through a driver: choose one with --mesa", path);
   } else {
      status = run->driver->script(run, script, sink, reason);
   }
   if (reason[0] != '\0') {
      sink->print(sink->data, reason);
   }
   script_destroy(script);
   return status;
}

enum piglit_status piglit_run_file(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                                   char *reason, size_t reason_size)
{
   struct piglit_file *file;

   reason[0] = 0;
   if (script_is_one(path)) {
      return run_script(run, path, sink, reason);
   }
   if (piglit_file_load(path, &file, reason, reason_size) < 0) {
      sink->print(sink->data, reason);
      return PIGLIT_WARN;
   }
   print(sink, "## Test: %s (%s) ##", file->name != NULL ? file->name : "", path);
   sink->print(sink->data, "");
   for (size_t i = 0; i < file->test_count; i++) {
      sink->plan(sink->data, test_name(&file->tests[i]));
   }
   enum piglit_status status = run_loaded(run, file, sink, reason, reason_size);
   piglit_file_destroy(file);
   return status;
}
