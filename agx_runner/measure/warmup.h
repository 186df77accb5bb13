/* SPDX-License-Identifier: MIT
 *
 * Load that brings a clock which follows the load to its working point, right before a measurement.
 */
#ifndef AGX_RUNNER_WARMUP_H
#define AGX_RUNNER_WARMUP_H

#include "agx_runner/measure/benchmark_pair.h"

/* Runs `load`'s longer side for asahi_device_info.settle_ns; nothing where that is 0. After it returns the device idles
 * until the next submission. On the way it compares the timestamps with CLOCK_MONOTONIC, unless they are a model's:
 * false where their rates differ, with why in `result`. */
bool warm_up(struct benchmark_pair *load, struct result *result, bool *lost);

/* How fast the timestamps' clock runs, as a multiple of the host's, from two submissions of different length. What both
 * spend besides their commands cancels. */
double warm_up_clock_ratio(const struct session_span *shorter, const struct session_span *longer);

#endif
