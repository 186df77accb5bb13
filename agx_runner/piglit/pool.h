/* SPDX-License-Identifier: MIT
 *
 * Many files in parallel: worker processes that take them one after the other. A file that kills its worker, or does
 * not end, costs itself only.
 */
#ifndef PIGLIT_POOL_H
#define PIGLIT_POOL_H

#include "agx_runner/piglit/result.h"

struct piglit_pool {
   const char *device;            /* each worker opens its own */
   unsigned jobs;                 /* worker processes, at least 1 */
   double seconds;                /* for one file */
   struct piglit_result *results; /* filled: `path` and `name` say what to run */
   size_t count;
   /* Called when results[index] is done; may be NULL. */
   void (*done)(void *data, const struct piglit_result *result);
   void *data;
   /* What a worker does with a file; NULL: piglit_run_file(). Tests bring their own. */
   enum piglit_status (*run)(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                             char *reason, size_t reason_size);
};

/* Results that are `done` already are left alone. 0, or a negative errno when no worker can be had. */
int piglit_pool_run(const struct piglit_pool *pool);

#endif
