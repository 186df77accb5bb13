/* SPDX-License-Identifier: MIT
 *
 * How often `compare` is wrong: 1,000 comparisons of equal programs, and 1,000 of one that is 3 % slower, with noise
 * made up to look like a machine's. Fails when more than 1 % of the first have a finding, or less than 95 % of the
 * second. 15 samples a side.
 *
 * With Gaussian noise alone no test finds 95 % at 1 % false alarms: what other tests would find stands beside it, and
 * the verdict must come close to them.
 *
 * The noise: jitter (Gaussian); a clock step within the sample, which puts it off by up to 4 % either way (elsewhere
 * the clock is inferred beside each sample and cancels); outliers, when something else had the machine, slower by 10 %
 * on the average. Together 2 % standard deviation.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/random.h"
#include "agx_runner/statistics/significance.h"

#define COMPARISONS 1000
#define SAMPLES 15
#define FLOOR 0.005
#define SLOWER 1.03

struct noise {
   const char *name;
   double jitter, steps, outliers; /* standard deviation; shares of the samples */
   bool counts;
};

static double gaussian(struct util_random *random)
{
   return sqrt(-2 * log(1 - util_random_unit(random))) * cos(2 * M_PI * util_random_unit(random));
}

static double sample(struct util_random *random, const struct noise *noise)
{
   double value = 1 + noise->jitter * gaussian(random);

   if (util_random_unit(random) < noise->steps) {
      value += 0.08 * util_random_unit(random) - 0.04;
   }
   if (util_random_unit(random) < noise->outliers) {
      value += -0.1 * log(1 - util_random_unit(random));
   }
   return value;
}

static void count(struct util_random *random, const struct noise *noise, double slower, struct significance_work *work,
                  unsigned verdicts[VERDICT_COUNT])
{
   for (unsigned i = 0; i < COMPARISONS; i++) {
      double a[SAMPLES], b[SAMPLES];
      struct significance significance;

      for (unsigned s = 0; s < SAMPLES; s++) {
         a[s] = sample(random, noise);
         b[s] = slower * sample(random, noise);
      }
      if (significance_of(a, SAMPLES, b, SAMPLES, work, &significance) == 0) {
         verdicts[significance_verdict(&significance, FLOOR, 0)]++;
      }
   }
}

static double deviation(const struct noise *noise)
{
   struct util_random random = {99};
   double sum = 0, squares = 0;

   for (unsigned i = 0; i < 100000; i++) {
      const double value = sample(&random, noise);

      sum += value;
      squares += value * value;
   }
   return sqrt(squares / 100000 - sum * sum / 1e10);
}

/* ---- What can be found at all ---- */

#define BOUND_COMPARISONS 20000
#define DEVIATION 0.02

/* 1 % two-sided, published: the normal distribution's, and Student's with 28 degrees of freedom. */
#define NORMAL_1_PERCENT 2.5758
#define STUDENT_28_1_PERCENT 2.7633

enum test { TEST_VERDICT, TEST_RANKS, TEST_STUDENT, TEST_KNOWN, TEST_COUNT };
static const char *const test_names[TEST_COUNT] = {
    [TEST_VERDICT] = "compare's: Mann and Whitney's, p below 0.008, and the floor",
    [TEST_RANKS] = "Mann and Whitney's at 1 %, no floor",
    [TEST_STUDENT] = "Student's t at 1 %: the best that is not told the deviation",
    [TEST_KNOWN] = "the means at 1 %, deviation known: the best of all",
};

static int by_value(const void *x, const void *y)
{
   const double a = *(const double *)x, b = *(const double *)y;

   return (a > b) - (a < b);
}

static void summarize(const double *values, double *mean, double *squares)
{
   *mean = *squares = 0;
   for (unsigned i = 0; i < SAMPLES; i++) {
      *mean += values[i] / SAMPLES;
   }
   for (unsigned i = 0; i < SAMPLES; i++) {
      *squares += (values[i] - *mean) * (values[i] - *mean);
   }
}

