/* SPDX-License-Identifier: MIT
 *
 * The runs: one program with several inputs. An instruction that is wrong is so in each, so the marks are those that
 * all runs agree on.
 */
#include "agx_runner/fuzz/guilt.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/fuzz/random.h"

#define RUNS 4 /* with other inputs; one more with the program's own */

/* The program with other inputs in all lanes but one. */
static void vary(struct fuzz_program *varied, const struct fuzz_program *program, uint32_t kept, uint64_t seed)
{
   struct fuzz_random random = {seed};

   *varied = *program;
   for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
      const uint64_t how = fuzz_below(&random, 4);
      for (uint32_t input = 0; lane != kept && input < FUZZ_INPUTS; input++) {
         const uint64_t own = program->input[input][kept];
         uint64_t *value = &varied->input[input][lane];
         switch (how == 3 ? fuzz_below(&random, 3) : how) {
         case 0:
            *value = fuzz_below(&random, 16);
            break;
         case 1:
            *value = fuzz_next(&random);
            break;
         default:
            *value = own ^ UINT64_C(1) << fuzz_below(&random, 64);
            break;
         }
      }
   }
}

/* What one run says. False: it does not show the fault, or cannot be followed. */
static bool run_once(struct bench_device *bench, const struct fuzz_program *program,
                     const struct fuzz_difference *difference, struct guilt *guilt)
{
   const struct fuzz_addresses addresses = {asahi_buffer_address(bench->outputs), asahi_buffer_address(bench->inputs),
                                            asahi_buffer_address(bench->memory)};
   struct slice_input *input = calloc(1, sizeof(*input));
   struct compiler_result compiled = {0};
   bool found = false;

   if (input == NULL) {
      return false;
   }
   if (fuzz_compile_values(program, &bench->options, &addresses, &input->expected, &input->values, &compiled) == 0 &&
       compiled.count == 1 && input->values.complete && input->expected.valid && !input->expected.derived &&
       attempt_run(bench, program, compiled.programs[0], &input->found) >= 0 &&
       fuzz_lane_differs(&input->expected, &input->found, difference->output, difference->lane)) {
      input->code = compiled.programs[0];
      input->addresses = addresses;
      input->output = difference->output;
      input->lane = difference->lane;
      found = slice_find(bench->device, input, guilt);
   }
   fuzz_values_finish(&input->values);
   compiler_result_finish(&compiled);
   free(input);
   return found;
}

static void keep_common(struct guilt *guilt, const struct guilt *other)
{
   uint32_t count = 0;

   for (uint32_t i = 0; i < guilt->count; i++) {
      bool both = false;
      for (uint32_t k = 0; k < other->count; k++) {
         both |= other->offset[k] == guilt->offset[i];
      }
      if (both) {
         guilt->offset[count++] = guilt->offset[i];
      }
   }
   guilt->count = count;
}

void guilt_find(const char *spec, const struct fuzz_program *program, const struct fuzz_difference *difference,
                struct guilt *guilt)
{
   struct fuzz_program *varied = malloc(sizeof(*varied));
   struct bench_device bench;
   char traced[512], why[256];
   bool any = false;

   *guilt = (struct guilt){0};
   snprintf(traced, sizeof(traced), "%s,trace", spec);
   if (varied == NULL || bench_device_open(&bench, traced, NULL, why, sizeof(why)) < 0) {
      free(varied);
      return; /* a device without traces: hardware */
   }
   for (unsigned run = 0; run <= RUNS; run++) {
      struct guilt one;
      vary(varied, program, difference->lane, run + 1);
      /* The lanes of a shrunk program often have the same inputs, which says little. */
      if ((run == RUNS && any) || !run_once(&bench, run < RUNS ? varied : program, difference, &one)) {
         continue;
      }
      if (any) {
         keep_common(guilt, &one);
      } else {
         *guilt = one;
      }
      any = true;
   }
   bench_device_close(&bench);
   free(varied);
}
