/* SPDX-License-Identifier: MIT
 *
 * Which way a figure is better.
 */
#ifndef AGX_RUNNER_DIRECTION_H
#define AGX_RUNNER_DIRECTION_H

#include <stdbool.h>

/* `name`: a result's, whose last part is its metric; `unit` decides where that is none that we know (a mix, or a file
 * of somebody else). Of what neither tells less is better, as of all that is a cost. */
bool direction_more_is_better(const char *name, const char *unit);
/* Is the metric, or the unit, in the table? */
bool direction_is_known(const char *name, const char *unit);

#endif
