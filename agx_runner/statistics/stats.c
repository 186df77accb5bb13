/* SPDX-License-Identifier: MIT
 *
 * The median and its bootstrap interval. The same seed gives the same interval.
 */
#include "agx_runner/statistics/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/statistics/random.h"

int stats_compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;

   return (x > y) - (x < y);
}

double stats_median(double *values, size_t count)
{
   qsort(values, count, sizeof(*values), stats_compare);
   return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int stats_bootstrap(const double *values, size_t count, uint64_t seed, struct stats_interval *interval)
{
   struct random random = {seed};
   double *draw = calloc(count, sizeof(*draw));
   double *medians = calloc(STATS_RESAMPLES, sizeof(*medians));

   if (draw == NULL || medians == NULL) {
      free(draw);
      free(medians);
      return -ENOMEM;
   }
   for (size_t i = 0; i < STATS_RESAMPLES; i++) {
      for (size_t j = 0; j < count; j++) {
         draw[j] = values[random_below(&random, (uint32_t)count)];
      }
      medians[i] = stats_median(draw, count);
   }
   qsort(medians, STATS_RESAMPLES, sizeof(*medians), stats_compare);
   interval->low = medians[STATS_RESAMPLES / 40 - 1];
   interval->high = medians[STATS_RESAMPLES - STATS_RESAMPLES / 40];
   memcpy(draw, values, count * sizeof(*draw));
   interval->median = stats_median(draw, count);
   free(draw);
   free(medians);
   return 0;
}
