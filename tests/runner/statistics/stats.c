/* SPDX-License-Identifier: MIT
 *
 * Medians by hand; intervals against the ranks of the sign test, and against how often they hold the true median.
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

/* Ranks, from 1, of the lower end: those of the usual tables of the sign test, two-sided at 5 %. */
static void test_ranks(unsigned *failures)
{
   static const struct {
      unsigned n, low;
   } ranks[] = {{1, 1},  {5, 1},  {6, 1},  {8, 1},  {9, 2},   {10, 2},  {11, 2},  {12, 3},  {15, 4},
                {17, 5}, {18, 5}, {20, 6}, {25, 8}, {30, 10}, {40, 14}, {50, 18}, {100, 40}};

   for (unsigned i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
      const unsigned n = ranks[i].n, low = ranks[i].low;
      struct stats_interval interval;
      double values[100];

      /* The value is its rank, backwards. */
      for (unsigned k = 0; k < n; k++) {
         values[k] = n - k;
      }
      CHECK(failures, stats_interval(values, n, &interval) == 0, "n %u", n);
      CHECK(failures, interval.median == (n + 1) / 2.0, "n %u: %g", n, interval.median);
      CHECK(failures, interval.low == low, "n %u: low %g, not %u", n, interval.low, low);
      CHECK(failures, interval.high == n + 1 - low, "n %u: high %g, not %u", n, interval.high, n + 1 - low);
   }
}

/* Errors of 3 and 4 are 5 together. */
static void test_widen(unsigned *failures)
{
   struct stats_interval interval = {.median = 10, .low = 7, .high = 10};

   stats_widen(&interval, 4);
   CHECK(failures, interval.low == 5 && interval.median == 10 && interval.high == 14, "%g to %g", interval.low,
         interval.high);
}

/* The interval holds the true median at least 95 times in 100, also where samples are lopsided, as another client's
 * work makes them. The percentile bootstrap of 21 or 33 samples does so 92 times. */
static void test_coverage(unsigned *failures, unsigned samples)
{
   enum { RUNS = 20000 };
   struct random random = {20};
   unsigned held = 0;

   for (unsigned run = 0; run < RUNS; run++) {
      struct stats_interval interval;
      double values[100];

      for (unsigned i = 0; i < samples; i++) {
         values[i] = -log(1 - random_unit(&random)); /* exponentially distributed: its median is log 2 */
      }
      CHECK(failures, stats_interval(values, samples, &interval) == 0, "run %u", run);
      held += interval.low <= 0.69314718055994531 && interval.high >= 0.69314718055994531;
   }
   /* Less three standard deviations of the count: 0.15 % each. */
   CHECK(failures, held >= RUNS * 9454 / 10000 && held <= RUNS * 98 / 100, "n %u: held %u of %u", samples, held,
         (unsigned)RUNS);
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

static void test_groups(unsigned *failures)
{
   double apart[] = {101, 200, 100, 203, 102}, close[] = {100, 101, 102, 103, 104, 105}, alone[] = {100, 101, 102, 200},
          wide[] = {100, 150, 200, 250, 310, 360};

   CHECK(failures, stats_two_groups(apart, 5, 0.02) == 3, "100 to 102, 200 and 203");
   CHECK(failures, apart[2] == 102 && apart[3] == 200, "sorted");
   CHECK(failures, stats_two_groups(close, 6, 0.02) == 0, "one group");
   CHECK(failures, stats_two_groups(alone, 4, 0.02) == 0, "a group of one value");
   CHECK(failures, stats_two_groups(wide, 6, 0.02) == 0, "groups wider than their gap");
   CHECK(failures, stats_two_groups(apart, 0, 0.02) == 0, "no value");
}

int main(void)
{
   unsigned failures = 0;
   struct stats_interval interval;
   const double same[] = {2, 2, 2, 2, 2, 2, 2, 2, 2};

   test_median(&failures);
   test_random(&failures);
   test_groups(&failures);
   test_widen(&failures);
   test_ranks(&failures);
   test_coverage(&failures, 9);
   test_coverage(&failures, 21);
   test_coverage(&failures, 33);
   test_coverage(&failures, 36);
   test_coverage(&failures, 100);
   CHECK(&failures, stats_interval(same, 9, &interval) == 0 && interval.low == 2 && interval.high == 2, "no spread");
   return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
