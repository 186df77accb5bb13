/* SPDX-License-Identifier: MIT
 *
 * The median and its interval. The same values give the same interval.
 */
#include "agx_runner/statistics/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/statistics/bootstrap.h"

double stats_median_sorted(const double *values, size_t count)
{
   return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double stats_median(double *values, size_t count)
{
   qsort(values, count, sizeof(*values), stats_compare);
   return stats_median_sorted(values, count);
}

int stats_interval(const double *values, size_t count, struct stats_interval *interval)
{
   double *sorted = malloc(count * sizeof(*sorted));

   if (sorted == NULL) {
      return -ENOMEM;
   }
   memcpy(sorted, values, count * sizeof(*sorted));
   interval->median = stats_median(sorted, count);
   const int ret = bootstrap_median(sorted, count, &interval->low, &interval->high);
   free(sorted);
   return ret;
}
