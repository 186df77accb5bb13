/* SPDX-License-Identifier: MIT
 *
 * Compute shaders in GLSL: kernels of the generator of OpenCL C, narrowed to what GLSL can say. A driver compiles them
 * (fuzz --mesa), since the compiler inside has no front end for them.
 */
#include "fuzz/glsl/glsl.h"
#include "fuzz/language.h"
#include "fuzz/opencl/generate/generate.h"
#include "fuzz/opencl/shrink/shrink.h"

static void generate(void *program, const struct fuzz_settings *settings, uint64_t index, uint64_t seed)
{
   language_opencl.generate(program, settings, index, seed);
   glsl_narrow(program);
}

static bool evaluate(void *program, union fuzz_expected *expected)
{
   glsl_narrow(program); /* the shrinker may have made what GLSL cannot say */
   return ocl_evaluate(program, &expected->kernel);
}

static void write_shader(FILE *file, const void *program, const union fuzz_expected *expected, const char *title)
{
   glsl_print_test(file, program, &expected->kernel, title);
}

const struct language language_glsl = {
    .name = "glsl",
    .title = "GLSL",
    .prefix = "GLSL: ",
    .suffix = ".comp",
    .bytes = sizeof(struct ocl_program),
    .generate = generate,
    .evaluate = evaluate,
    .shrink = ocl_shrink,
    .write = write_shader,
};
