/* SPDX-License-Identifier: MIT
 *
 * The one comparator of doubles for qsort(): ascending order.
 */
#ifndef AGX_RUNNER_ORDER_H
#define AGX_RUNNER_ORDER_H

static inline int stats_compare(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;

   return (x > y) - (x < y);
}

#endif
