/* SPDX-License-Identifier: MIT
 *
 * Whether a figure is better when it is higher or lower.
 */
#ifndef AGX_RUNNER_DIRECTION_H
#define AGX_RUNNER_DIRECTION_H

#include <stdbool.h>

/* `name` is a result's name; its last part is the metric. If the metric is unknown (a mix, or a file of another
 * program), `unit` decides. If the unit is unknown too, less is better. */
bool direction_more_is_better(const char *name, const char *unit);
/* Whether the metric, or the unit, is in the table. */
bool direction_is_known(const char *name, const char *unit);

#endif
