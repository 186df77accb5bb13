/* SPDX-License-Identifier: MIT
 *
 * Binary segmentation of the logarithms: cuts a piece where the cut reduces its sum of squares most, if it reduces it
 * by more than chance would (a penalty like BIC's), and then examines each part.
 */
#include "agx_runner/statistics/change_points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "agx_runner/statistics/stats.h"

#define PENALTY                                                                                                        \
   5.0            /* times variance and log of the length: what chance gives in 100 equal values, once in 100 series */
#define TINY 1e-4 /* a model has no noise: smaller changes are rounding */

struct series {
   const double *sums; /* sums[i]: sum of the first i logarithms */
   double variance, floor;
   bool *changed;
};

/* Returns the variance of one value about its level, estimated from the steps between neighbours: levels hardly change
 * their median. */
static double variance_of(const double *logs, size_t count, double *room)
{
   for (size_t i = 0; i + 1 < count; i++) {
      room[i] = fabs(logs[i + 1] - logs[i]);
   }
   qsort(room, count - 1, sizeof(*room), stats_compare);
   /* 0.954: the median of the absolute difference of two Gaussian values, in their standard deviations. */
   const double deviation = fmax(room[(count - 1) / 2] / 0.954, TINY);

   return deviation * deviation;
}

static void cut(const struct series *series, size_t first, size_t end)
{
   const double whole = series->sums[end] - series->sums[first], length = (double)(end - first);
   double most = 0;
   size_t where = 0;

   /* One value is no level: it may be an outlier. The newest value may be one, because it has no successor yet and
    * readers want to know. */
   for (size_t i = first + 2; i < end && end - first >= 3; i++) {
      const double left = (double)(i - first), right = (double)(end - i);
      const double below = (series->sums[i] - series->sums[first]) / left,
                   above = (series->sums[end] - series->sums[i]) / right;
      const double gain = left * below * below + right * above * above - whole * whole / length;

      if (gain > most && fabs(above - below) > log(1 + series->floor)) {
         most = gain;
         where = i;
      }
   }
   if (where != 0 && most > PENALTY * series->variance * log(length)) {
      series->changed[where] = true;
      cut(series, first, where);
      cut(series, where, end);
   }
}

int change_points(const double *values, size_t count, double floor, bool *changed)
{
   double *logs = calloc(3 * count + 1, sizeof(*logs));

   if (logs == NULL) {
      return -ENOMEM;
   }
   double *sums = logs + count, *room = logs + 2 * count + 1;
   for (size_t i = 0; i < count; i++) {
      changed[i] = false;
      logs[i] = log(values[i]);
      sums[i + 1] = sums[i] + logs[i];
   }
   if (count >= 3) {
      const struct series series = {sums, variance_of(logs, count, room), floor, changed};

      cut(&series, 0, count);
   }
   free(logs);
   return 0;
}