/* Which tests see a difference; a and b become sorted. */
static void try_tests(double *a, double *b, double slower, struct significance_work *work, unsigned found[TEST_COUNT])
{
   double means[2], squares[2];

   summarize(a, &means[0], &squares[0]);
   summarize(b, &means[1], &squares[1]);
   qsort(a, SAMPLES, sizeof(*a), by_value);
   qsort(b, SAMPLES, sizeof(*b), by_value);
   const double p = significance_mann_whitney(a, SAMPLES, b, SAMPLES, work), ratio = b[SAMPLES / 2] / a[SAMPLES / 2];
   /* The interval, of medians, is far wider than the floor at this noise: it is not needed here. */
   const struct significance significance = {.ratio = ratio, .low = 0, .high = INFINITY, .p = p};
   const enum verdict verdict = significance_verdict(&significance, FLOOR, 0);
   const double pooled = sqrt((squares[0] + squares[1]) / (2 * SAMPLES - 2) * 2 / SAMPLES);
   const double known = DEVIATION * sqrt((1 + slower * slower) / SAMPLES);

   found[TEST_VERDICT] += verdict == VERDICT_WORSE || verdict == VERDICT_BETTER;
   found[TEST_RANKS] += p <= 0.01;
   found[TEST_STUDENT] += fabs(means[1] - means[0]) / pooled > STUDENT_28_1_PERCENT;
   found[TEST_KNOWN] += fabs(means[1] - means[0]) / known > NORMAL_1_PERCENT;
}

/* Gaussian noise of 2 %. False: the verdict is further from the best than it must be, or alarms too often. */
static bool compare_with_bounds(struct significance_work *work)
{
   struct util_random random = {2027};
   unsigned found[2][TEST_COUNT] = {0};

   for (unsigned i = 0; i < 2 * BOUND_COMPARISONS; i++) {
      const double slower = i % 2 ? SLOWER : 1;
      double a[SAMPLES], b[SAMPLES];

      for (unsigned s = 0; s < SAMPLES; s++) {
         a[s] = 1 + DEVIATION * gaussian(&random);
         b[s] = slower * (1 + DEVIATION * gaussian(&random));
      }
      try_tests(a, b, slower, work, found[i % 2]);
   }
   printf("\nGaussian noise of 2 %%, %u comparisons each\n%-60s  %12s  %16s\n", BOUND_COMPARISONS, "test",
          "false alarms", "3 % slower found");
   for (enum test test = 0; test < TEST_COUNT; test++) {
      printf("%-60s  %10.2f %%  %14.1f %%\n", test_names[test], found[0][test] * 100.0 / BOUND_COMPARISONS,
             found[1][test] * 100.0 / BOUND_COMPARISONS);
   }
   return found[0][TEST_VERDICT] <= BOUND_COMPARISONS / 100 && found[1][TEST_VERDICT] >= 0.95 * found[1][TEST_STUDENT];
}

int main(void)
{
   static const struct noise noises[] = {
       {"a machine's", 0.011, 0.1, 0.015, true},
       {"the same, calmer", 0.003, 0.05, 0.01, true},
       {"the same, wilder", 0.02, 0.3, 0.1, false},
       /* No test can do both here: at 1 % false alarms even one that knew the deviation would find 94 %. */
       {"Gaussian alone", 0.02, 0, 0, false},
   };
   struct util_random random = {2026};
   struct significance_work work = {0};
   bool well = true;

   printf("%u samples a side, %u comparisons each\n%-18s %9s  %12s  %16s\n", SAMPLES, COMPARISONS, "noise", "deviation",
          "false alarms", "3 % slower found");
   for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++) {
      unsigned equal[VERDICT_COUNT] = {0}, slower[VERDICT_COUNT] = {0};

      count(&random, &noises[i], 1, &work, equal);
      count(&random, &noises[i], SLOWER, &work, slower);
      const double alarms = (equal[VERDICT_BETTER] + equal[VERDICT_WORSE]) * 100.0 / COMPARISONS;
      const double found = slower[VERDICT_WORSE] * 100.0 / COMPARISONS;
      printf("%-18s %7.2f %%  %10.1f %%  %14.1f %%\n", noises[i].name, deviation(&noises[i]) * 100, alarms, found);
      well = well && alarms <= 1 && (!noises[i].counts || found >= 95);
   }
   well = compare_with_bounds(&work) && well;
   significance_work_finish(&work);
   return !well;
}
