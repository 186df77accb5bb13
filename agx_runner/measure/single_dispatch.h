/* SPDX-License-Identifier: MIT
 *
 * Metrics that are no times: is the output of a dispatch right, how far is it from the exact result, how much runs at
 * once.
 */
#ifndef AGX_RUNNER_ONCE_H
#define AGX_RUNNER_ONCE_H

#include "agx_runner/measure/measure.h"

/* Why a benchmark of 64-bit atomics is skipped on this chip; NULL: it has them. */
const char *once_absent(const struct asahi_device_info *info);

/* Like measure_benchmark(). A benchmark of 64-bit atomics is run on any chip: where it does not come out right on one
 * that is not known to have them, that is a skip. */
bool once_measure(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                  struct result *result);

#endif
