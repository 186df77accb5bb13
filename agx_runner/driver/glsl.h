/* SPDX-License-Identifier: MIT
 *
 * GLSL to SPIR-V of Vulkan, by the distribution's glslang, and SPIR-V's assembly by spirv-as.
 */
#ifndef AGX_RUNNER_DRIVER_GLSL_H
#define AGX_RUNNER_DRIVER_GLSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compiles the compute shader of that file. Prints glslang's messages; returns an enum exit_code. free() *words. */
int driver_glsl_compile(const char *path, uint8_t **words, size_t *size);

/* A shader that is no file. */
struct driver_text {
   const char *path, *text; /* path: for messages */
   bool assembly;           /* SPIR-V's; GLSL otherwise */
   const char *environment; /* as the tools' --target-env takes it; "": a default */
};
/* Compiles it. 0, or a negative errno with one line "PATH:LINE: what is wrong" in why. free() *words. */
int driver_text_compile(const struct driver_text *source, uint8_t **words, size_t *size, char *why, size_t why_size);

#endif
