/* SPDX-License-Identifier: MIT
 *
 * A load that brings a clock which follows the load to its working point, right before a measurement.
 */
#ifndef AGX_RUNNER_WARMUP_H
#define AGX_RUNNER_WARMUP_H

#include "agx_runner/measure/benchmark_pair.h"

/* Runs the longer side of `load` for asahi_device_info.settle_ns, or does nothing if that is 0. The device then idles
 * until the next submission. Also compares the timestamps with CLOCK_MONOTONIC, unless they are modelled: returns false
 * if their rates differ, with the reason in the session's result. */
bool warm_up(struct benchmark_pair *load);

/* Returns the rate of the timestamps' clock relative to the host's, from two submissions of different length. Their
 * overhead cancels. */
double warm_up_clock_ratio(const struct session_span *shorter, const struct session_span *longer);

#endif
