/* SPDX-License-Identifier: MIT
 *
 * Runs one generated kernel in OpenCL C. Invariant: each buffer argument has a part of one buffer, which holds the same
 * bytes before each run; a vector of three lies in it as three numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/fuzz/attempt.h"
#include "agx_runner/fuzz/refusal.h"
#include "compiler/fuzz/memory.h"
#include "compiler/fuzz/registers.h"

#define TIMEOUT_NS UINT64_C(60000000000) /* a busy host may give a virtual device no time for long */
#define SLOT_BYTES (OCL_LANES * OCL_WIDTH * 8u)

static void put(uint8_t *to, uint8_t base, uint64_t value)
{
   for (unsigned i = 0; i < ocl_bits(base) / 8; i++) {
      to[i] = (uint8_t)(value >> 8 * i);
   }
}

static uint64_t get(const uint8_t *from, uint8_t base)
{
   uint64_t value = 0;

   for (unsigned i = 0; i < ocl_bits(base) / 8; i++) {
      value |= (uint64_t)from[i] << 8 * i;
   }
   return value;
}

static void fill_inputs(const struct ocl_program *kernel, uint8_t *bytes)
{
   for (uint32_t i = 0; i < kernel->inputs; i++) {
      const struct ocl_type type = kernel->input_type[i];
      uint8_t *at = bytes + i * SLOT_BYTES;
      for (uint32_t lane = 0; lane < kernel->lanes; lane++) {
         for (unsigned j = 0; j < type.width; j++, at += ocl_bits(type.base) / 8) {
            put(at, type.base, kernel->input[i][lane][j]);
         }
      }
   }
}

/* False: an argument is not one of ocl_print()'s. */
static bool set_arguments(const struct ocl_program *kernel, const struct agx_program *code, uint64_t outputs,
                          uint64_t inputs, uint8_t *block)
{
   for (size_t i = 0; i < code->argument_count; i++) {
      const struct agx_argument *argument = &code->arguments[i];
      const char *digits = argument->name + strcspn(argument->name, "0123456789");
      const unsigned long number = strtoul(digits, NULL, 10);

      if (strncmp(argument->name, "out", 3) == 0 && number < OCL_OUTPUTS) {
         put(block + argument->offset, OCL_ULONG, outputs + number * SLOT_BYTES);
      } else if (strncmp(argument->name, "in", 2) == 0 && number < OCL_INPUTS) {
         put(block + argument->offset, OCL_ULONG, inputs + number * SLOT_BYTES);
      } else if (argument->name[0] == 'a' && number < OCL_SCALARS) {
         put(block + argument->offset, kernel->scalar_type[number].base, kernel->scalar[number]);
      } else {
         return false;
      }
   }
   return true;
}

static int run(struct bench_device *bench, const struct ocl_program *kernel, const struct agx_program *code)
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
   fill_inputs(kernel, bytes + OCL_OUTPUTS * SLOT_BYTES);
   const uint64_t address = asahi_buffer_address(bench->arguments);
   int ret = block != NULL && set_arguments(kernel, code, address, address + OCL_OUTPUTS * SLOT_BYTES, block) ? 0 : -1;
   if (ret == 0) {
      ret = asahi_program_upload(bench->device, code, &uploaded);
   }
   if (ret == 0) {
      dispatch.program = uploaded;
      ret = asahi_run(bench->device, &dispatch, 1, TIMEOUT_NS, NULL);
   }
   asahi_program_destroy(bench->device, uploaded);
   free(block);
   return ret;
}

/* What another device stored is what is right. */
static void take_outputs(const struct ocl_program *kernel, const uint8_t *bytes, struct ocl_outputs *outputs)
{
   for (uint32_t i = 0; i < kernel->outputs; i++) {
      const struct ocl_type type = kernel->output_type[i];
      for (uint32_t j = 0; j < kernel->lanes * type.width; j++) {
         outputs->value[i][j / type.width][j % type.width] =
             get(bytes + i * SLOT_BYTES + j * ocl_bits(type.base) / 8, type.base);
      }
   }
}

static bool differ(const struct ocl_program *kernel, const struct ocl_outputs *expected, const uint8_t *bytes,
                   struct ocl_difference *difference)
{
   bool stored[OCL_OUTPUTS] = {false};

