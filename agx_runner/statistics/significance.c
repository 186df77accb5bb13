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

#define EXACT_MAX 25 /* samples a side: beyond, the normal approximation is as good */

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_BETTER] = "better",
    [VERDICT_WORSE] = "worse",
    [VERDICT_SAME] = "same",
    [VERDICT_UNKNOWN] = "cannot tell",
};

static double median_of_sorted(const double *values, size_t count)
{
   return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* ---- The bootstrap, without drawing ----
 *
 * What resampling would give, drawn infinitely often: the median of n draws with replacement from n sorted values is
 * one of them (n odd), or the mean of two, with a chance that depends on n alone. */

#define OUTCOME_LEAST 1e-12 /* chances below are left out: all of them together do not move an interval */

/* log(n!) */
static double log_factorial(size_t n)
{
   return lgamma((double)n + 1);
}

/* P(k of n draws are among the first `place` of n values). */
static double chance_of(size_t n, size_t place, size_t k)
{
   const double share = (double)place / (double)n;

   return exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) + (double)k * log(share) +
              (double)(n - k) * log1p(-share));
}

/* P(at least `wanted` of them). The tail that does not hold the most likely number is added up, from its largest term
 * to the first that changes nothing. */
static double chance_of_at_least(size_t n, size_t place, size_t wanted)
{
   if (place == 0 || place == n) {
      return place == n;
   }
   const double odds = (double)place / (double)(n - place);
   double sum = 0;
   if (place < wanted) {
      double term = chance_of(n, place, wanted);

      for (size_t k = wanted; k <= n && term > sum * 1e-17; k++) {
         sum += term;
         term *= (double)(n - k) / (double)(k + 1) * odds;
      }
      return sum;
   }
   double term = chance_of(n, place, wanted - 1);
   for (size_t k = wanted; k-- > 0 && term > sum * 1e-17;) {
      sum += term;
      term *= (double)k / (double)(n - k + 1) / odds;
   }
   return fmax(1 - sum, 0);
}

/* log(x^power - y^power), 0 <= y < x */
static double log_difference(double x, double y, double power)
{
   return power * log(x) + log1p(-pow(y / x, power));
}

/* Of an even number of draws: that the lower of the middle two is value i and the upper one value j > i. Half of the
 * draws are then up to i, i among them, and half from j on. In logarithms: powers of 1,000 are beyond all numbers. */
static double chance_of_two(size_t n, size_t i, size_t j)
{
   const double half = (double)(n / 2), all = (double)n;
   const double below = log_difference((double)(i + 1) / all, (double)i / all, half);
   const double above = log_difference((double)(n - j) / all, (double)(n - j - 1) / all, half);

   return exp(below + above + log_factorial(n) - 2 * log_factorial(n / 2));
}

static bool add_outcome(struct significance_medians *medians, size_t first, size_t second, double chance)
{
   if (chance < OUTCOME_LEAST) {
      return true;
   }
   if (medians->count == medians->room) {
      const size_t room = medians->room == 0 ? 64 : 2 * medians->room;
      struct significance_outcome *more = realloc(medians->outcomes, room * sizeof(*more));

      if (more == NULL) {
         return false;
      }
      medians->outcomes = more;
      medians->room = room;
   }
   medians->outcomes[medians->count++] = (struct significance_outcome){(uint32_t)first, (uint32_t)second, chance};
   return true;
}

/* The medians of n draws. Kept from call to call: a run has the same n everywhere. */
static bool find_medians(struct significance_medians *medians, size_t n)
{
   if (medians->samples == n) {
      return true;
   }
   medians->count = 0;
   medians->samples = 0;
   double before = 0;
   for (size_t i = 0; i < n; i++) {
      /* Of the median, or of the lower of the two. */
      const double up_to = chance_of_at_least(n, i + 1, (n + 1) / 2);
      double alone = up_to - before;

      before = up_to;
      /* The further up, the less likely. */
      double chance = 1;
      for (size_t j = i + 1; n % 2 == 0 && j < n && chance >= OUTCOME_LEAST / 1000; j++) {
         chance = chance_of_two(n, i, j);
         alone -= chance;
         if (!add_outcome(medians, i, j, chance)) {
            return false;
         }
      }
      if (!add_outcome(medians, i, i, alone)) {
         return false;
      }
   }
   medians->samples = n;
   return true;
}

struct weighted {
   double value, chance;
};

static int by_value(const void *x, const void *y)
{
   return stats_compare(&((const struct weighted *)x)->value, &((const struct weighted *)y)->value);
}

static void weigh(const struct significance_medians *medians, const double *sorted, struct weighted *values)
{
   for (size_t i = 0; i < medians->count; i++) {
      const struct significance_outcome *outcome = &medians->outcomes[i];

      values[i] = (struct weighted){(sorted[outcome->first] + sorted[outcome->second]) / 2, outcome->chance};
   }
   qsort(values, medians->count, sizeof(*values), by_value);
}

/* P(b / a <= ratio) */
static double chance_up_to(const struct weighted *a, size_t a_count, const struct weighted *b, size_t b_count,
                           double ratio)
{
   double sum = 0, below = 0;

   for (size_t i = 0, j = 0; i < a_count; i++) {
      for (; j < b_count && b[j].value <= ratio * a[i].value; j++) {
         below += b[j].chance;
      }
      sum += a[i].chance * below;
   }
   return sum;
}

/* The ratio up to which lies this share of the chances. */
static double quantile(const struct weighted *a, size_t a_count, const struct weighted *b, size_t b_count, double share)
{
   double low = b[0].value / a[a_count - 1].value, high = b[b_count - 1].value / a[0].value;

   if (chance_up_to(a, a_count, b, b_count, low) >= share) {
      return low;
   }
   while (high - low > 1e-9 * high) {
      const double middle = low + (high - low) / 2;

      if (middle <= low || middle >= high) {
         break; /* numbers so small have no billionth part */
      }
      *(chance_up_to(a, a_count, b, b_count, middle) >= share ? &high : &low) = middle;
   }
   return high;
}

static int bootstrap(const double *a, size_t a_count, const double *b, size_t b_count, struct significance_work *work,
                     struct significance *result)
{
   /* One table would do where the counts are the same, and they mostly are. */
   struct significance_medians *of_a = &work->medians[0], *of_b = a_count == b_count ? of_a : &work->medians[1];

   if (!find_medians(of_a, a_count) || !find_medians(of_b, b_count)) {
      return -ENOMEM;
   }
   struct weighted *values = calloc(of_a->count + of_b->count, sizeof(*values));
   if (values == NULL) {
      return -ENOMEM;
   }
   struct weighted *second = values + of_a->count;
   weigh(of_a, a, values);
   weigh(of_b, b, second);
   result->low = quantile(values, of_a->count, second, of_b->count, 0.025);
   result->high = quantile(values, of_a->count, second, of_b->count, 0.975);
   free(values);
   return 0;
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
   result->ratio = result->low = result->high = median_of_sorted(second, b_count) / median_of_sorted(sorted, a_count);
   result->p = significance_mann_whitney(sorted, a_count, second, b_count, work);
   int ret = isnan(result->p) ? -ENOMEM : 0;
   /* A model's samples are all the same: nothing to draw from. */
   if (ret == 0 && (sorted[0] != sorted[a_count - 1] || second[0] != second[b_count - 1])) {
      ret = bootstrap(sorted, a_count, second, b_count, work, result);
   }
   free(sorted);
   return ret;
}

void significance_work_finish(struct significance_work *work)
{
   free(work->medians[0].outcomes);
   free(work->medians[1].outcomes);
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
