/* SPDX-License-Identifier: MIT
 *
 * Compares two sets of samples: Mann and Whitney's test for the verdict, the bootstrap of the ratio of medians for
 * the interval.
 */
#include "agx_runner/statistics/significance.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/statistics/stats.h"

#define EXACT_MAX 25 /* samples on each side: with more, the normal approximation is as good */

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_BETTER] = "better",
    [VERDICT_WORSE] = "worse",
    [VERDICT_SAME] = "same",
    [VERDICT_UNKNOWN] = "cannot tell",
};

/* Returns U of a: the number of pairs with a < b, ties counting half. *ties: the sum of t^3 - t over groups of t equal
 * values. */
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

/* ---- Mann and Whitney's test ---- */

/* How many orders of m and n things have each U: Mann and Whitney's recurrence. As shares of all, summed up: P(U <= u).
 * free() it; NULL: out of memory. */
static double *make_tails(size_t m, size_t n)
{
   const size_t most = m * n;
   double *counts = calloc((m + 1) * (most + 1), sizeof(*counts));
   double whole = 0, sum = 0;

   if (counts == NULL) {
      return NULL;
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
   const double *row = counts + m * (most + 1);
   for (size_t k = 0; k <= most; k++) {
      whole += row[k];
   }
   for (size_t k = 0; k <= most; k++) {
      sum += row[k];
      counts[k] = sum / whole;
   }
   return counts;
}

static double exact_tail(struct significance_work *work, size_t m, size_t n, size_t u)
{
   if (work->tails == NULL || work->tails_a != m || work->tails_b != n) {
      free(work->tails);
      work->tails = make_tails(m, n);
      work->tails_a = m;
      work->tails_b = n;
   }
   return work->tails != NULL ? work->tails[u] : NAN;
}

double significance_mann_whitney(const double *a, size_t a_count, const double *b, size_t b_count,
                                 struct significance_work *work)
{
   const double m = (double)a_count, n = (double)b_count, all = m + n;
   double ties;
   const double u = rank_statistic(a, a_count, b, b_count, &ties);
   const double least = u < m * n - u ? u : m * n - u;

   if (ties == 0 && a_count <= EXACT_MAX && b_count <= EXACT_MAX) {
      return fmin(1, 2 * exact_tail(work, a_count, b_count, (size_t)least));
   }
   const double variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)));
   const double distance = m * n / 2 - least - 0.5;

   return variance <= 0 || distance <= 0 ? 1 : erfc(distance / sqrt(variance) / sqrt(2));
}

int significance_of(const double *a, size_t a_count, const double *b, size_t b_count, struct significance_work *work,
                    struct significance *result)
{
   double *sorted = calloc(a_count + b_count, sizeof(*sorted));

   if (sorted == NULL) {
      return -ENOMEM;
   }
   double *second = sorted + a_count;
   memcpy(sorted, a, a_count * sizeof(*a));
   memcpy(second, b, b_count * sizeof(*b));
   qsort(sorted, a_count, sizeof(*sorted), stats_compare);
   qsort(second, b_count, sizeof(*second), stats_compare);
   result->ratio = result->low = result->high =
       stats_median_sorted(second, b_count) / stats_median_sorted(sorted, a_count);
   result->p = significance_mann_whitney(sorted, a_count, second, b_count, work);
   int ret = isnan(result->p) ? -ENOMEM : 0;
   /* A model's samples are all the same: there is nothing to resample. */
   if (ret == 0 && (sorted[0] != sorted[a_count - 1] || second[0] != second[b_count - 1])) {
      ret = bootstrap_ratio(sorted, a_count, second, b_count, work->medians, &result->low, &result->high);
   }
   free(sorted);
   return ret;
}

void significance_work_finish(struct significance_work *work)
{
   bootstrap_medians_finish(&work->medians[0]);
   bootstrap_medians_finish(&work->medians[1]);
   free(work->tails);
   *work = (struct significance_work){0};
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
