/* SPDX-License-Identifier: MIT
 *
 * The median and its interval. The same values give the same interval.
 */
#include "agx_runner/statistics/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL 0.025 /* probability beyond either end of a 95 % interval */

double stats_median_sorted(const double *values, size_t count)
{
   return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double stats_median(double *values, size_t count)
{
   qsort(values, count, sizeof(*values), stats_compare);
   return stats_median_sorted(values, count);
}

/* Returns the index of the lower end among n sorted samples: the largest k for which the probability that at most k
 * samples lie below the true median is at most TAIL, or 0. Each sample lies below it with probability 1/2, whatever
 * their distribution. */
static size_t lower_end(size_t n)
{
   size_t end = 0;
   double sum = 0;

   for (size_t k = 0; k < n / 2; k++) {
      sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) - (double)n * M_LN2);
      if (sum > TAIL) {
         break;
      }
      end = k;
   }
   return end;
}

int stats_interval(const double *values, size_t count, struct stats_interval *interval)
{
   double *sorted = malloc(count * sizeof(*sorted));

   if (sorted == NULL) {
      return -ENOMEM;
   }
   memcpy(sorted, values, count * sizeof(*sorted));
   interval->median = stats_median(sorted, count);
   const size_t low = lower_end(count);
   interval->low = sorted[low];
   interval->high = sorted[count - 1 - low];
   free(sorted);
   return 0;
}

void stats_widen(struct stats_interval *interval, double half)
{
   interval->low = interval->median - hypot(interval->median - interval->low, half);
   interval->high = interval->median + hypot(interval->high - interval->median, half);
}
