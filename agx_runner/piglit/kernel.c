/* SPDX-License-Identifier: MIT
 *
 * One test: creates its buffers, runs its kernel, and compares its outputs.
 */
#include "agx_runner/piglit/kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agx_runner/program/check_reports.h"
#include "agx_runner/program/postmortem.h"
#include "agx_runner/piglit/format/compare.h"
#include "agx_runner/piglit/offer.h"
#include "isa/program.h"

/* Initial content of buffers that the test does not fill: no test expects it by chance, unlike zeros. */
#define UNWRITTEN 0xcd
/* The largest type's size, so a local argument is aligned for any (OpenCL C 6.1.5: double16, 128 bytes). */
#define LOCAL_ALIGNMENT 128
/* A group of this size runs whatever the number of registers (with 256 half registers, 384 threads run). */
#define CHOSEN_GROUP 256
/* Piglit passes a NULL buffer as clSetKernelArg(index, sizeof(cl_mem), NULL), so a local argument has at least this
 * size. */
#define NULL_BUFFER_BYTES 8

/* An argument of the launch; those that the test does not mention are not set. */
struct slot {
   struct asahi_buffer *buffer;
   bool set;
};

struct launch {
   const struct piglit_run *run;
   const struct agx_program *program;
   struct slot *slots;
   uint8_t *arguments; /* the argument block */
   uint32_t local_bytes;
   char *reason;
   size_t reason_size;
};

__attribute__((format(printf, 2, 3))) static enum piglit_status fail(struct launch *launch, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(launch->reason, launch->reason_size, format, arguments);
   va_end(arguments);
   return PIGLIT_FAIL;
}

static enum piglit_status device_fail(struct launch *launch, const char *what)
{
   return fail(launch, "%s: %s", what, asahi_device_error(launch->run->device));
}

static enum piglit_status set_bytes(struct launch *launch, uint32_t index, const void *bytes, size_t size)
{
   const struct agx_argument *argument = &launch->program->arguments[index];

   if (size != argument->size) {
      return fail(launch, "argument %u (%s): the test gives %zu bytes, the kernel takes %u", index, argument->type,
                  size, argument->size);
   }
   memcpy(launch->arguments + argument->offset, bytes, size);
   launch->slots[index].set = true;
   return PIGLIT_PASS;
}

/* A pointer to threadgroup memory is a byte offset; local arguments follow the kernel's own local variables. */
static enum piglit_status set_local(struct launch *launch, uint32_t index, size_t size)
{
   const struct agx_argument *argument = &launch->program->arguments[index];
   uint64_t end = (uint64_t)launch->program->threadgroup_bytes + launch->local_bytes;
   uint64_t address = (end + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;

   if (size < NULL_BUFFER_BYTES) {
      size = NULL_BUFFER_BYTES;
   }
   end = address + size;
   if (end > UINT32_MAX || argument->size > sizeof(address)) {
      return fail(launch, "argument %u: %zu bytes of local memory", index, size);
   }
   memcpy(launch->arguments + argument->offset, &address, argument->size);
   launch->local_bytes = (uint32_t)end - launch->program->threadgroup_bytes;
   launch->slots[index].set = true;
   return PIGLIT_PASS;
}

/* data NULL: the buffer gets no initial data. */
static enum piglit_status set_buffer(struct launch *launch, const struct piglit_argument *argument, const uint8_t *data)
{
   struct slot *slot = &launch->slots[argument->index];

   if (asahi_buffer_create(launch->run->device, argument->size, &slot->buffer) < 0) {
      return device_fail(launch, "a buffer of an argument");
   }
   if (data != NULL) {
      memcpy(asahi_buffer_map(slot->buffer), data, argument->size);
   } else {
      memset(asahi_buffer_map(slot->buffer), UNWRITTEN, argument->size);
   }
   char name[AGX_BUFFER_NAME];
   agx_program_buffer_name(launch->program, argument->index, name);
   asahi_buffer_name(launch->run->device, slot->buffer, name);
   uint64_t address = asahi_buffer_address(slot->buffer);
   return set_bytes(launch, argument->index, &address, sizeof(address));
}

static const char *const kind_names[] = {
    [AGX_ARGUMENT_BUFFER] = "a global or constant pointer",
    [AGX_ARGUMENT_LOCAL] = "a local pointer",
    [AGX_ARGUMENT_VALUE] = "a value",
    [AGX_ARGUMENT_IMAGE] = "an image",
    [AGX_ARGUMENT_SAMPLER] = "a sampler",
};

static enum piglit_status set_argument(struct launch *launch, const struct piglit_argument *argument, bool in)
{
   static const uint64_t null = 0;

