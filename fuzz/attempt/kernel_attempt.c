/* SPDX-License-Identifier: MIT
 *
 * Runs one generated kernel in OpenCL C. Invariant: each buffer argument is a part of one buffer, which holds the same
 * bytes before each run; a vector of three is stored as three numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/attempt/attempt.h"
#include "fuzz/opencl/kernel_memory.h"
#include "fuzz/attempt/refusal.h"
#include "fuzz/nir/registers.h"

int attempt_run_kernel(struct bench_device *bench, const struct ocl_program *kernel, const struct agx_program *code)
{
   uint8_t *bytes = asahi_buffer_map(bench->arguments);
   uint8_t *block = calloc(1, code->argument_bytes + 8);
   struct asahi_program *uploaded = NULL;
   struct asahi_dispatch dispatch = {.work_dim = 1,
                                     .grid = {kernel->lanes, 1, 1},
                                     .group = {kernel->lanes, 1, 1},
                                     .arguments = block,
                                     .argument_bytes = code->argument_bytes};

   memset(bytes, 0, KERNEL_BUFFER_BYTES);
   kernel_fill_inputs(kernel, bytes + OCL_OUTPUTS * KERNEL_SLOT_BYTES);
   const uint64_t address = asahi_buffer_address(bench->arguments);
   int ret =
       block != NULL && kernel_set_arguments(kernel, code, address, address + OCL_OUTPUTS * KERNEL_SLOT_BYTES, block)
           ? 0
           : -1;
   if (ret == 0) {
      ret = asahi_program_upload(bench->device, code, &uploaded);
   }
   if (ret == 0) {
      dispatch.program = uploaded;
      ret = asahi_run(bench->device, &dispatch, 1, ASAHI_DEFAULT_TIMEOUT_NS, NULL);
   }
   asahi_program_destroy(bench->device, uploaded);
   free(block);
   return ret;
}

/* Takes the output of another device as the right answer. */
static void take_outputs(const struct ocl_program *kernel, const uint8_t *bytes, struct ocl_outputs *outputs)
{
   for (uint32_t i = 0; i < kernel->outputs; i++) {
      kernel_get_output(kernel, i, bytes + i * KERNEL_SLOT_BYTES, outputs->value[i]);
   }
}

static bool differ(const struct ocl_program *kernel, const struct ocl_outputs *expected, const uint8_t *bytes,
                   struct fuzz_difference *difference)
{
   bool stored[OCL_OUTPUTS] = {false};

   for (uint32_t i = 0; i < kernel->count; i++) {
      stored[kernel->nodes[i].slot % OCL_OUTPUTS] |= kernel->nodes[i].kind == OCL_OUTPUT;
   }
   for (uint32_t i = 0; i < kernel->outputs; i++) {
      const struct ocl_type type = kernel->output_type[i];
      const uint8_t *at = bytes + i * KERNEL_SLOT_BYTES;
      for (uint32_t j = 0; stored[i] && j < kernel->lanes * type.width; j++, at += ocl_bits(type.base) / 8) {
         *difference = (struct fuzz_difference){.output = i, .lane = j / type.width, .component = j % type.width};
         difference->found = kernel_get(at, type.base);
         difference->expected = expected->value[i][difference->lane][difference->component];
         if (difference->found != difference->expected) {
            return true;
         }
      }
   }
   return false;
}

int attempt_compile_kernel(const struct ocl_program *kernel, const struct compiler_options *options,
                           struct compiler_result *compiled)
{
   size_t size = 0;
   char *text = ocl_text(kernel, &size), arguments[64];
   struct compiler_options with = *options;
   int ret = -1;

   snprintf(arguments, sizeof(arguments), "%s -w", ocl_build_options(kernel));
   with.arguments = arguments;
   if (text != NULL) {
      fuzz_registers_set(kernel->registers);
      ret = compiler_opencl("fuzz.cl", text, size, &with, compiled);
      fuzz_registers_set(FUZZ_REGISTERS_ALL);
   }
   free(text);
   return ret;
}

/* Reads the reports of checks, with the line of the kernel's source. Lines cost time, so the kernel is compiled with
 * them only if there is a report. Its code is the same. */
static bool checked(struct bench_device *bench, const struct ocl_program *kernel, char *why, size_t size)
{
   struct compiler_result compiled = {0};
   struct compiler_options options = bench->options;

   if (!attempt_checked(bench, NULL, why, size)) {
      return false;
   }
   options.lines = true;
   if (attempt_compile_kernel(kernel, &options, &compiled) == 0 && compiled.count == 1) {
      (void)attempt_checked(bench, compiled.programs[0], why, size);
   }
   compiler_result_finish(&compiled);
   return true;
}

