/* SPDX-License-Identifier: MIT
 *
 * What a device's caches do besides their latency: bytes a cycle of each level, what the first level fetches, its line,
 * and the pages that are translated without a walk.
 */
#ifndef AGX_RUNNER_SWEEP_SHAPE_H
#define AGX_RUNNER_SWEEP_SHAPE_H

#include <stdint.h>

#include "agx_runner/measure/measure.h"

#define SWEEP_LEVELS_MAX 8u

struct sweep_level {
   uint32_t bytes; /* 0: more than was looked for */
   double cycles;  /* of a load */
};

struct sweep_shape {
   double bandwidth[SWEEP_LEVELS_MAX]; /* bytes a cycle and core; 0: no region of a core fits the level alone */
   double fetch;                       /* bytes; 0: not found */
   uint32_t line;                      /* bytes; 0: not found */
   uint32_t pages_most;                /* that were looked at */
   uint32_t pages;                     /* 0: all of them */
   double walk;                        /* cycles that a page beyond them adds */
};

/* pages_most: a power of two. An enum exit_code; messages are printed. */
int sweep_shape_measure(struct measure *measure, struct session *session, const struct sweep_level *levels,
                        unsigned level_count, uint32_t pages_most, struct sweep_shape *shape);

#endif
