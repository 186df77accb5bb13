/* SPDX-License-Identifier: MIT
 *
 * fuzz --mesa: generated kernels in OpenCL C through a Mesa's own driver.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_SEARCH_H
#define AGX_RUNNER_DRIVER_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

struct driver_search_settings {
   const char *mesa, *device;
   const char *fuzzer;   /* agx-fuzz, which writes the kernels */
   const char *corpus;   /* folder that keeps the findings; NULL: none */
   uint64_t seed, first; /* as of fuzz */
   uint64_t count;       /* 0: no limit */
   double seconds;       /* 0: no limit */
   bool shrink;          /* findings' kernels are made smaller */
};

/* Searches, and prints the findings. Returns an enum exit_code: EXIT_FAILED when there are some. */
int driver_search(const struct driver_search_settings *settings);

#endif
