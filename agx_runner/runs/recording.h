/* SPDX-License-Identifier: MIT
 *
 * Records the results that the units of a pool report, in an outcome for each unit. worker_results.h lists the
 * reports.
 */
#ifndef AGX_RUNNER_RECORDING_H
#define AGX_RUNNER_RECORDING_H

#include "agx_runner/runs/outcome.h"
#include "agx_runner/terminal/progress.h"
#include "process/pool.h"

struct recording {
   /* The caller's: */
   const struct expectations *expectations; /* NULL: none */
   struct outcome *outcomes;                /* of each unit; what has tries already is not run again */
   unsigned reruns;                         /* repetitions of a unit that fails unexpectedly */
   bool keep_output;                        /* of units, in their results */

   /* Internal: */
   const struct pool *pool;
   struct progress progress;
};

/* Runs the pool: records the results of its units, and shows the progress. Returns pool_run()'s code. */
int recording_run(struct recording *recording, struct pool *pool);

#endif
