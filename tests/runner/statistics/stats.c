/* SPDX-License-Identifier: MIT
 *
 * Medians by hand; bootstrap intervals against the exact distribution of a resampled median.
 */
#include "agx_runner/statistics/stats.h"

#include <math.h>
#include <stdlib.h>

#include "agx_runner/statistics/random.h"
#include "tests/runner/check.h"

static void test_median(unsigned *failures)
{
   double odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, one[] = {7};

   CHECK(failures, stats_median(odd, 5) == 3, "of 5 1 4 2 3");
   CHECK(failures, stats_median(even, 4) == 2.5, "of 4 1 3 2");
   CHECK(failures, stats_median(one, 1) == 7, "of 7");
}

/* P(at least k of n draws succeed, each with probability p). */
static double binomial_tail(unsigned n, unsigned k, double p)
{
   double sum = 0;

   for (unsigned i = k; i <= n; i++) {
      if (p >= 1) {
         return 1;
      }
      sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) + (n - i) * log1p(-p));
   }
   return sum;
}

/* The rank (from 1) of the p-quantile of the median of n draws with replacement from n distinct values, n odd: the
 * median is at most the r-th value when more than half of the draws are. */
static unsigned quantile_rank(unsigned n, double p)
{
   unsigned rank = 1;

   while (rank < n && binomial_tail(n, n / 2 + 1, (double)rank / n) < p) {
      rank++;
   }
   return rank;
}

static void test_bootstrap(unsigned *failures, unsigned n)
{
   struct stats_interval interval;
   double values[99];

   /* The value is its rank, in scrambled order. */
   for (unsigned i = 0; i < n; i++) {
      values[i] = (double)((i * 4 + 1) % n + 1);
   }
   CHECK(failures, stats_interval(values, n, &interval) == 0, "n %u", n);
   CHECK(failures, interval.median == (n + 1) / 2, "n %u: %g", n, interval.median);
   CHECK(failures, interval.low == quantile_rank(n, 0.025), "n %u: low %g, not %u", n, interval.low,
         quantile_rank(n, 0.025));
   CHECK(failures, interval.high == quantile_rank(n, 0.975), "n %u: high %g, not %u", n, interval.high,
         quantile_rank(n, 0.975));
}

/* An even count, against medians of resamples that are drawn: 4000 of them know a tail of 2.5 % to about 0.25 %. */
static void test_drawn(unsigned *failures, unsigned n)
{
   enum { DRAWN = 4000, LEAST = DRAWN * 17 / 1000, MOST = DRAWN * 33 / 1000 };
   struct random random = {n};
   struct stats_interval interval;
   double values[99], draw[99], medians[DRAWN];

   for (unsigned i = 0; i < n; i++) {
      values[i] = 1 + random_unit(&random);
   }
   for (unsigned i = 0; i < DRAWN; i++) {
      for (unsigned k = 0; k < n; k++) {
         draw[k] = values[random_below(&random, n)];
      }
      medians[i] = stats_median(draw, n);
   }
   qsort(medians, DRAWN, sizeof(medians[0]), stats_compare);
   CHECK(failures, stats_interval(values, n, &interval) == 0, "n %u", n);
   CHECK(failures, interval.low >= medians[LEAST] && interval.low <= medians[MOST], "n %u: low %g", n, interval.low);
   CHECK(failures, interval.high >= medians[DRAWN - MOST] && interval.high <= medians[DRAWN - LEAST], "n %u: high %g",
         n, interval.high);
}

/* Of normal samples, the interval of 15 holds the true median 95 times in 100 or so. */
static void test_coverage(unsigned *failures)
{
   struct random random = {20};
   unsigned held = 0;
   enum { RUNS = 400, SAMPLES = 15 };

   for (unsigned run = 0; run < RUNS; run++) {
      struct stats_interval interval;
      double values[SAMPLES];

      for (unsigned i = 0; i < SAMPLES; i++) {
         values[i] = sqrt(-2 * log(1 - random_unit(&random))) * cos(6.283185307179586 * random_unit(&random));
      }
      CHECK(failures, stats_interval(values, SAMPLES, &interval) == 0, "run %u", run);
      held += interval.low <= 0 && interval.high >= 0;
   }
   CHECK(failures, held >= RUNS * 92 / 100 && held <= RUNS * 99 / 100, "held %u of %u", held, (unsigned)RUNS);
}

static void test_random(unsigned *failures)
{
   /* splitmix64's first output for seed 0, as its author publishes it. */
   struct random random = {0};
   unsigned counts[6] = {0};

   CHECK(failures, random_next(&random) == 0xe220a8397b1dcdafu, "splitmix64 of 0");
   for (unsigned i = 0; i < 60000; i++) {
      const uint32_t value = random_below(&random, 6);

      CHECK(failures, value < 6, "%u", value);
      counts[value % 6]++;
   }
   for (unsigned i = 0; i < 6; i++) {
      CHECK(failures, counts[i] > 9600 && counts[i] < 10400, "%u: %u of 60000", i, counts[i]);
   }
}

int main(void)
{
   unsigned failures = 0;
   struct stats_interval interval;
   const double same[] = {2, 2, 2, 2, 2, 2, 2, 2, 2};

   test_median(&failures);
   test_random(&failures);
   test_bootstrap(&failures, 9);
   test_bootstrap(&failures, 15);
   test_bootstrap(&failures, 99);
   test_coverage(&failures);
   test_drawn(&failures, 10);
   test_drawn(&failures, 24);
   CHECK(&failures, stats_interval(same, 9, &interval) == 0 && interval.low == 2 && interval.high == 2, "no spread");
   return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
