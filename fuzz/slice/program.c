/* SPDX-License-Identifier: MIT
 *
 * Runs one program with several inputs. A wrong instruction is wrong in each run, so the marks are those on which all
 * runs agree.
 */
#include "fuzz/slice/culprits.h"

#include <stdlib.h>
#include <string.h>

#include "util/random.h"

#define RUNS 4 /* with other inputs; there is one more run with the program's own */

static void keep_common(struct culprits *culprits, const struct culprits *other)
{
   uint32_t count = 0;

   for (uint32_t i = 0; i < culprits->count; i++) {
      bool both = false;
      for (uint32_t k = 0; k < other->count; k++) {
         both |= other->offset[k] == culprits->offset[i];
      }
      if (both) {
         culprits->offset[count++] = culprits->offset[i];
      }
   }
   culprits->count = count;
}

static bool run_once(struct slice_subject *subject, uint64_t seed, struct culprits *culprits)
{
   struct slice_input input = {.code = subject->code};
   const bool found = subject->run(subject, seed, &input) && slice_find(&input, culprits);

   slice_input_finish(&input);
   return found;
}

static void agree(struct slice_subject *subject, struct culprits *culprits)
{
   bool any = false;

   for (unsigned run = 0; run <= RUNS; run++) {
      struct culprits one;
      /* the lanes of a shrunk program often have the same inputs, which reveal little */
      if ((run == RUNS && any) || !run_once(subject, run < RUNS ? run + 1 : 0, &one)) {
         continue;
      }
      if (any) {
         keep_common(culprits, &one);
      } else {
         *culprits = one;
      }
      any = true;
   }
}

void slice_agree(const char *spec, struct slice_subject *subject, struct culprits *culprits)
{
   struct fuzz_final *final;
   char traced[512], why[256];

   *culprits = (struct culprits){0};
   snprintf(traced, sizeof(traced), "%s,trace", spec);
   if (bench_device_open(&subject->bench, traced, NULL, why, sizeof(why)) < 0) {
      return; /* a device without traces: hardware */
   }
   final = fuzz_final_make(subject->compile, subject);
   if (final != NULL && subject->compiled.count == 1) {
      subject->final = final;
      subject->code = subject->compiled.programs[0];
      agree(subject, culprits);
   }
   fuzz_final_free(final);
   compiler_result_finish(&subject->compiled);
   bench_device_close(&subject->bench);
}

/* ---- Programs in NIR ---- */

/* The program with other inputs in all lanes but one. */
static void vary(struct fuzz_program *varied, const struct fuzz_program *program, uint32_t asked, uint64_t seed)
{
   struct util_random random = {seed};

   *varied = *program;
   for (uint32_t lane = 0; seed != 0 && lane < FUZZ_LANES; lane++) {
      const uint64_t how = util_random_below(&random, 4);
      for (uint32_t input = 0; lane != asked && input < FUZZ_INPUTS; input++) {
         const uint64_t own = program->input[input][asked];
         uint64_t *value = &varied->input[input][lane];
         switch (how == 3 ? util_random_below(&random, 3) : how) {
         case 0:
            *value = util_random_below(&random, 16);
            break;
         case 1:
            *value = util_random_next(&random);
            break;
         default:
            *value = own ^ UINT64_C(1) << util_random_below(&random, 64);
            break;
         }
      }
   }
}

static const uint8_t *bytes_of(const struct fuzz_outputs *outputs, const struct fuzz_difference *difference)
{
   return difference->output == FUZZ_OUTPUTS ? outputs->memory[difference->lane]
                                             : (const uint8_t *)&outputs->value[difference->output][difference->lane];
}

/* Finds the first wrong byte, and the lanes in which nothing is wrong. */
static void tell_wrong(const struct fuzz_outputs *expected, const struct fuzz_outputs *found,
                       const struct fuzz_difference *difference, const struct fuzz_addresses *addresses,
                       struct slice_input *input)
{
   const uint8_t *right = bytes_of(expected, difference), *wrong = bytes_of(found, difference);
   const bool memory = difference->output == FUZZ_OUTPUTS;
   uint32_t byte = 0;

   while (right[byte] == wrong[byte] && byte + 1 < (memory ? FUZZ_MEMORY : 8)) {
      byte++;
   }
   input->address = memory ? addresses->memory + difference->lane * (uint64_t)FUZZ_MEMORY
                           : addresses->outputs + (difference->output * (uint64_t)FUZZ_LANES + difference->lane) * 8;
   input->address += byte;
   input->expected = right[byte];
   input->lane = difference->lane;
   input->good = UINT64_MAX;
   for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
      for (uint32_t output = 0; output <= FUZZ_OUTPUTS; output++) {
         if (fuzz_lane_differs(expected, found, output, lane)) {
            input->good &= ~(UINT64_C(1) << lane);
         }
      }
   }
}

struct program_run {
   struct fuzz_program varied;
   struct fuzz_outputs expected, found;
};

static bool run_program(struct slice_subject *subject, uint64_t seed, struct slice_input *input)
{
   const struct fuzz_difference *difference = subject->difference;
   struct bench_device *bench = &subject->bench;
   const struct fuzz_addresses addresses = {asahi_buffer_address(bench->outputs), asahi_buffer_address(bench->inputs),
                                            asahi_buffer_address(bench->memory)};
   struct program_run *run = calloc(1, sizeof(*run));
   bool shown = false;

   if (run == NULL) {
      return false;
   }
   vary(&run->varied, subject->what, difference->lane, seed);
   fuzz_final_run(subject->final, &run->varied, &(struct fuzz_watch){addresses, &input->values, 0}, &run->expected);
   if (run->expected.valid && !run->expected.derived &&
       attempt_run(bench, &run->varied, subject->code, &run->found) >= 0 &&
       fuzz_lane_differs(&run->expected, &run->found, difference->output, difference->lane)) {
      tell_wrong(&run->expected, &run->found, difference, &addresses, input);
      shown = trace_add(&input->trace, bench->device, subject->code, TRACE_ALL_LANES);
   }
   free(run);
   return shown;
}

static void compile_program(void *data)
{
   struct slice_subject *subject = data;

   compiler_result_finish(&subject->compiled);
   (void)fuzz_compile(subject->what, &subject->bench.options, NULL, &subject->compiled);
}

void slice_program(const char *spec, const void *program, const struct fuzz_difference *difference,
                   struct culprits *culprits)
{
   struct slice_subject subject = {
       .what = program, .difference = difference, .run = run_program, .compile = compile_program};

   slice_agree(spec, &subject, culprits);
}
