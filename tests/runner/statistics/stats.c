/* SPDX-License-Identifier: MIT
 *
 * Medians by hand; intervals against the ranks of the sign test, and against how often they hold the true median.
 */
#include "agx_runner/statistics/clock_states.h"
#include "agx_runner/statistics/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/random.h"
#include "tests/check.h"

static void test_median(void)
{
   double odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, one[] = {7};

   CHECK(stats_median(odd, 5) == 3, "of 5 1 4 2 3");
   CHECK(stats_median(even, 4) == 2.5, "of 4 1 3 2");
   CHECK(stats_median(one, 1) == 7, "of 7");
}

/* Ranks, from 1, of the lower end: those of the usual tables of the sign test, two-sided at 5 %. */
static void test_ranks(void)
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
      CHECK(stats_interval(values, n, &interval) == 0, "n %u", n);
      CHECK(interval.median == (n + 1) / 2.0, "n %u: %g", n, interval.median);
      CHECK(interval.low == low, "n %u: low %g, not %u", n, interval.low, low);
      CHECK(interval.high == n + 1 - low, "n %u: high %g, not %u", n, interval.high, n + 1 - low);
   }
}

/* Errors of 3 and 4 are 5 together. */
static void test_widen(void)
{
   struct stats_interval interval = {.median = 10, .low = 7, .high = 10};

   stats_widen(&interval, 4);
   CHECK(interval.low == 5 && interval.median == 10 && interval.high == 14, "%g to %g", interval.low, interval.high);
}

/* The interval holds the true median at least 95 times in 100, also where samples are lopsided, as another client's
 * work makes them. The percentile bootstrap of 21 or 33 samples does so 92 times. */
static void test_coverage(unsigned samples)
{
   enum { RUNS = 20000 };
   struct util_random random = {20};
   unsigned held = 0;

   for (unsigned run = 0; run < RUNS; run++) {
      struct stats_interval interval;
      double values[100];

      for (unsigned i = 0; i < samples; i++) {
         values[i] = -log(1 - util_random_unit(&random)); /* exponentially distributed: its median is log 2 */
      }
      CHECK(stats_interval(values, samples, &interval) == 0, "run %u", run);
      held += interval.low <= 0.69314718055994531 && interval.high >= 0.69314718055994531;
   }
   /* Less three standard deviations of the count: 0.15 % each. */
   CHECK(held >= RUNS * 9454 / 10000 && held <= RUNS * 98 / 100, "n %u: held %u of %u", samples, held, (unsigned)RUNS);
}

static void test_random(void)
{
   /* splitmix64's first output for seed 0, as its author publishes it. */
   struct util_random random = {0};
   unsigned counts[6] = {0};

   CHECK(util_random_next(&random) == 0xe220a8397b1dcdafu, "splitmix64 of 0");
   for (unsigned i = 0; i < 60000; i++) {
      const uint32_t value = util_random_below(&random, 6);

      CHECK(value < 6, "%u", value);
      counts[value % 6]++;
   }
   for (unsigned i = 0; i < 6; i++) {
      CHECK(counts[i] > 9600 && counts[i] < 10400, "%u: %u of 60000", i, counts[i]);
   }
}

static void test_clock_states(void)
{
   static const struct {
      double mhz[8]; /* up to the first 0 */
      const char *states;
   } rows[] = {
       {{101, 200, 100, 203, 102}, "101 MHz (3 samples), 202 MHz (2)"},
       {{924, 396, 528, 924, 528, 396, 923}, "396 MHz (2 samples), 528 MHz (2), 924 MHz (3)"},
       {{396, 924, 528, 924, 396}, "396 MHz (2 samples), 528 MHz (1), 924 MHz (2)"},
       {{396, 924, 528, 924, 528}, "396 MHz (1 sample), 528 MHz (2), 924 MHz (2)"},
       {{100, 101, 102, 103, 104, 105}, ""},       /* one group */
       {{100, 101, 102, 200}, ""},                 /* a group of one */
       {{100, 150, 200, 250, 310, 360}, ""},       /* all groups of one */
       {{100, 101.9, 103.8, 106.1, 108, 110}, ""}, /* a gap no wider than the groups beside it */
       {{0}, ""},
   };

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      double clocks[8];
      size_t count = 0;
      char text[80];

      while (count < 8 && rows[i].mhz[count] > 0) {
         clocks[count] = rows[i].mhz[count] * 1e6;
         count++;
      }
      CHECK(clock_states_name(clocks, count, text, sizeof(text)) == 0 && !strcmp(text, rows[i].states),
            "row %zu: '%s', not '%s'", i, text, rows[i].states);
   }

   /* Rates of two states, by 2 % about 10 and about 16: the difference between the states goes. */
   const double clocks[] = {396e6, 924e6, 396.1e6, 923.9e6, 396e6, 924e6};
   double rates[] = {9.8, 16, 10, 16.32, 10.2, 15.68};
   const double expected[] = {0.98, 1, 1, 1.02, 1.02, 0.98};
   CHECK(clock_states_divide_out(clocks, rates, 6) == 0, "no memory");
   for (unsigned i = 0; i < 6; i++) {
      CHECK(fabs(rates[i] - expected[i]) < 1e-12, "%u: %g, not %g", i, rates[i], expected[i]);
   }
}

int main(void)
{
   struct stats_interval interval;
   const double same[] = {2, 2, 2, 2, 2, 2, 2, 2, 2};

   test_median();
   test_random();
   test_clock_states();
   test_widen();
   test_ranks();
   test_coverage(9);
   test_coverage(21);
   test_coverage(33);
   test_coverage(36);
   test_coverage(100);
   CHECK(stats_interval(same, 9, &interval) == 0 && interval.low == 2 && interval.high == 2, "no spread");
   return check_result();
}
