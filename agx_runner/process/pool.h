/* SPDX-License-Identifier: MIT
 *
 * The runner of processes: N worker processes that take the units of a run one after the other. A unit that crashes,
 * hangs or loses the GPU costs itself only. After each failure that the device may have a part in, a trivial job in a
 * fresh process tells whether the device still works.
 */
#ifndef AGX_RUNNER_POOL_H
#define AGX_RUNNER_POOL_H

#include "agx_runner/process/pool_state.h"

/* Opens the device once, in a process, to see what it is. An enum exit_code; messages are printed. From here on SIGINT,
 * SIGTERM and SIGHUP wait for pool_run() to hear of them. */
int pool_open(struct pool *pool);
/* The same for units that need no device: nothing is opened. */
int pool_open_without_device(struct pool *pool);
const struct asahi_device_info *pool_info(const struct pool *pool);
/* Runs all units that have no outcome yet, and again those that surprise. EXIT_OK, or why not all was run:
 * EXIT_ABORTED, EXIT_LOST, EXIT_FAILED; pool->why says it. */
int pool_run(struct pool *pool);
void pool_close(struct pool *pool);

#endif
