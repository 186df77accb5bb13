/* SPDX-License-Identifier: MIT
 *
 * The runner of processes: N worker processes run the units of a run one after the other. A unit that crashes, hangs
 * or loses the GPU affects only itself. After each failure that the device may have caused, a process checks whether
 * the device still works.
 */
#ifndef PROCESS_POOL_H
#define PROCESS_POOL_H

#include "process/pool_state.h"

struct child;

/* From here on SIGINT, SIGTERM and SIGHUP are blocked until pool_run() or pool_await() handles them. Returns 0 or a
 * negative errno; pool_close() must follow in any case. */
int pool_open(struct pool *pool);
/* Waits for a process that is no unit, as long as a unit may take, and ends it. Returns whether it ended by itself;
 * pool->code: whether the run is to end. */
bool pool_await(struct pool *pool, struct child *child);
/* Runs all units that are wanted. Returns EXIT_OK, or EXIT_ABORTED, EXIT_LOST or EXIT_FAILED if some were not run;
 * pool->why has the reason. */
int pool_run(struct pool *pool);
void pool_close(struct pool *pool);

#endif
