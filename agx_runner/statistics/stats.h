/* SPDX-License-Identifier: MIT
 *
 * What a handful of samples says: the median, and how sure it is.
 */
#ifndef AGX_RUNNER_STATS_H
#define AGX_RUNNER_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats_interval {
   double median, low, high;
};

/* For qsort(): doubles in rising order. */
int stats_compare(const void *a, const void *b);

/* Sorts `values`. count >= 1. */
double stats_median(double *values, size_t count);

/* The median and its 95 % interval by the percentile bootstrap: STATS_RESAMPLES times as many values are drawn with
 * replacement, and of their medians the middle 95 % are the interval. count >= 1. 0, or -ENOMEM. */
#define STATS_RESAMPLES 4000
int stats_bootstrap(const double *values, size_t count, uint64_t seed, struct stats_interval *interval);

#endif
