/* SPDX-License-Identifier: MIT
 *
 * Runs the tests of a file by hosts: one says which arguments the kernels have, then one runs each test, so that a test
 * that loses the device costs no other.
 */
#include "agx_runner/driver/tests/tests.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/kernel.h"
#include "agx_runner/driver/tests/findings.h"
#include "agx_runner/driver/tests/script.h"
#include "agx_runner/driver/source.h"
#include "agx_runner/piglit/format/compare.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/result.h"

/* Initial content of buffers that the test does not fill: no test expects it by chance, unlike zeros. */
#define UNWRITTEN 0xcd
/* Piglit passes a NULL buffer as clSetKernelArg(index, sizeof(cl_mem), NULL), so a local argument has at least this
 * size. */
#define NULL_BUFFER_BYTES 8u

static const struct string_list no_constants;

static struct driver_source source_of(const struct piglit_run *run, const struct piglit_file *file, const char *options)
{
   struct driver_source source = {.path = file->source_name,
                                  .options = options,
                                  .constants = &no_constants,
                                  .language = HOST_OPENCL_C,
                                  .api = MESA_OPENCL,
                                  .data = (uint8_t *)file->source,
                                  .size = file->source_size};
   mesa_describe(run->mesa, &source.mesa);
   return source;
}

/* A compilation may never end, and so may a launch on a device without a limit. */
static int start_request(const struct piglit_run *run, const struct driver_source *source,
                         struct driver_request *request)
{
   const int code = driver_source_request(source, NULL, request);
   if (code == EXIT_OK && run->timeout_ns > 0) {
      host_record_write(request->file, HOST_LIMIT, (uint32_t)(run->timeout_ns / 1000000000) + 1, "", 0);
   }
   return code;
}

/* ---- Compiling ---- */

static int take_interfaces(const struct driver_kernels *kernels, struct compiler_result *result)
{
   for (size_t i = 0; i < kernels->count; i++) {
      struct agx_program *interface = driver_kernel_interface(&kernels->list[i]);
      if (interface == NULL || compiler_result_add(result, interface) < 0) {
         return -ENOMEM;
      }
   }
   return 0;
}

static int compile(const struct piglit_run *run, const struct piglit_file *file, const char *options,
                   struct compiler_result *result)
{
   const struct driver_source source = source_of(run, file, options);
   struct driver_request request;
   struct driver_answer answer = {.records = {.size = 0}};
   struct driver_kernels kernels = {.count = 0};
   int ret = compiler_result_init(result);
   if (ret < 0) {
      return ret;
   }
   const bool ran = start_request(run, &source, &request) == EXIT_OK &&
                    driver_host_run(&source.mesa, source.api, run->device_name, &request, &answer) == EXIT_OK;
   driver_request_finish(&request);
   if (ran && !driver_kernels_read(&answer.records, &kernels)) {
      ret = -ENOMEM;
   } else if (!ran) {
      compiler_refuse(result, REFUSAL_CRASH, "the driver crashed or did not end, or its host did not run");
      ret = -EINVAL;
   } else {
      if (kernels.log != NULL) {
         compiler_log(result, "%s", kernels.log);
      }
      ret = kernels.refusal != NULL ? compiler_refuse(result, REFUSAL_SOURCE, "%.300s", kernels.refusal)
                                    : take_interfaces(&kernels, result);
   }
   driver_kernels_finish(&kernels);
   driver_answer_finish(&answer);
   return ret;
}

/* ---- A test ---- */

struct test_run {
   const struct piglit_run *run;
   const struct agx_program *interface;
   const struct piglit_test *test;
   bool *set; /* of each argument */
   FILE *request;
   char *reason;
   size_t reason_size;
};

__attribute__((format(printf, 2, 3))) static enum piglit_status fail(struct test_run *run, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(run->reason, run->reason_size, format, arguments);
   va_end(arguments);
   return PIGLIT_FAIL;
}

static enum piglit_status write_argument(struct test_run *run, const struct piglit_argument *argument, bool in)
{
   const uint8_t *bytes = in ? argument->data : NULL;
   struct host_argument record = {.size = argument->size};
   uint8_t *unwritten = NULL;
   if (argument->index >= run->interface->argument_count) {
      return fail(run, "argument %u: the kernel has %zu arguments", argument->index, run->interface->argument_count);
   }
   const uint32_t kind = run->interface->arguments[argument->index].kind;
   if (kind == AGX_ARGUMENT_LOCAL && in && bytes == NULL) {
      record.kind = HOST_LOCAL;
      record.size = argument->size < NULL_BUFFER_BYTES ? NULL_BUFFER_BYTES : argument->size;
   } else if (kind == AGX_ARGUMENT_BUFFER && argument->kind == PIGLIT_BUFFER && in && bytes == NULL) {
      record.kind = HOST_NULL_BUFFER;
   } else if (kind == AGX_ARGUMENT_BUFFER && argument->kind == PIGLIT_BUFFER) {
      record.kind = HOST_BUFFER;
   } else if (kind == AGX_ARGUMENT_VALUE && argument->kind == PIGLIT_VALUE && bytes != NULL) {
      record.kind = HOST_VALUE;
   } else {
      return fail(run, "argument %u: what the test gives does not suit the kernel's %s", argument->index,
                  run->interface->arguments[argument->index].type);
   }
   if (record.kind == HOST_BUFFER && bytes == NULL) {
      unwritten = malloc(argument->size + 1);
      if (unwritten == NULL) {
         return fail(run, "out of memory");
      }
      memset(unwritten, UNWRITTEN, argument->size);
      bytes = unwritten;
   }
   const bool has_bytes = record.kind == HOST_BUFFER || record.kind == HOST_VALUE;
   host_record_write_two(run->request, HOST_ARGUMENT, argument->index, &record, sizeof(record), bytes,
                         has_bytes ? argument->size : 0);
   run->set[argument->index] = true;
   free(unwritten);
   return PIGLIT_PASS;
}

