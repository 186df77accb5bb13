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

#include "agx_runner/fuzz/opencl/pocl.h"
#include "tests/compiler/check.h"

static struct ocl_program program;
static struct ocl_outputs expected, found;

static void compare(unsigned long seed)
{
   for (uint32_t i = 0; i < program.outputs; i++) {
      const struct ocl_type type = program.output_type[i];
      for (uint32_t j = 0; j < program.lanes * type.width; j++) {
         const uint64_t right = expected.value[i][j / type.width][j % type.width];
         const uint64_t other = found.value[i][j / type.width][j % type.width];
         if (ocl_argument_used(&program, OCL_OUTPUT, i) && right != other) {
            printf("seed %lu, out%u, lane %u, component %u: reference 0x%" PRIx64 ", PoCL 0x%" PRIx64 "\n", seed, i,
                   j / type.width, j % type.width, right, other);
            check_failures++;
            return;
         }
      }
   }
}

int main(int argc, char **argv)
{
   const unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
   const unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;
   unsigned long ran = 0;
   char why[160];

   for (unsigned long seed = first; seed < first + count; seed++) {
      ocl_generate(&program, seed);
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
   return check_failures != 0;
}
