/* SPDX-License-Identifier: MIT
 *
 * GLSL as a language of kernels: a compute shader for Vulkan that does what its twin in OpenCL C does. A shader is a
 * struct ocl_program that has only what GLSL can say.
 */
#ifndef AGX_RUNNER_FUZZ_GLSL_H
#define AGX_RUNNER_FUZZ_GLSL_H

#include "fuzz/opencl/program.h"

/* Replaces what GLSL cannot say, or whose result its rules do not determine, by something of the same type. What GLSL
 * can say stays. Before ocl_evaluate(). */
void glsl_narrow(struct ocl_program *program);

/* Prints the shader. Buffers have the bindings 0.0, 0.1, ... in the order of ocl_list_arguments(); values, too, are
 * buffers. The program is narrowed and evaluated. */
void glsl_print(FILE *file, const struct ocl_program *program);
/* Prints it behind a Piglit test's comment, as ocl_print_piglit(). */
void glsl_print_test(FILE *file, const struct ocl_program *program, const struct ocl_outputs *outputs,
                     const char *title);

#endif
