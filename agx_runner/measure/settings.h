/* SPDX-License-Identifier: MIT
 *
 * What a user can choose of measuring.
 */
#ifndef AGX_RUNNER_MEASURE_SETTINGS_H
#define AGX_RUNNER_MEASURE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct benchmark_pair;
struct result;

enum measure_clock {
   MEASURE_CLOCK_AUTO,    /* the model's clock where there is one, else inferred */
   MEASURE_CLOCK_INFER,   /* inferred beside each sample */
   MEASURE_CLOCK_NOMINAL, /* the highest clock that the kernel names, taken for granted */
};

struct measure_settings {
   uint32_t samples; /* at least */
   uint64_t seed;
   enum measure_clock clock;
   double ffma_cycles;        /* that an inferred clock rests on; 0: RESULT_FFMA_CYCLES */
   struct progress *progress; /* may be NULL */
   /* Called with each timed figure that has passed, while its memory and programs are still there. NULL: nothing is. */
   void (*after)(void *data, struct benchmark_pair *pair, struct result *result, bool *lost);
   void *after_data;
};

#endif
