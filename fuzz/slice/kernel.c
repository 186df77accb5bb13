/* SPDX-License-Identifier: MIT
 *
 * Runs a kernel in OpenCL C. Shrinking leaves most kernels one lane: such a kernel is launched many times with other
 * inputs, and each launch is a lane of the slice.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/slice/culprits.h"
#include "fuzz/opencl/kernel_memory.h"

struct kernel_run {
   const struct ocl_program *kernel;
   struct ocl_program varied;
   uint8_t expected[KERNEL_OUTPUT_BYTES], certainty[KERNEL_OUTPUT_BYTES];
};

/* A number for one component: small, of random bits, or the asked one with a bit changed; of a float another lane's, or
 * that with a bit of its mantissa or its sign changed. */
static uint64_t other_number(struct util_random *random, uint8_t base, uint64_t own, uint64_t others)
{
   if (ocl_real(base)) {
      const unsigned bits = ocl_bits(base), mantissa = base == OCL_HALF ? 10 : 23;
      const uint64_t from = util_random_below(random, 2) == 0 ? own : others,
                     bit = util_random_below(random, mantissa + 1);
      return from ^ UINT64_C(1) << (bit == mantissa ? bits - 1 : bit);
   }
   switch (util_random_below(random, 3)) {
   case 0:
      return util_random_below(random, 16);
   case 1:
      return util_random_next(random) & ocl_mask(base);
   default:
      return own ^ UINT64_C(1) << util_random_below(random, ocl_bits(base));
   }
}

static void vary_lane(struct ocl_program *varied, const struct ocl_program *kernel, uint32_t lane, uint32_t asked,
                      struct util_random *random)
{
   for (uint32_t i = 0; i < kernel->inputs; i++) {
      const uint32_t other = (uint32_t)util_random_below(random, kernel->lanes);
      for (uint32_t j = 0; j < kernel->input_type[i].width; j++) {
         varied->input[i][lane][j] =
             other_number(random, kernel->input_type[i].base, kernel->input[i][asked][j], kernel->input[i][other][j]);
      }
   }
   /* all lanes of a launch have the same arguments */
   for (uint32_t i = 0; i < kernel->scalars && kernel->lanes == 1; i++) {
      for (uint32_t j = 0; j < kernel->scalar_type[i].width; j++) {
         varied->scalar[i][j] =
             other_number(random, kernel->scalar_type[i].base, kernel->scalar[i][j], kernel->scalar[i][j]);
      }
   }
}

/* Returns offset and length of a lane's part of an output. */
static uint32_t part_of(const struct ocl_program *kernel, uint32_t output, uint32_t lane, uint32_t *bytes)
{
   const struct ocl_type type = kernel->output_type[output];

   *bytes = ocl_bits(type.base) / 8 * type.width;
   return output * KERNEL_SLOT_BYTES + lane * *bytes;
}

/* Returns the first byte from `start` on that is certainly wrong; `end`: none. */
static uint32_t wrong_byte(const struct kernel_run *run, const uint8_t *found, uint32_t start, uint32_t end)
{
   while (start < end && (run->certainty[start] != FUZZ_EXACT || found[start] == run->expected[start])) {
      start++;
   }
   return start;
}

static bool lane_is_good(const struct kernel_run *run, const uint8_t *found, uint32_t lane)
{
   bool good = true;

   for (uint32_t i = 0; i < run->kernel->outputs; i++) {
      uint32_t bytes;
      const uint32_t start = part_of(run->kernel, i, lane, &bytes);
      good &= wrong_byte(run, found, start, start + bytes) == start + bytes;
   }
   return good;
}

/* Launches the current kernel: its lane 0 is lane `first` of the slice. Returns false if it cannot be followed. */
static bool launch(struct slice_subject *subject, struct kernel_run *run, uint32_t first, struct slice_input *input)
{
   struct bench_device *bench = &subject->bench;
   const uint64_t outputs = asahi_buffer_address(bench->arguments);
   const struct fuzz_watch watch = {
       .at = {.outputs = outputs, .inputs = outputs + KERNEL_OUTPUT_BYTES}, .values = &input->values, .first = first};
   const uint32_t lane = run->kernel->lanes == 1 ? first : TRACE_ALL_LANES;
   struct kernel_memory memory;
   bool followed = false;

   if (!kernel_memory_make(&memory, &run->varied, subject->code, watch.at.outputs, watch.at.inputs)) {
      return false;
   }
   if (fuzz_final_run_memory(subject->final, &memory.memory, &watch, run->expected, run->certainty) &&
       attempt_run_kernel(bench, &run->varied, subject->code) >= 0) {
      followed = trace_add(&input->trace, bench->device, subject->code, lane);
   }
   kernel_memory_finish(&memory);
   const uint8_t *found = asahi_buffer_map(bench->arguments);
   for (uint32_t i = 0; followed && i < run->kernel->lanes; i++) {
      input->good |= lane_is_good(run, found, i) ? UINT64_C(1) << (first + i) : 0;
   }
   return followed;
}

/* The launch with the lane that is asked for. */
static bool launch_asked(struct slice_subject *subject, struct kernel_run *run, struct slice_input *input)
{
   const struct fuzz_difference *difference = subject->difference;
   const uint8_t *found = asahi_buffer_map(subject->bench.arguments);
   uint32_t bytes;
   const uint32_t part = part_of(run->kernel, difference->output, difference->lane, &bytes);
   const uint32_t component = bytes / run->kernel->output_type[difference->output].width;
   const uint32_t start = part + difference->component * component;

   input->launch = 0;
   input->lane = difference->lane;
   if (!launch(subject, run, 0, input)) {
      return false;
   }
   const uint32_t byte = wrong_byte(run, found, start, start + component);
   input->address = asahi_buffer_address(subject->bench.arguments) + byte;
   input->expected = byte < start + component ? run->expected[byte] : 0;
   return byte < start + component;
}

static bool run_kernel(struct slice_subject *subject, uint64_t seed, struct slice_input *input)
{
   const struct fuzz_difference *difference = subject->difference;
   const struct ocl_program *kernel = subject->what;
   struct kernel_run *run = calloc(1, sizeof(*run));
   struct util_random random = {seed};

   if (run == NULL) {
      return false;
   }
   run->kernel = kernel;
   run->varied = *kernel;
   for (uint32_t lane = 0; seed != 0 && lane < kernel->lanes; lane++) {
      if (lane != difference->lane) {
         vary_lane(&run->varied, kernel, lane, difference->lane, &random);
      }
   }
   const bool shown = launch_asked(subject, run, input);
   for (uint32_t lane = 1; shown && kernel->lanes == 1 && seed != 0 && lane < OCL_LANES; lane++) {
      vary_lane(&run->varied, kernel, 0, 0, &random);
      (void)launch(subject, run, lane, input); /* one more lane, or none */
   }
   free(run);
   return shown;
}

static void compile_kernel(void *data)
{
   struct slice_subject *subject = data;

   compiler_result_finish(&subject->compiled);
   (void)attempt_compile_kernel(subject->what, &subject->bench.options, &subject->compiled);
}

void slice_kernel(const char *spec, const void *kernel, const struct fuzz_difference *difference,
                  struct culprits *culprits)
{
   struct slice_subject subject = {
       .what = kernel, .difference = difference, .run = run_kernel, .compile = compile_kernel};

   slice_agree(spec, &subject, culprits);
}
