/* SPDX-License-Identifier: MIT
 *
 * 95 % intervals of ratios of medians by the percentile bootstrap.
 */
#ifndef AGX_RUNNER_BOOTSTRAP_H
#define AGX_RUNNER_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

/* The possible medians of a resampling of this number of values, with their probabilities. The table depends on the
 * count alone and is kept from call to call. Zero at first; bootstrap_medians_finish() frees it. */
struct bootstrap_outcome {
   uint32_t first, second; /* the median is the mean of these two sorted values, which may be the same one */
   double chance;
};
struct bootstrap_medians {
   size_t samples, count, room;
   struct bootstrap_outcome *outcomes;
};
void bootstrap_medians_finish(struct bootstrap_medians *medians);

/* Finds the interval of the median of b over the median of a; both are sorted and more than 0. Returns 0 or -ENOMEM. */
int bootstrap_ratio(const double *a, size_t a_count, const double *b, size_t b_count,
                    struct bootstrap_medians tables[2], double *low, double *high);

#endif
