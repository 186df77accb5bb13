/* SPDX-License-Identifier: MIT
 *
 * Kernels in OpenCL C. A kernel is completed by the evaluator, which sets its guards.
 */
#include <stddef.h>
#include <stdlib.h>

#include "fuzz/language.h"
#include "fuzz/opencl/pocl.h"
#include "fuzz/opencl/shrink/shrink.h"
#include "fuzz/opencl/generate/generate.h"
#include "fuzz/slice/culprits.h"

static void generate(void *program, const struct fuzz_settings *settings, uint64_t index, uint64_t seed)
{
   struct ocl_program *kernel = program;

   (void)index;
   ocl_generate(kernel, seed);
   kernel->unrepaired |= settings->no_repairs;
}

/* The kernel's text depends on the guards. */
static int compile(void *program, const struct compiler_options *options, struct compiler_result *result)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   const int ret =
       outputs != NULL && ocl_evaluate(program, outputs) ? attempt_compile_kernel(program, options, result) : -1;

   free(outputs);
   return ret;
}

static bool evaluate(void *program, union fuzz_expected *expected)
{
   return ocl_evaluate(program, &expected->kernel);
}

/* Whether a value is what the reference says, what the device gave, or neither. */
static const char *side_of(const struct fuzz_difference *difference, uint64_t value)
{
   return value == difference->expected ? "right"
          : value == difference->found  ? "as wrong as the device"
                                        : "a third value";
}

/* PoCL takes longer than all else that is asked of a finding. */
static void run_with_pocl(const void *program, const struct fuzz_difference *difference, char *text, size_t size)
{
   struct ocl_outputs *outputs = calloc(1, sizeof(*outputs));
   char why[100];

   const enum pocl_state state = outputs != NULL ? pocl_run(program, outputs, why, sizeof(why)) : POCL_MISSING;
   if (state == POCL_RAN) {
      const uint64_t value = outputs->value[difference->output][difference->lane][difference->component];
      snprintf(text, size, "%s", side_of(difference, value));
   } else if (outputs != NULL) {
      snprintf(text, size, "not asked: %s", why);
   }
   free(outputs);
}

static void write_kernel(FILE *file, const void *program, const union fuzz_expected *expected, const char *title)
{
   ocl_print_piglit(file, program, &expected->kernel, title);
}

const struct language language_opencl = {
    .name = "opencl",
    .title = "OpenCL C",
    .prefix = "OpenCL C: ",
    .suffix = ".cl",
    .bytes = sizeof(struct ocl_program),
    .generate = generate,
    .attempt = attempt_kernel,
    .compile = compile,
    .shrink = ocl_shrink,
    .blame = attempt_blame_kernel,
    .slice = slice_kernel,
    .evaluate = evaluate,
    .outputs = offsetof(struct ocl_program, outputs),
    .registers = offsetof(struct ocl_program, registers),
    .size = ocl_size,
    .shape = ocl_shape,
    .contains = ocl_contains,
    .second_opinion = run_with_pocl,
    .slow = true, /* the front end starts again in each process */
    .write = write_kernel,
};
