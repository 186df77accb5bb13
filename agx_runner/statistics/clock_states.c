/* SPDX-License-Identifier: MIT
 *
 * See clock_states.h. Invariant: every sample belongs to one group, and groups do not overlap.
 */
#include "agx_runner/statistics/clock_states.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/statistics/stats.h"

#define APART 0.02 /* distance between the clocks of two groups, as a share of the higher one */

/* Returns one past the last of the sorted clocks in the group that begins at `first`. */
static size_t group_end(const double *sorted, size_t count, size_t first)
{
   size_t end = first + 1;

   while (end < count && sorted[end] - sorted[end - 1] <= APART * sorted[end]) {
      end++;
   }
   return end;
}

static double *copy_sorted(const double *clocks, size_t count)
{
   double *sorted = malloc((count + 1) * sizeof(*sorted));

   if (sorted != NULL) {
      memcpy(sorted, clocks, count * sizeof(*sorted));
      qsort(sorted, count, sizeof(*sorted), stats_compare);
   }
   return sorted;
}

/* Returns whether the groups are states. Evenly spread clocks have gaps too, but these are no wider than the groups
 * beside them. */
static bool are_states(const double *sorted, size_t count)
{
   unsigned groups_of_two = 0;

   for (size_t first = 0, end; first < count; first = end) {
      end = group_end(sorted, count, first);
      const double width = sorted[end - 1] - sorted[first];

      if ((first > 0 && sorted[first] - sorted[first - 1] <= width) ||
          (end < count && sorted[end] - sorted[end - 1] <= width)) {
         return false;
      }
      groups_of_two += end - first >= 2;
   }
   return groups_of_two >= 2;
}

int clock_states_name(const double *clocks, size_t count, char *text, size_t size)
{
   double *sorted = copy_sorted(clocks, count);
   size_t at = 0;

   text[0] = '\0';
   if (sorted == NULL) {
      return -ENOMEM;
   }
   const bool states = are_states(sorted, count);
   for (size_t first = 0, end; states && first < count && at < size; first = end) {
      end = group_end(sorted, count, first);
      const int length = snprintf(text + at, size - at, "%s%.0f MHz (%zu%s)", first == 0 ? "" : ", ",
                                  stats_median_sorted(sorted + first, end - first) * 1e-6, end - first,
                                  first > 0          ? ""
                                  : end - first == 1 ? " sample"
                                                     : " samples");
      at += length > 0 ? (size_t)length : size;
   }
   free(sorted);
   return 0;
}

int clock_states_divide_out(const double *clocks, double *figures, size_t count)
{
   double *sorted = copy_sorted(clocks, count), *group = malloc((count + 1) * sizeof(*group));
   const bool done = sorted != NULL && group != NULL;

   for (size_t first = 0, end; done && first < count; first = end) {
      size_t members = 0;

      end = group_end(sorted, count, first);
      for (size_t i = 0; i < count; i++) {
         if (clocks[i] >= sorted[first] && clocks[i] <= sorted[end - 1]) {
            group[members++] = figures[i];
         }
      }
      const double median = stats_median(group, members);
      for (size_t i = 0; i < count; i++) {
         figures[i] /= clocks[i] >= sorted[first] && clocks[i] <= sorted[end - 1] ? median : 1;
      }
   }
   free(sorted);
   free(group);
   return done ? 0 : -ENOMEM;
}