static enum piglit_status write_arguments(struct test_run *run)
{
   const struct piglit_test *test = run->test;
   enum piglit_status status = PIGLIT_PASS;
   for (size_t i = 0; i < test->in.count && status == PIGLIT_PASS; i++) {
      status = write_argument(run, &test->in.list[i], true);
   }
   for (size_t i = 0; i < test->out.count && status == PIGLIT_PASS; i++) {
      const struct piglit_argument *argument = &test->out.list[i];
      if (argument->index >= run->interface->argument_count || !run->set[argument->index]) {
         status = write_argument(run, argument, false);
      }
   }
   for (size_t i = 0; i < run->interface->argument_count && status == PIGLIT_PASS; i++) {
      if (!run->set[i]) {
         status = fail(run, "argument %zu is not given by the test", i);
      }
   }
   return status;
}

static enum piglit_status write_launch(struct test_run *run)
{
   const struct piglit_launch *wanted = &run->test->launch;
   struct host_launch record = {.dimensions = wanted->dimensions, .repeat = 1};
   for (unsigned i = 0; i < 3; i++) {
      const bool counts = i < wanted->dimensions;
      if (counts && (wanted->global_size[i] > UINT32_MAX || wanted->global_offset[i] > UINT32_MAX ||
                     wanted->local_size[i] > UINT32_MAX)) {
         return fail(run, "a size above 32 bits in dimension %u", i);
      }
      record.grid[i] = counts ? (uint32_t)wanted->global_size[i] : 1;
      record.offset[i] = counts ? (uint32_t)wanted->global_offset[i] : 0;
      record.group[i] = wanted->local_size_null ? 0 : counts ? (uint32_t)wanted->local_size[i] : 1;
   }
   host_record_write(run->request, HOST_LAUNCH, 0, &record, sizeof(record));
   return PIGLIT_PASS;
}

static enum piglit_status check_outputs(struct test_run *run, const struct driver_kernel *kernel,
                                        const struct piglit_sink *sink)
{
   const bool expect_fail = run->test->launch.expect_test_fail;
   enum piglit_status status = PIGLIT_PASS;
   char difference[384] = "";
   for (size_t i = 0; i < run->test->out.count; i++) {
      const struct piglit_argument *expected = &run->test->out.list[i];
      const struct driver_bytes *after = &kernel->parameters[expected->index].after;
      const bool same =
          after->size == expected->size && piglit_compare(expected, after->bytes, difference, sizeof(difference));
      if (!same) {
         sink->print(sink->data, difference);
      }
      if (same == expect_fail && status == PIGLIT_PASS) {
         status = fail(run, "%s", same ? "the outputs are right, which the test does not expect" : difference);
      }
   }
   return status;
}

static enum piglit_status judge(struct test_run *run, struct driver_answer *answer, const struct piglit_sink *sink)
{
   struct driver_kernels kernels;
   const struct driver_kernel *launched = NULL;
   enum piglit_status status;
   if (!driver_kernels_read(&answer->records, &kernels)) {
      status = fail(run, "out of memory");
   } else if (kernels.refusal != NULL) {
      status = fail(run, "%s", kernels.refusal);
   } else {
      for (size_t i = 0; i < kernels.count; i++) {
         launched = kernels.list[i].launched != NULL ? &kernels.list[i] : launched;
      }
      driver_tests_findings(&answer->report, sink);
      status =
          launched == NULL ? fail(run, "the host reported no launch")
          : answer->report.faults > 0 || answer->report.findings > 0
              ? fail(run, "the device reports %s", answer->report.faults > 0 ? "a fault" : "a finding of its checks")
              : check_outputs(run, launched, sink);
   }
   driver_kernels_finish(&kernels);
   return status;
}

static enum piglit_status run_test(const struct piglit_run *settings, const struct piglit_file *file,
                                   const char *options, const struct agx_program *interface,
                                   const struct piglit_test *test, const struct piglit_sink *sink, char *reason,
                                   size_t reason_size)
{
   const struct driver_source source = source_of(settings, file, options);
   struct driver_request request;
   struct driver_answer answer = {.records = {.size = 0}};
   struct test_run run = {.run = settings,
                          .interface = interface,
                          .test = test,
                          .set = calloc(interface->argument_count + 1, sizeof(bool)),
                          .reason = reason,
                          .reason_size = reason_size};
   const bool started = start_request(settings, &source, &request) == EXIT_OK && run.set != NULL;
   enum piglit_status status = started ? PIGLIT_PASS : fail(&run, "out of memory or of files");
   if (started) {
      run.request = request.file;
      host_record_write_text(request.file, HOST_ENTRY, 0, interface->name);
      status = write_arguments(&run);
   }
   status = status == PIGLIT_PASS ? write_launch(&run) : status;
   if (status == PIGLIT_PASS) {
      status = driver_host_run(&source.mesa, source.api, settings->device_name, &request, &answer) == EXIT_OK
                   ? judge(&run, &answer, sink)
                   : fail(&run, "the driver crashed or did not end, or its host did not run");
   }
   driver_request_finish(&request);
   driver_answer_finish(&answer);
   free(run.set);
   return status;
}

const struct piglit_driver driver_tests = {.compile = compile, .run = run_test, .script = driver_script_run};
