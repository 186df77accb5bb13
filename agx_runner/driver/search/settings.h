/* SPDX-License-Identifier: MIT
 *
 * What the command line asks a search with a Mesa's own driver for.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_SETTINGS_H
#define AGX_RUNNER_DRIVER_SEARCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct driver_search_settings {
   const char *mesa, *device;
   const char *fuzzer;   /* agx-fuzz, which writes the kernels */
   const char *corpus;   /* folder that keeps the findings; NULL: none */
   uint64_t seed, first; /* as of fuzz */
   uint64_t count;       /* 0: no limit */
   double seconds;       /* 0: no limit */
   uint32_t jobs;        /* processes */
   bool shrink;          /* findings' kernels are made smaller */
   bool glsl;            /* shaders in GLSL through Vulkan; else OpenCL C */
};

#endif
