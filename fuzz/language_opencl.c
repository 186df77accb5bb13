/* SPDX-License-Identifier: MIT
 *
 * Kernels in OpenCL C. A kernel is completed by the evaluator, which sets its guards.
 */
#include <stdlib.h>

#include "fuzz/language.h"
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

static void try_kernel(struct bench_device *bench, void *program, struct attempt_result *result)
{
   attempt_kernel(bench, program, result);
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

struct caller {
   language_fails *fails;
   void *data;
};

static bool fails(struct ocl_program *kernel, void *data)
{
   const struct caller *caller = data;

   return caller->fails(kernel, caller->data);
}

static void shrink(void *program, const struct fuzz_difference *difference, language_fails *function, void *data)
{
   ocl_shrink(program, difference != NULL ? difference->output : OCL_OUTPUTS, difference != NULL ? difference->lane : 0,
              fails, &(struct caller){function, data});
}

static void blame(void *program, const struct compiler_options *options, struct fuzz_blame *blame)
{
   (void)attempt_blame_kernel(program, options, blame);
}

static void slice(const char *spec, const void *program, const struct fuzz_difference *difference,
                  struct culprits *culprits)
{
   slice_kernel(spec, program, difference, culprits);
}

static void evaluate(void *program, union fuzz_expected *expected)
{
   (void)ocl_evaluate(program, &expected->kernel);
}

static uint32_t outputs(const void *program)
{
   return ((const struct ocl_program *)program)->outputs;
}

static uint32_t *registers(void *program)
{
   return &((struct ocl_program *)program)->registers;
}

static uint32_t size_of(const void *program)
{
   return ocl_size(program);
}

static void shape(const void *program, char *text, size_t size)
{
   ocl_shape(program, text, size);
}

static bool contains(const void *large, const void *small)
{
   return ocl_contains(large, small);
}

/* A kernel is shown as a Piglit test. */
static void print(FILE *file, const void *program, const union fuzz_expected *expected, uint32_t lane)
{
   (void)lane;
   ocl_print_piglit(file, program, &expected->kernel, "found by agx-runner fuzz");
}

static void write_kernel(FILE *file, const void *program, const union fuzz_expected *expected, const char *title)
{
   ocl_print_piglit(file, program, &expected->kernel, title);
}

const struct language language_opencl = {
    .name = "opencl",
    .prefix = "OpenCL C: ",
    .suffix = ".cl",
    .bytes = sizeof(struct ocl_program),
    .generate = generate,
    .attempt = try_kernel,
    .compile = compile,
    .shrink = shrink,
    .blame = blame,
    .slice = slice,
    .evaluate = evaluate,
    .outputs = outputs,
    .registers = registers,
    .size = size_of,
    .shape = shape,
    .contains = contains,
    .print = print,
    .write = write_kernel,
};
