/* SPDX-License-Identifier: MIT
 *
 * Processes that examine the device of a pool: what it is, and whether it still works.
 */
#ifndef AGX_RUNNER_PROBE_H
#define AGX_RUNNER_PROBE_H

#include "drm/asahi.h"
#include "process/pool.h"

/* Opens the device once, in a process, to identify it, and sets the pool's members about its device, which the caller
 * may change afterwards. spec: "auto", a render node, "virtual:CHIP,..."; timeout: limit of a submission in seconds.
 * pool_open() has been called. Prints messages; returns an enum exit_code. `info` must live as long as the pool. */
int probe_device(struct pool *pool, const char *spec, double timeout, struct asahi_device_info *info);

#endif
