/* SPDX-License-Identifier: MIT
 *
 * The runner of processes: N worker processes run the units of a run one after the other. A unit that crashes, hangs
 * or loses the GPU affects only itself. After each failure that the device may have caused, a trivial job in a new
 * process checks whether the device still works.
 */
#ifndef PROCESS_POOL_H
#define PROCESS_POOL_H

#include "process/pool_state.h"

/* Opens the device once, in a process, to identify it. Prints messages; returns an enum exit_code. From here on SIGINT,
 * SIGTERM and SIGHUP are blocked until pool_run() handles them. */
int pool_open(struct pool *pool);
/* The same for units that need no device: none is opened. */
int pool_open_without_device(struct pool *pool);
const struct asahi_device_info *pool_info(const struct pool *pool);
/* Runs all units that have no outcome, and repeats those with unexpected failures. Returns EXIT_OK, or EXIT_ABORTED,
 * EXIT_LOST or EXIT_FAILED if some were not run; pool->why has the reason. */
int pool_run(struct pool *pool);
void pool_close(struct pool *pool);

#endif
