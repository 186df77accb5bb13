/* SPDX-License-Identifier: MIT
 *
 * What a handful of samples says: the median, and how sure it is.
 */
#ifndef AGX_RUNNER_STATS_H
#define AGX_RUNNER_STATS_H

#include <stddef.h>

#include "agx_runner/statistics/order.h"

struct stats_interval {
   double median, low, high;
};

/* Sorts `values`. count >= 1. */
double stats_median(double *values, size_t count);

/* The same of values that are sorted. */
double stats_median_sorted(const double *values, size_t count);

/* The median and its 95 % interval by the bootstrap (bootstrap.h). count >= 1. 0, or -ENOMEM. */
int stats_interval(const double *values, size_t count, struct stats_interval *interval);

#endif
