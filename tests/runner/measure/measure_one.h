/* SPDX-License-Identifier: MIT
 *
 * One figure of one benchmark, for tests. The caller ends the result with result_finish().
 */
#ifndef TESTS_RUNNER_MEASURE_ONE_H
#define TESTS_RUNNER_MEASURE_ONE_H

#include <stdlib.h>

#include "agx_runner/measure/measure.h"

static inline struct result measure_one_with(struct session *session, const struct benchmark *benchmark,
                                             enum bench_metric metric, const struct measure_settings *settings)
{
   struct measure state;
   struct result result;
   char why[240];

   result_init(&result, benchmark->name);
   if (!measure_start(&state, session, settings, why, sizeof(why))) {
      exit(EXIT_FAILURE);
   }
   (void)measure_benchmark(&state, benchmark, metric, &result);
   measure_finish(&state);
   return result;
}

static inline struct result measure_one(struct session *session, const struct benchmark *benchmark,
                                        enum bench_metric metric, unsigned samples)
{
   return measure_one_with(session, benchmark, metric, &(struct measure_settings){.samples = samples, .seed = 1});
}

#endif
