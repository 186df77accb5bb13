/* SPDX-License-Identifier: MIT
 *
 * Runs a batch. Invariant: a device report counts for a test that ran alone, as it does not say which job it is of.
 */
#include "agx_runner/driver/search/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/driver/glsl.h"
#include "agx_runner/driver/host.h"
#include "agx_runner/driver/kernel.h"
#include "agx_runner/driver/search/scene.h"
#include "agx_runner/piglit/format/compare.h"
#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"
#include "util/file.h"
#include "util/text.h"

/* Seconds of processor time for a host, and for each of its kernels: many times what either takes. */
#define HOST_SECONDS 20u
#define KERNEL_SECONDS 2u
#define SCENE_MOST 1048576u /* bytes of a scene's text */

/* ---- A file of fuzz --write ---- */

#define OP_EXECUTION_MODE (4u << 16 | 16u) /* with one operand */
#define MODE_SIGNED_ZERO 4461u
#define MODE_ROUND_TO_EVEN 4462u

/* The modes of floats that a shader declares for 32 bits hold for 16 bits, too: glslang keeps one width of each.
 * Returns false if out of memory. */
static bool add_modes(struct batch_test *test)
{
   uint32_t *words = calloc(2, test->shader_size + 1);
   size_t count = 0;

   for (size_t at = 0; words != NULL && at + 4 <= test->shader_size; at += 4) {
      memcpy(&words[count], test->shader + at, 4);
      count++;
      uint32_t *mode = count >= 4 ? &words[count - 4] : words;
      if (mode[0] == OP_EXECUTION_MODE && (mode[2] == MODE_SIGNED_ZERO || mode[2] == MODE_ROUND_TO_EVEN) &&
          mode[3] == 32) {
         memcpy(&words[count], mode, 12);
         words[count + 3] = 16;
         count += 4;
      }
   }
   if (words != NULL) {
      free(test->shader);
      test->shader = (uint8_t *)words;
      test->shader_size = count * 4;
   }
   return words != NULL;
}

static int load_scene(const char *path, struct batch_test *test)
{
   size_t size;
   FILE *file = fopen(path, "r");
   const int error = file != NULL ? util_read_stream(file, SCENE_MOST, &test->scene, &size) : -errno;
   if (file != NULL) {
      fclose(file);
   }
   return error >= 0 ? EXIT_OK : complain(EXIT_INVALID, "%s: %s", path, strerror(-error));
}

int driver_batch_load(const char *path, struct batch_test *test)
{
   char message[512];
   *test = (struct batch_test){.file = NULL};
   if (util_has_suffix(path, ".scene")) {
      return load_scene(path, test);
   }
   if (piglit_file_load(path, &test->file, message, sizeof(message)) < 0) {
      return complain(EXIT_FAILED, "%s", message);
   }
   int code = EXIT_OK;
   if (util_has_suffix(path, ".comp")) {
      code = driver_glsl_compile(path, &test->shader, &test->shader_size);
      code = code == EXIT_OK && !add_modes(test) ? complain(EXIT_FAILED, "out of memory") : code;
   }
   if (code != EXIT_OK) {
      driver_batch_unload(test);
   }
   return code;
}

void driver_batch_unload(struct batch_test *test)
{
   if (test->file != NULL) {
      piglit_file_destroy(test->file);
   }
   free(test->scene);
   test->scene = NULL;
   free(test->shader);
   test->file = NULL;
   test->shader = NULL;
}

/* ---- The request ---- */

static void write_argument(const struct piglit_argument *argument, FILE *request)
{
   const struct host_argument record = {.kind = argument->kind == PIGLIT_VALUE ? HOST_VALUE : HOST_BUFFER,
                                        .size = argument->size};
   uint8_t *unwritten = argument->data == NULL ? calloc(1, argument->size + 1) : NULL;
   const uint8_t *bytes = argument->data != NULL ? argument->data : unwritten;
   if (bytes != NULL) {
      host_record_write_two(request, HOST_ARGUMENT, argument->index, &record, sizeof(record), bytes, argument->size);
   }
   free(unwritten);
}

static bool is_given(const struct piglit_test *test, uint32_t index)
{
   for (size_t i = 0; i < test->in.count; i++) {
      if (test->in.list[i].index == index) {
         return true;
      }
   }
   return false;
}

static void write_launch(const struct piglit_test *test, FILE *request)
{
   const struct piglit_launch *wanted = &test->launch;
   struct host_launch launch = {.dimensions = wanted->dimensions, .repeat = 1};
   for (unsigned i = 0; i < 3; i++) {
      launch.grid[i] = i < wanted->dimensions ? (uint32_t)wanted->global_size[i] : 1;
      launch.group[i] = wanted->local_size_null ? 0 : i < wanted->dimensions ? (uint32_t)wanted->local_size[i] : 1;
   }
   host_record_write_text(request, HOST_ENTRY, 0, wanted->kernel_name);
   for (size_t i = 0; i < test->in.count; i++) {
      write_argument(&test->in.list[i], request);
   }
   /* An output without an initial content gets zeros. */
   for (size_t i = 0; i < test->out.count; i++) {
      const struct piglit_argument *argument = &test->out.list[i];
      if (!is_given(test, argument->index)) {
         struct piglit_argument zeros = *argument;
         zeros.data = NULL;
         write_argument(&zeros, request);
      }
   }
   host_record_write(request, HOST_LAUNCH, 0, &launch, sizeof(launch));
}

