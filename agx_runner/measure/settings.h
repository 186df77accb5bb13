/* SPDX-License-Identifier: MIT
 *
 * The settings of a measurement that a user can choose.
 */
#ifndef AGX_RUNNER_MEASURE_SETTINGS_H
#define AGX_RUNNER_MEASURE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct benchmark_pair;

enum measure_clock {
   MEASURE_CLOCK_AUTO,    /* the model's clock if there is one, otherwise inferred */
   MEASURE_CLOCK_INFER,   /* inferred beside each sample */
   MEASURE_CLOCK_NOMINAL, /* the highest clock that the kernel reports, assumed to be constant */
};

struct measure_settings {
   uint32_t samples; /* least number of samples */
   double precision; /* sampling goes on until half of the interval is within this part of the figure; 0: not asked */
   uint64_t seed;
   enum measure_clock clock;
   double ffma_cycles;        /* cycles of an FFMA, from which the clock is inferred; 0: RESULT_FFMA_CYCLES */
   struct progress *progress; /* may be NULL */
   /* Called for each timed figure that has passed, while its memory and programs exist. NULL: no call. */
   void (*after)(void *data, struct benchmark_pair *pair);
   void *after_data;
};

#endif
