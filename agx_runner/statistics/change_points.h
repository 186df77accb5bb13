/* SPDX-License-Identifier: MIT
 *
 * Where a series changes its level.
 */
#ifndef AGX_RUNNER_CHANGE_POINTS_H
#define AGX_RUNNER_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

/* Sets changed[i] if values[i] is the first on a new level. Values are more than 0; levels closer than `floor` (a
 * share) count as one. The noise is estimated from the series itself. Returns 0 or -ENOMEM. */
int change_points(const double *values, size_t count, double floor, bool *changed);

#endif