   if (argument->index >= launch->program->argument_count) {
      return fail(launch, "argument %u: the kernel has %zu arguments", argument->index,
                  launch->program->argument_count);
   }
   uint32_t kind = launch->program->arguments[argument->index].kind;
   if (kind == AGX_ARGUMENT_LOCAL && in && argument->data == NULL) {
      return set_local(launch, argument->index, argument->size);
   }
   if (kind == AGX_ARGUMENT_BUFFER && argument->kind == PIGLIT_BUFFER) {
      return in && argument->data == NULL ? set_bytes(launch, argument->index, &null, sizeof(null))
                                          : set_buffer(launch, argument, in ? argument->data : NULL);
   }
   if (kind == AGX_ARGUMENT_VALUE && argument->kind == PIGLIT_VALUE && argument->data != NULL) {
      return set_bytes(launch, argument->index, argument->data, argument->size);
   }
   return fail(launch, "argument %u: what the test gives does not suit %s", argument->index, kind_names[kind]);
}

static enum piglit_status set_arguments(struct launch *launch, const struct piglit_test *test)
{
   enum piglit_status status = PIGLIT_PASS;

   for (size_t i = 0; i < test->in.count && status == PIGLIT_PASS; i++) {
      status = set_argument(launch, &test->in.list[i], true);
   }
   for (size_t i = 0; i < test->out.count && status == PIGLIT_PASS; i++) {
      const struct piglit_argument *argument = &test->out.list[i];
      if (argument->index >= launch->program->argument_count || !launch->slots[argument->index].set) {
         status = set_argument(launch, argument, false);
      }
   }
   for (size_t i = 0; i < launch->program->argument_count && status == PIGLIT_PASS; i++) {
      if (!launch->slots[i].set) {
         status = fail(launch, "argument %zu is not given by the test", i);
      }
   }
   return status;
}

/* Returns the largest size that divides the grid into equal groups. */
static uint32_t choose_group(uint32_t threads)
{
   uint32_t group = threads < CHOSEN_GROUP ? threads : CHOSEN_GROUP;

   while (threads % group != 0) {
      group--;
   }
   return group;
}

static void choose_groups(struct launch *launch, struct asahi_dispatch *dispatch)
{
   for (unsigned i = 0; i < 3; i++) {
      uint32_t required = launch->program->workgroup_size[i];
      dispatch->group[i] = required != 0 ? required : i == 0 ? choose_group(dispatch->grid[0]) : 1;
   }
}

static enum piglit_status set_grid(struct launch *launch, const struct piglit_launch *wanted,
                                   struct asahi_dispatch *dispatch)
{
   dispatch->work_dim = wanted->dimensions;
   for (unsigned i = 0; i < 3; i++) {
      uint64_t size = i < wanted->dimensions ? wanted->global_size[i] : 1;
      uint64_t offset = i < wanted->dimensions ? wanted->global_offset[i] : 0;
      if (size == 0 || size > UINT32_MAX || offset > UINT32_MAX) {
         return fail(launch, "global size %llu with offset %llu in dimension %u", (unsigned long long)size,
                     (unsigned long long)offset, i);
      }
      dispatch->grid[i] = (uint32_t)size;
      dispatch->global_offset[i] = (uint32_t)offset;
      dispatch->group[i] = i < wanted->dimensions ? (uint32_t)wanted->local_size[i] : 1;
   }
   if (wanted->local_size_null) {
      choose_groups(launch, dispatch);
   }
   for (unsigned i = 0; i < 3; i++) {
      uint32_t required = launch->program->workgroup_size[i];
      if (dispatch->group[i] == 0 || dispatch->grid[i] % dispatch->group[i] != 0 ||
          (required != 0 && required != dispatch->group[i])) {
         return fail(launch, "local size %u in dimension %u: the global size is %u, the kernel requires %u (0: any)",
                     dispatch->group[i], i, dispatch->grid[i], required);
      }
   }
   return PIGLIT_PASS;
}

/* Piglit checks all three sizes, whatever the number of dimensions. */
bool piglit_group_fits(const struct piglit_launch *wanted)
{
   uint64_t threads = 1;

   for (unsigned i = 0; i < 3; i++) {
      if (wanted->local_size[i] > PIGLIT_MAX_GROUP) {
         return false;
      }
      threads *= wanted->local_size[i] > 0 ? wanted->local_size[i] : 1;
   }
   return threads <= PIGLIT_MAX_GROUP;
}

static enum piglit_status dispatch_kernel(struct launch *launch, const struct piglit_test *test,
                                          const struct piglit_sink *sink)
{
   struct asahi_dispatch dispatch = {
       .arguments = launch->arguments,
       .argument_bytes = launch->program->argument_bytes,
       .extra_threadgroup_bytes = launch->local_bytes,
   };
   enum piglit_status status = set_grid(launch, &test->launch, &dispatch);

   if (status != PIGLIT_PASS) {
      return status;
   }
   if (asahi_program_upload(launch->run->device, launch->program, &dispatch.program) < 0) {
      return device_fail(launch, "uploading the kernel");
   }
   const int error = asahi_run(launch->run->device, &dispatch, 1, launch->run->timeout_ns, NULL);
   if (error < 0) {
      status = device_fail(launch, "running the kernel");
      postmortem_each(launch->run->device, error, launch->program, NULL, sink->print, sink->data);
      if (launch->run->device_failed != NULL) {
         *launch->run->device_failed = true;
      }
   }
   asahi_program_destroy(launch->run->device, dispatch.program);
   return status;
}

static enum piglit_status check_outputs(struct launch *launch, const struct piglit_test *test,
                                        const struct piglit_sink *sink)
{
   enum piglit_status status = PIGLIT_PASS;
   bool expect_fail = test->launch.expect_test_fail;
   char line[512], difference[384];

   sink->print(sink->data, "Validating results...");
   for (size_t i = 0; i < test->out.count; i++) {
      const struct piglit_argument *expected = &test->out.list[i];
      const void *got = asahi_buffer_map(launch->slots[expected->index].buffer);
      bool same = piglit_compare(expected, got, difference, sizeof(difference));
      if (!same) {
         sink->print(sink->data, difference);
      }
      snprintf(line, sizeof(line), " Argument %u: %s%s", expected->index, same ? "PASS" : "FAIL",
               !expect_fail ? ""
               : same       ? " (not expected)"
                            : " (expected)");
      sink->print(sink->data, line);
      if (same == expect_fail && status == PIGLIT_PASS) {
         status = fail(launch, "%s", same ? "the outputs are right, which the test does not expect" : difference);
      }
   }
   return status;
}

/* Prints a checksum of all memory that the kernel could write, to compare two runs. */
static void print_memory(const struct launch *launch, const struct piglit_sink *sink)
{
   char line[64];
   uint64_t hash = 0;

   for (size_t i = 0; i < launch->program->argument_count; i++) {
      struct asahi_buffer *buffer = launch->slots[i].buffer;
      if (buffer != NULL) {
         hash = XXH3_64bits_withSeed(asahi_buffer_map(buffer), asahi_buffer_size(buffer), hash);
      }
   }
   snprintf(line, sizeof(line), "Memory hash: %016" PRIx64, hash);
   sink->print(sink->data, line);
}

struct findings {
   struct launch *launch;
   const struct piglit_sink *sink;
   bool any;
};

static void found(void *data, const char *text)
{
   struct findings *findings = data;

   findings->sink->print(findings->sink->data, text);
   if (!findings->any) {
      (void)fail(findings->launch, "%s", text);
   }
   findings->any = true;
}

/* A finding of the device's checks is a failure, whatever the outputs are. */
static enum piglit_status check_findings(struct launch *launch, const struct piglit_sink *sink)
{
   struct findings findings = {.launch = launch, .sink = sink};