   for (uint32_t i = 0; i < kernel->count; i++) {
      stored[kernel->nodes[i].slot % OCL_OUTPUTS] |= kernel->nodes[i].kind == OCL_OUTPUT;
   }
   for (uint32_t i = 0; i < kernel->outputs; i++) {
      const struct ocl_type type = kernel->output_type[i];
      const uint8_t *at = bytes + i * SLOT_BYTES;
      for (uint32_t j = 0; stored[i] && j < kernel->lanes * type.width; j++, at += ocl_bits(type.base) / 8) {
         *difference = (struct ocl_difference){.output = i, .lane = j / type.width, .component = j % type.width};
         difference->found = get(at, type.base);
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
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);
   char arguments[64];
   struct compiler_options with = *options;
   int ret = -1;

   snprintf(arguments, sizeof(arguments), "%s -w", ocl_build_options(kernel));
   with.arguments = arguments;
   if (file != NULL) {
      ocl_print(file, kernel);
      fclose(file);
      fuzz_registers_set(kernel->registers);
      ret = compiler_opencl("fuzz.cl", text, size, &with, compiled);
      fuzz_registers_set(FUZZ_REGISTERS_ALL);
   }
   free(text);
   return ret;
}

/* What a check reports, with the line of the kernel's source. Lines take time, so that the kernel is compiled with them
 * when there is something to report. Its code is the same. */
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

void attempt_kernel(struct bench_device *bench, struct ocl_program *kernel, struct kernel_result *result)
{
   struct compiler_result compiled = {0};

   result->why[0] = '\0';
   attempt_begin(bench);
   if (!ocl_evaluate(kernel, &result->expected)) {
      result->verdict = VERDICT_UNDEFINED;
      snprintf(result->why, sizeof(result->why), "the kernel has no end");
      return;
   }
   const int ret = attempt_compile_kernel(kernel, &bench->options, &compiled);
   if (ret != 0 || compiled.count != 1) {
      result->verdict = compiled.front_end ? VERDICT_REFUSED : VERDICT_UNSUPPORTED;
      refusal_message(compiled.log != NULL ? compiled.log : "out of memory", result->why, sizeof(result->why));
   } else if (attempt_unhandled(bench, result->why, sizeof(result->why))) {
      result->verdict = VERDICT_UNHANDLED;
   } else if (run(bench, kernel, compiled.programs[0]) < 0) {
      result->verdict = VERDICT_BROKEN;
      snprintf(result->why, sizeof(result->why), "%.150s", asahi_device_error(bench->device));
   } else if (bench->against != NULL && run(bench->against, kernel, compiled.programs[0]) < 0) {
      result->verdict = VERDICT_BROKEN;
      snprintf(result->why, sizeof(result->why), "%.150s", asahi_device_error(bench->against->device));
   } else {
      if (bench->against != NULL) {
         take_outputs(kernel, asahi_buffer_map(bench->against->arguments), &result->expected);
      }
      const bool different = differ(kernel, &result->expected, asahi_buffer_map(bench->arguments), &result->difference);
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

/* The bytes that the kernel must store, and which these are. */
static void expect_bytes(const struct ocl_program *kernel, const struct ocl_outputs *outputs, uint8_t *expected,
                         uint8_t *compared)
{
   for (uint32_t i = 0; i < kernel->count; i++) {
      const struct ocl_node *node = &kernel->nodes[i];
      const unsigned bytes = ocl_bits(node->type.base) / 8;
      for (uint32_t j = 0; node->kind == OCL_OUTPUT && j < kernel->lanes * node->type.width; j++) {
         const size_t at = node->slot * SLOT_BYTES + j * bytes;
         put(expected + at, node->type.base, outputs->value[node->slot][j / node->type.width][j % node->type.width]);
         memset(compared + at, 1, bytes);
      }
   }
}

#define OUTPUT_BYTES (OCL_OUTPUTS * SLOT_BYTES)
#define INPUT_BYTES (OCL_INPUTS * SLOT_BYTES)
#define ARGUMENTS (OCL_OUTPUTS + OCL_INPUTS + OCL_SCALARS)

/* Where the code finds struct agx_dispatch_block. 0: it does not read it; the arguments stand there. */
static uint32_t dispatch_uniform(const struct agx_program *code)
{
   for (size_t i = 0; i < code->uniform_count; i++) {
      if (code->uniforms[i].source == AGX_UNIFORM_DISPATCH) {
         return code->uniforms[i].start;
      }
   }
   return 0;
}

static void blame_compiled(struct ocl_program *kernel, const struct compiler_options *options,
                           const struct agx_program *code, struct fuzz_blame *blame)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   uint8_t *bytes = calloc(1, 2 * OUTPUT_BYTES + INPUT_BYTES + code->argument_bytes + 8);
   uint32_t offsets[ARGUMENTS] = {0};

   if (outputs != NULL && bytes != NULL && code->argument_count <= ARGUMENTS && ocl_evaluate(kernel, outputs) &&
       set_arguments(kernel, code, FUZZ_OUTPUT_BASE, FUZZ_INPUT_BASE, bytes + 2 * OUTPUT_BYTES + INPUT_BYTES)) {
      struct compilation compilation = {kernel, options};
      const struct fuzz_memory memory = {.arguments = bytes + 2 * OUTPUT_BYTES + INPUT_BYTES,
                                         .argument_bytes = code->argument_bytes,
                                         .argument_offset = offsets,
                                         .argument_count = (uint32_t)code->argument_count,
                                         .inputs = bytes + 2 * OUTPUT_BYTES,
                                         .input_bytes = INPUT_BYTES,
                                         .output_bytes = OUTPUT_BYTES,
                                         .lanes = (UINT64_C(1) << kernel->lanes) - 1,
                                         .dispatch_uniform = dispatch_uniform(code)};
      for (size_t i = 0; i < code->argument_count; i++) {
         offsets[i] = code->arguments[i].offset;
      }
      expect_bytes(kernel, outputs, bytes, bytes + OUTPUT_BYTES);
      fill_inputs(kernel, bytes + 2 * OUTPUT_BYTES);
      fuzz_blame_kernel(&(struct fuzz_kernel){.memory = &memory,
                                              .expected = bytes,
                                              .compared = bytes + OUTPUT_BYTES,
                                              .compile = compile_again,
                                              .data = &compilation},
                        blame);
   }
   free(bytes);
   free(outputs);
}

bool attempt_blame_kernel(struct ocl_program *kernel, const struct compiler_options *options, struct fuzz_blame *blame)
{
   struct compiler_result compiled = {0};

   *blame = (struct fuzz_blame){0};
   const bool fine = attempt_compile_kernel(kernel, options, &compiled) == 0 && compiled.count == 1;
   if (fine) {
      blame_compiled(kernel, options, compiled.programs[0], blame);
   }
   compiler_result_finish(&compiled);
   return fine;
}
