/* SPDX-License-Identifier: MIT
 *
 * sweep memory: the latency of a load by the size of the ring that it traverses, and the caches that this reveals.
 */
#ifndef AGX_RUNNER_SWEEP_MEMORY_H
#define AGX_RUNNER_SWEEP_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/runs/run_settings.h"

struct sweep_memory_options {
   bool full;        /* rings up to 256 MiB, otherwise 32 */
   FILE *csv;        /* NULL: no table */
   FILE *fit;        /* NULL: levels are not searched */
   const char *plot; /* file that gnuplot draws; NULL: none */
};

/* Prints messages; returns an enum exit_code. */
int sweep_memory(const struct run_settings *settings, const struct sweep_memory_options *options);

#endif