static void write_test(const struct batch_test *test, FILE *request)
{
   const struct piglit_file *file = test->file;
   if (test->shader != NULL) {
      host_record_write(request, HOST_SOURCE, HOST_SPIRV_SHADER, test->shader, test->shader_size);
   } else {
      host_record_write(request, HOST_SOURCE, HOST_OPENCL_C, file->source, file->source_size);
   }
   if (file->build_options != NULL) {
      host_record_write_text(request, HOST_OPTIONS, 0, file->build_options);
   }
   write_launch(&file->tests[0], request);
}

/* ---- The answer ---- */

static void judge(struct batch_test *test, const struct driver_kernels *kernels)
{
   const struct driver_kernel *launched = NULL;
   for (size_t i = 0; i < kernels->count; i++) {
      launched = kernels->list[i].launched != NULL ? &kernels->list[i] : launched;
   }
   if (kernels->refusal != NULL || launched == NULL) {
      const char *log = kernels->log != NULL ? kernels->log : "";
      test->verdict = BATCH_REFUSED;
      snprintf(test->why, sizeof(test->why), "%.200s%s%.80s", kernels->refusal != NULL ? kernels->refusal : "no answer",
               log[0] != '\0' ? "; " : "", log);
      return;
   }
   test->verdict = BATCH_RIGHT;
   const struct piglit_arguments *out = &test->file->tests[0].out;
   for (size_t i = 0; i < out->count && test->verdict == BATCH_RIGHT; i++) {
      const struct piglit_argument *expected = &out->list[i];
      const bool there = expected->index < launched->facts->parameters;
      const struct driver_bytes after =
          there ? launched->parameters[expected->index].after : (struct driver_bytes){NULL, 0};
      if (after.size != expected->size || !piglit_compare(expected, after.bytes, test->why, sizeof(test->why))) {
         test->verdict = BATCH_WRONG;
      }
   }
}

/* Reads what each source has given. Returns false if out of memory. */
static bool read_answers(struct driver_answer *answer, struct batch_test *tests, size_t count)
{
   struct driver_kernels kernels;
   bool good = true;
   if (count > 1) {
      good = driver_kernels_read(&answer->records, &kernels); /* the driver's name */
      driver_kernels_finish(&kernels);
   }
   for (size_t i = 0; good && i < count; i++) {
      good = driver_kernels_read(&answer->records, &kernels);
      if (good) {
         judge(&tests[i], &kernels);
      }
      driver_kernels_finish(&kernels);
   }
   return good;
}

/* Returns false where the tests must run one by one. */
static bool run(const struct mesa *mesa, const char *device, struct batch_test *tests, size_t count, int *code)
{
   struct driver_request request;
   struct driver_answer answer = {.records = {.size = 0}};
   *code = driver_request_start(&request);
   if (*code == EXIT_OK) {
      host_record_write(request.file, HOST_LIMIT, HOST_SECONDS + KERNEL_SECONDS * (uint32_t)count, "", 0);
      for (size_t i = 0; i < count; i++) {
         write_test(&tests[i], request.file);
      }
      *code = driver_host_run(mesa, tests[0].shader != NULL ? MESA_VULKAN : MESA_OPENCL, device, &request, &answer);
   }
   driver_request_finish(&request);
   const struct device_report *report = &answer.report;
   const bool broken = *code != EXIT_OK || report->faults > 0 || report->soft_faults > 0 || report->findings > 0;
   if (*code == EXIT_OK && (!broken || count == 1) && !read_answers(&answer, tests, count)) {
      *code = complain(EXIT_FAILED, "out of memory");
   }
   if (broken && count == 1 && *code != EXIT_ABORTED) {
      tests[0].verdict = *code != EXIT_OK ? BATCH_CRASH : BATCH_FAULT;
      snprintf(tests[0].why, sizeof(tests[0].why), "%s",
               *code != EXIT_OK ? "the driver crashed, or did not end"
                                : "the device reports a fault or a finding of its checks");
      *code = EXIT_OK;
   }
   driver_answer_finish(&answer);
   return !broken || count == 1 || *code == EXIT_ABORTED;
}

static int run_scenes(const struct mesa *mesa, const char *device, struct batch_test *tests, size_t count)
{
   int code = EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < count; i++) {
      code = interrupt_requested() ? complain(EXIT_ABORTED, "interrupted") : driver_scene_run(mesa, device, &tests[i]);
   }
   return code;
}

int driver_batch_run(const char *which, const char *device, struct batch_test *tests, size_t count)
{
   struct mesa mesa;
   int code = EXIT_OK;
   mesa_describe(which, &mesa);
   if (count > 0 && tests[0].scene != NULL) {
      return run_scenes(&mesa, device, tests, count);
   }
   const bool together = count > 0 && tests[0].shader == NULL; /* the host of Vulkan takes one source */
   if (count > 0 && (!together || !run(&mesa, device, tests, count, &code))) {
      code = EXIT_OK;
      for (size_t i = 0; code == EXIT_OK && i < count && !interrupt_requested(); i++) {
         (void)run(&mesa, device, &tests[i], 1, &code);
      }
   }
   return code == EXIT_OK && interrupt_requested() ? complain(EXIT_ABORTED, "interrupted") : code;
}
