/* SPDX-License-Identifier: MIT
 *
 * GLSL to SPIR-V of Vulkan, by the distribution's glslang.
 */
#ifndef AGX_RUNNER_DRIVER_GLSL_H
#define AGX_RUNNER_DRIVER_GLSL_H

#include <stddef.h>
#include <stdint.h>

/* Compiles the compute shader of that file. Prints glslang's messages; returns an enum exit_code. free() *words. */
int driver_glsl_compile(const char *path, uint8_t **words, size_t *size);

#endif