void attempt_kernel(struct bench_device *bench, void *data, struct attempt_result *result)
{
   struct ocl_program *kernel = data;
   struct compiler_result compiled = {0};

   result->why[0] = '\0';
   result->difference = (struct fuzz_difference){0};
   attempt_begin(bench);
   if (!ocl_evaluate(kernel, &result->expected.kernel)) {
      result->verdict = VERDICT_UNDEFINED;
      snprintf(result->why, sizeof(result->why), "the kernel has no end");
      return;
   }
   const int ret = attempt_compile_kernel(kernel, &bench->options, &compiled);
   if (ret != 0 || compiled.count != 1) {
      result->verdict = compiler_result_is_front_end(&compiled) ? VERDICT_REFUSED : VERDICT_UNSUPPORTED;
      refusal_message(compiled.log != NULL ? compiled.log : "out of memory", result->why, sizeof(result->why));
   } else if (attempt_unhandled(bench, result->why, sizeof(result->why))) {
      result->verdict = VERDICT_UNHANDLED;
   } else if (attempt_run_kernel(bench, kernel, compiled.programs[0]) < 0) {
      result->verdict = VERDICT_BROKEN;
      snprintf(result->why, sizeof(result->why), "%.150s", asahi_device_error(bench->device));
   } else if (bench->against != NULL && attempt_run_kernel(bench->against, kernel, compiled.programs[0]) < 0) {
      result->verdict = VERDICT_BROKEN;
      snprintf(result->why, sizeof(result->why), "%.150s", asahi_device_error(bench->against->device));
   } else {
      if (bench->against != NULL) {
         take_outputs(kernel, asahi_buffer_map(bench->against->arguments), &result->expected.kernel);
      }
      const bool different =
          differ(kernel, &result->expected.kernel, asahi_buffer_map(bench->arguments), &result->difference);
      const bool reports = checked(bench, kernel, result->why, sizeof(result->why));
      result->verdict = different ? VERDICT_DIFFERENT : reports ? VERDICT_CHECKED : VERDICT_ALIKE;
   }
   compiler_result_finish(&compiled);
}

struct compilation {
   const struct ocl_program *kernel;
   const struct compiler_options *options;
};

static void compile_again(void *data)
{
   const struct compilation *compilation = data;
   struct compiler_result compiled = {0};

   (void)attempt_compile_kernel(compilation->kernel, compilation->options, &compiled);
   compiler_result_finish(&compiled);
}

/* Computes the bytes that the kernel must store, and which bytes these are. */
static void expect_bytes(const struct ocl_program *kernel, const struct ocl_outputs *outputs, uint8_t *expected,
                         uint8_t *compared)
{
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      const unsigned bytes = ocl_bits(node->type.base) / 8;
      for (uint32_t j = 0; node->kind == OCL_OUTPUT && j < kernel->lanes * node->type.width; j++) {
         const size_t at = node->slot * KERNEL_SLOT_BYTES + j * bytes;
         kernel_put(expected + at, node->type.base,
                    outputs->value[node->slot][j / node->type.width][j % node->type.width]);
         memset(compared + at, 1, bytes);
      }
   }
}

static void blame_compiled(struct ocl_program *kernel, const struct compiler_options *options,
                           const struct agx_program *code, struct fuzz_blame *blame)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   uint8_t *bytes = calloc(2, KERNEL_OUTPUT_BYTES);
   struct kernel_memory memory = {.bytes = NULL};

   if (outputs != NULL && bytes != NULL && ocl_evaluate(kernel, outputs) &&
       kernel_memory_make(&memory, kernel, code, FUZZ_OUTPUT_BASE, FUZZ_INPUT_BASE)) {
      struct compilation compilation = {kernel, options};
      expect_bytes(kernel, outputs, bytes, bytes + KERNEL_OUTPUT_BYTES);
      fuzz_blame_kernel(&(struct fuzz_kernel){.memory = &memory.memory,
                                              .expected = bytes,
                                              .compared = bytes + KERNEL_OUTPUT_BYTES,
                                              .compile = compile_again,
                                              .data = &compilation},
                        blame);
   }
   kernel_memory_finish(&memory);
   free(bytes);
   free(outputs);
}

void attempt_blame_kernel(void *kernel, const struct compiler_options *options, struct fuzz_blame *blame)
{
   struct compiler_result compiled = {0};

   *blame = (struct fuzz_blame){0};
   const bool fine = attempt_compile_kernel(kernel, options, &compiled) == 0 && compiled.count == 1;
   if (fine) {
      blame_compiled(kernel, options, compiled.programs[0], blame);
   }
   blame->done = fine;
   compiler_result_finish(&compiled);
}
