/* SPDX-License-Identifier: MIT
 *
 * One worker process of the pool, as its parent holds it.
 */
#ifndef PIGLIT_WORKER_H
#define PIGLIT_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "agx_runner/piglit/pool.h"
#include "agx_runner/piglit/wire.h"

struct piglit_worker {
   pid_t pid;    /* 0: there is none */
   int tasks;    /* written: the index of the next file */
   int reports;  /* read: frames */
   FILE *output; /* its stdout and stderr since the task began */
   bool busy;
   size_t task;
   double started; /* seconds of the monotonic clock */
   struct piglit_wire wire;
   struct piglit_wire_end end;
};

double piglit_now(void); /* seconds of the monotonic clock */

/* Starts the process. `others`: the pool's workers, whose pipes are none of its business. 0 or a negative errno. */
int piglit_worker_start(struct piglit_worker *worker, const struct piglit_pool *pool,
                        const struct piglit_worker *others);
/* Gives it a file. False when it is not there to take it. */
bool piglit_worker_give(struct piglit_worker *worker, size_t task);
/* Ends the process: at once if `kill`, else it is at its end already or has nothing to do. How it ended, and the last
 * line that it wrote, come into `text` (may be NULL). */
void piglit_worker_stop(struct piglit_worker *worker, bool kill, char *text, size_t text_size);

#endif
