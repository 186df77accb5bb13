/* SPDX-License-Identifier: MIT
 *
 * Do two sets of timings differ, and by how much?
 */
#ifndef AGX_RUNNER_SIGNIFICANCE_H
#define AGX_RUNNER_SIGNIFICANCE_H

#include <stddef.h>

#include "agx_runner/statistics/bootstrap.h"

/* Highest rate of false positives: the share of comparisons of two equal programs that end in "better" or "worse". */
#define SIGNIFICANCE_LEVEL 0.008

/* smaller differences count as none, as a share, unless history says otherwise */
#define SIGNIFICANCE_FLOOR 0.005

struct significance {
   double ratio;     /* median of b over median of a */
   double low, high; /* its 95 % interval, by the computed bootstrap */
   double p;         /* two-sided, Mann and Whitney's */
};

/* Tables that depend on the sample counts alone, kept from one comparison to the next. Zero at first. */
struct significance_work {
   struct bootstrap_medians medians[2];
   double *tails;
   size_t tails_a, tails_b;
};
void significance_work_finish(struct significance_work *work);

/* Samples are more than 0; counts at least 1. Returns 0 or -ENOMEM. */
int significance_of(const double *a, size_t a_count, const double *b, size_t b_count, struct significance_work *work,
                    struct significance *result);

/* Returns the two-sided p of Mann and Whitney's test (1947): exact if there are no ties and few samples, else by the
 * normal approximation with the correction for ties. Both are sorted. NAN: out of memory. */
double significance_mann_whitney(const double *a, size_t a_count, const double *b, size_t b_count,
                                 struct significance_work *work);

enum verdict { VERDICT_BETTER, VERDICT_WORSE, VERDICT_SAME, VERDICT_UNKNOWN, VERDICT_COUNT };
extern const char *const verdict_names[VERDICT_COUNT];

/* `floor`: what the benchmark differs by from run to run, as a share (0.01): a smaller difference is none. Better or
 * worse: the test says that they differ, and the ratio is beyond the floor. The interval, of medians, has no say: it
 * sees less than the test's ranks do, and would miss a tenth of what they find. Same: the whole interval is within the
 * floor. */
enum verdict significance_verdict(const struct significance *significance, double floor, int more_is_better);

#endif
