/* SPDX-License-Identifier: MIT
 *
 * The median of a few samples, and its uncertainty.
 */
#ifndef AGX_RUNNER_STATS_H
#define AGX_RUNNER_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "agx_runner/statistics/order.h"

struct stats_interval {
   double median, low, high;
};

/* Sorts `values`. count >= 1. */
double stats_median(double *values, size_t count);

/* The same for sorted values. */
double stats_median_sorted(const double *values, size_t count);

/* Finds the median and its 95 % interval: the two samples, as far from the least as from the largest one, between which
 * the true median lies in at least 95 of 100 cases, whatever the distribution. Fewer than 6 samples have no such pair:
 * the interval is then their range. count >= 1. Returns 0 or -ENOMEM. */
int stats_interval(const double *values, size_t count, struct stats_interval *interval);

/* Widens the interval by an error that the samples need not show, whose own 95 % interval is `half` to either side: the
 * two are independent, so their squares are added. */
void stats_widen(struct stats_interval *interval, double half);

#endif
