/* SPDX-License-Identifier: MIT
 *
 * PoCL as a second source for the reference of generated kernels: what ocl_evaluate() says, PoCL's CPU device says too.
 * Skipped where PoCL is not installed. PoCL shares clang with the compiler that is tested, but neither libclc's kernel
 * library nor Mesa.
 *
 * Usage: test-fuzz-pocl [FIRST_SEED [COUNT]]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/opencl/pocl.h"
#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/opencl/generate/generate.h"
#include "tests/compiler/programs.h"

#define SHRINK_SECONDS 60

static struct ocl_program program;
static struct ocl_outputs expected, found;

/* The first value that differs. False: none does. */
static bool differs_at(const struct ocl_program *candidate, uint32_t *output, uint32_t *lane, uint32_t *component)
{
   for (uint32_t i = 0; i < candidate->outputs; i++) {
      const struct ocl_type type = candidate->output_type[i];
      for (uint32_t j = 0; ocl_argument_used(candidate, OCL_OUTPUT, i) && j < candidate->lanes * type.width; j++) {
         *output = i;
         *lane = j / type.width;
         *component = j % type.width;
         if (expected.value[i][*lane][*component] != found.value[i][*lane][*component]) {
            return true;
         }
      }
   }
   return false;
}

/* data: the time_t at which the search for a smaller kernel ends; NULL: none. */
static bool differs(void *tried, void *data)
{
   struct ocl_program *candidate = tried;
   uint32_t output, lane, component;
   char why[160];

   return (data == NULL || time(NULL) < *(const time_t *)data) && ocl_evaluate(candidate, &expected) &&
          pocl_run(candidate, &found, why, sizeof(why)) == POCL_RAN &&
          differs_at(candidate, &output, &lane, &component);
}

/* Prints the smallest kernel that differs. */
static void compare(unsigned long seed)
{
   uint32_t output, lane, component;

   if (!differs_at(&program, &output, &lane, &component)) {
      return;
   }
   check_failures++;
   time_t end = time(NULL) + SHRINK_SECONDS;
   ocl_shrink(&program, &(struct fuzz_difference){.output = output, .lane = lane}, differs, &end);
   if (differs(&program, NULL) && differs_at(&program, &output, &lane, &component)) {
      printf("seed %lu, out%u, lane %u, component %u: reference 0x%" PRIx64 ", PoCL 0x%" PRIx64 "\n", seed, output,
             lane, component, expected.value[output][lane][component], found.value[output][lane][component]);
      ocl_print(stdout, &program);
   }
}

int main(int argc, char **argv)
{
   const unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
   const unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;
   unsigned long ran = 0;
   char why[160];

   for (unsigned long seed = first; seed < first + count; seed++) {
      ocl_generate(&program, seed * UINT64_C(0x9e3779b97f4a7c15)); /* the high bits choose, too */
      CHECK(ocl_evaluate(&program, &expected));
      const enum pocl_state state = pocl_run(&program, &found, why, sizeof(why));
      if (state == POCL_MISSING) {
         printf("%s\n", why);
         return 77;
      }
      if (state == POCL_RAN) {
         ran++;
         compare(seed);
      } else {
         printf("seed %lu: %s\n", seed, why);
      }
   }
   printf("%lu of %lu kernels ran\n", ran, count);
   return check_result();
}