   check_reports_each(launch->run->device, launch->program, found, &findings);
   return findings.any ? PIGLIT_FAIL : PIGLIT_PASS;
}

static enum piglit_status run_prepared(struct launch *launch, const struct piglit_test *test,
                                       const struct piglit_sink *sink)
{
   sink->print(sink->data, "Setting kernel arguments...");
   enum piglit_status status = set_arguments(launch, test);
   if (status == PIGLIT_PASS) {
      sink->print(sink->data, "Running the kernel...");
      check_reports_forget(launch->run->device);
      status = dispatch_kernel(launch, test, sink);
   }
   if (status == PIGLIT_PASS) {
      print_memory(launch, sink);
      status = check_outputs(launch, test, sink);
   }
   if (status == PIGLIT_PASS) {
      status = check_findings(launch, sink);
   }
   return status;
}

enum piglit_status piglit_run_kernel(const struct piglit_run *run, const struct agx_program *program,
                                     const struct piglit_test *test, const struct piglit_sink *sink, char *reason,
                                     size_t reason_size)
{
   struct launch launch = {.run = run, .program = program, .reason = reason, .reason_size = reason_size};
   enum piglit_status status;

   launch.slots = calloc(program->argument_count + 1, sizeof(*launch.slots));
   launch.arguments = calloc(program->argument_bytes + 1, 1);
   if (launch.slots == NULL || launch.arguments == NULL) {
      status = fail(&launch, "out of memory");
   } else {
      status = run_prepared(&launch, test, sink);
   }
   for (size_t i = 0; launch.slots != NULL && i < program->argument_count; i++) {
      asahi_buffer_destroy(run->device, launch.slots[i].buffer);
   }
   free(launch.slots);
   free(launch.arguments);
   return status;
}
