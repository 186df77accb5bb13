/* SPDX-License-Identifier: MIT
 *
 * The rows of metrics.h as a table of data. It adds nothing to the rows.
 */
#include "nir_kernels/metrics.h"

#include <stddef.h>

#define LESS false
#define MORE true

#define COST(id, name_, unit_, better_, timing_, occupancy_, definition_, formula_, expression)                        \
   static double cost_##id(const struct bench_sample *s)                                                               \
   {                                                                                                                   \
      (void)s;                                                                                                         \
      return expression;                                                                                               \
   }
BENCH_METRICS(COST)
#undef COST

const struct bench_metric_info bench_metrics[BENCH_METRIC_COUNT] = {
#define INFO(id, name_, unit_, better_, timing_, occupancy_, definition_, formula_, expression)                        \
   [BENCH_##id] = {.name = name_,                                                                                      \
                   .unit = unit_,                                                                                      \
                   .definition = definition_,                                                                          \
                   .formula = formula_,                                                                                \
                   .more_is_better = better_,                                                                          \
                   .timing = timing_,                                                                                  \
                   .occupancy = occupancy_,                                                                            \
                   .cost = cost_##id},
    BENCH_METRICS(INFO)
#undef INFO
};
