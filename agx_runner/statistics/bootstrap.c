/* SPDX-License-Identifier: MIT
 *
 * The bootstrap, computed and not drawn: the limit of infinitely many resamplings. The median of n draws with
 * replacement from n sorted values is one of them (n odd), or the mean of two (n even), with a probability that
 * depends on n alone.
 */
#include "agx_runner/statistics/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "agx_runner/statistics/order.h"
#include "util/array.h"

/* The ends of a 95 % interval. */
#define LOW_SHARE 0.025
#define HIGH_SHARE 0.975
#define OUTCOME_LEAST 1e-12 /* least probability of an outcome: all smaller ones together do not move an interval */

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

/* P(at least `wanted` of them). Adds up the tail without the most likely number, from its largest term to the first
 * that changes nothing. */
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

/* For an even number of draws: P(the lower of the middle two is value i, and the upper one value j > i). Then half of
 * the draws are at most i, at least one of them i, and half are at least j. In logarithms, because powers of 1,000
 * overflow. */
static double chance_of_two(size_t n, size_t i, size_t j)
{
   const double half = (double)(n / 2), all = (double)n;
   const double below = log_difference((double)(i + 1) / all, (double)i / all, half);
   const double above = log_difference((double)(n - j) / all, (double)(n - j - 1) / all, half);

   return exp(below + above + log_factorial(n) - 2 * log_factorial(n / 2));
}

static bool add_outcome(struct bootstrap_medians *medians, size_t first, size_t second, double chance)
{
   if (chance < OUTCOME_LEAST) {
      return true;
   }
   if (!ARRAY_RESERVE(medians->outcomes, medians->room, medians->count + 1)) {
      return false;
   }
   medians->outcomes[medians->count++] = (struct bootstrap_outcome){(uint32_t)first, (uint32_t)second, chance};
   return true;
}

/* Finds the medians of n draws. Kept from call to call, because a run has the same n everywhere. */
static bool find_medians(struct bootstrap_medians *medians, size_t n)
{
   if (medians->samples == n) {
      return true;
   }
   medians->count = 0;
   medians->samples = 0;
   double before = 0;
   for (size_t i = 0; i < n; i++) {
      /* of the median, or of the lower of the middle two */
      const double up_to = chance_of_at_least(n, i + 1, (n + 1) / 2);
      double alone = up_to - before;

      before = up_to;
      /* larger values are less likely */
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

static void weigh(const struct bootstrap_medians *medians, const double *sorted, struct weighted *values)
{
   for (size_t i = 0; i < medians->count; i++) {
      const struct bootstrap_outcome *outcome = &medians->outcomes[i];

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

/* Returns the ratio below which this share of the probability lies. */
static double quantile(const struct weighted *a, size_t a_count, const struct weighted *b, size_t b_count, double share)
{
   double low = b[0].value / a[a_count - 1].value, high = b[b_count - 1].value / a[0].value;

   if (chance_up_to(a, a_count, b, b_count, low) >= share) {
      return low;
   }
   while (high - low > 1e-9 * high) {
      const double middle = low + (high - low) / 2;

      if (middle <= low || middle >= high) {
         break; /* no number lies between low and high */
      }
      *(chance_up_to(a, a_count, b, b_count, middle) >= share ? &high : &low) = middle;
   }
   return high;
}

int bootstrap_ratio(const double *a, size_t a_count, const double *b, size_t b_count,
                    struct bootstrap_medians tables[2], double *low, double *high)
{
   /* One table suffices where the counts are the same, as they mostly are. */
   struct bootstrap_medians *of_a = &tables[0], *of_b = a_count == b_count ? of_a : &tables[1];

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
   *low = quantile(values, of_a->count, second, of_b->count, LOW_SHARE);
   *high = quantile(values, of_a->count, second, of_b->count, HIGH_SHARE);
   free(values);
   return 0;
}

void bootstrap_medians_finish(struct bootstrap_medians *medians)
{
   free(medians->outcomes);
   *medians = (struct bootstrap_medians){0};
}
