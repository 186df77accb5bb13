/* SPDX-License-Identifier: MIT */
#include "agx_runner/significance.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/random.h"

#define RESAMPLES 2000
#define EXACT_MAX 25 /* samples a side: beyond, the normal approximation is as good */

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_BETTER] = "better",
    [VERDICT_WORSE] = "worse",
    [VERDICT_SAME] = "same",
    [VERDICT_UNKNOWN] = "cannot tell",
};

static int compare(const void *x, const void *y)
{
   const double a = *(const double *)x, b = *(const double *)y;

   return (a > b) - (a < b);
}

static double median_of_sorted(const double *values, size_t count)
{
   return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Of `count` draws from sorted values, the median: how often each was drawn is all that it takes. */
static double resampled_median(struct random *random, const double *sorted, size_t count, uint32_t *drawn)
{
   const size_t first = (count - 1) / 2, second = count / 2;
   double low = 0;
   size_t seen = 0;

   memset(drawn, 0, count * sizeof(*drawn));
   for (size_t i = 0; i < count; i++) {
      drawn[random_below(random, (uint32_t)count)]++;
   }
   for (size_t i = 0; i < count; i++) {
      if (seen <= first && seen + drawn[i] > first) {
         low = sorted[i];
      }
      seen += drawn[i];
      if (seen > second) {
         return (low + sorted[i]) / 2;
      }
   }
   return sorted[count - 1];
}

static int bootstrap(const double *a, size_t a_count, const double *b, size_t b_count, uint64_t seed,
                     struct significance *result)
{
   struct random random = {seed};
   double *ratios = calloc(RESAMPLES, sizeof(*ratios));
   uint32_t *drawn = calloc(a_count > b_count ? a_count : b_count, sizeof(*drawn));
   int ret = -ENOMEM;

   if (ratios != NULL && drawn != NULL) {
      for (unsigned i = 0; i < RESAMPLES; i++) {
         const double below = resampled_median(&random, a, a_count, drawn);

         ratios[i] = resampled_median(&random, b, b_count, drawn) / below;
      }
      qsort(ratios, RESAMPLES, sizeof(*ratios), compare);
      result->low = ratios[RESAMPLES / 40 - 1];
      result->high = ratios[RESAMPLES - RESAMPLES / 40];
      ret = 0;
   }
   free(drawn);
   free(ratios);
   return ret;
}

/* U of a: how many pairs have a < b, ties counting half. *ties: the sum of t^3 - t over groups of t equal values. */
static double rank_statistic(const double *a, size_t a_count, const double *b, size_t b_count, double *ties)
{
   double u = 0;

   *ties = 0;
   for (size_t i = 0, j = 0; i < a_count || j < b_count;) {
      const double value = j >= b_count || (i < a_count && a[i] <= b[j]) ? a[i] : b[j];
      double in_a = 0, in_b = 0;

      for (; i < a_count && a[i] == value; i++) {
         in_a++;
      }
      for (; j < b_count && b[j] == value; j++) {
         in_b++;
      }
      u += in_a * ((double)(b_count - j) + in_b / 2);
      *ties += pow(in_a + in_b, 3) - (in_a + in_b);
   }
   return u;
}

/* P(U <= u), by counting the orders of m and n things that have each U: Mann and Whitney's recurrence. */
static double exact_tail(size_t m, size_t n, size_t u)
{
   const size_t most = m * n;
   double *counts = calloc((m + 1) * (most + 1), sizeof(*counts));
   double tail = 0, whole = 0;

   if (counts == NULL) {
      return NAN;
   }
   for (size_t i = 0; i <= m; i++) {
      counts[i * (most + 1)] = 1;
   }
   /* counts[i] after round j: the orders of i and j things. */
   for (size_t j = 1; j <= n; j++) {
      for (size_t i = 1; i <= m; i++) {
         double *row = counts + i * (most + 1), *shorter = row - (most + 1);

         /* The last thing is of the second kind: as in the round before, with i pairs more; else one thing less of the
          * first kind. */
         for (size_t k = i * j + 1; k-- > 0;) {
            row[k] = (k >= i ? row[k - i] : 0) + shorter[k];
         }
      }
   }
   for (size_t k = 0; k <= most; k++) {
      whole += counts[m * (most + 1) + k];
      tail += k <= u ? counts[m * (most + 1) + k] : 0;
   }
   free(counts);
   return tail / whole;
}

double significance_mann_whitney(const double *a, size_t a_count, const double *b, size_t b_count)
{
   const double m = (double)a_count, n = (double)b_count, all = m + n;
   double ties;
   const double u = rank_statistic(a, a_count, b, b_count, &ties);
   const double least = u < m * n - u ? u : m * n - u;

   if (ties == 0 && a_count <= EXACT_MAX && b_count <= EXACT_MAX) {
      return fmin(1, 2 * exact_tail(a_count, b_count, (size_t)least));
   }
   const double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));
   const double distance = m * n / 2 - least - 0.5;

   return variance <= 0 || distance <= 0 ? 1 : erfc(distance / sqrt(variance) / sqrt(2));
}

int significance_of(const double *a, size_t a_count, const double *b, size_t b_count, uint64_t seed,
                    struct significance *result)
{
   double *sorted = calloc(a_count + b_count, sizeof(*sorted));

   if (sorted == NULL) {
      return -ENOMEM;
   }
   double *second = sorted + a_count;
   memcpy(sorted, a, a_count * sizeof(*a));
   memcpy(second, b, b_count * sizeof(*b));
   qsort(sorted, a_count, sizeof(*sorted), compare);
   qsort(second, b_count, sizeof(*second), compare);
   result->ratio = result->low = result->high = median_of_sorted(second, b_count) / median_of_sorted(sorted, a_count);
   result->p = significance_mann_whitney(sorted, a_count, second, b_count);
   int ret = isnan(result->p) ? -ENOMEM : 0;
   /* A model's samples are all the same: nothing to draw from. */
   if (ret == 0 && (sorted[0] != sorted[a_count - 1] || second[0] != second[b_count - 1])) {
      ret = bootstrap(sorted, a_count, second, b_count, seed, result);
   }
   free(sorted);
   return ret;
}

enum verdict significance_verdict(const struct significance *significance, double floor, int more_is_better)
{
   const bool beyond = significance->ratio > 1 + floor || significance->ratio < 1 / (1 + floor);

   if (significance->low >= 1 / (1 + floor) && significance->high <= 1 + floor) {
      return VERDICT_SAME;
   }
   if (!beyond || significance->p >= SIGNIFICANCE_LEVEL) {
      return VERDICT_UNKNOWN;
   }
   return (significance->ratio > 1) == (more_is_better != 0) ? VERDICT_BETTER : VERDICT_WORSE;
}
