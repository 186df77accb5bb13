/* SPDX-License-Identifier: MIT
 *
 * sweep memory: the latency of a load by the size of the ring that it goes around, and the caches that this shows.
 */
#ifndef AGX_RUNNER_SWEEP_MEMORY_H
#define AGX_RUNNER_SWEEP_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/process/run_settings.h"

struct sweep_memory_options {
   bool full;        /* rings up to 256 MiB, else 32 */
   FILE *csv;        /* NULL: no table */
   FILE *fit;        /* NULL: no search for the levels */
   const char *plot; /* a file, by gnuplot; NULL: none */
};

/* An enum exit_code; messages are printed. */
int sweep_memory(const struct run_settings *settings, const struct sweep_memory_options *options);

#endif
