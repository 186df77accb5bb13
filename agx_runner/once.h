/* SPDX-License-Identifier: MIT
 *
 * Metrics that are no times: is the output of a dispatch right, how far is it from the exact result, how much runs at
 * once.
 */
#ifndef AGX_RUNNER_ONCE_H
#define AGX_RUNNER_ONCE_H

#include "agx_runner/measure.h"

#define ABSENT_ON_G13 "instruction absent on G13 (M1 family)"

/* Like measure_benchmark(). A benchmark that needs a G14 is run on any chip: where it does not come out right on an
 * older one, that is a skip. */
bool once_measure(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                  struct result *result);

#endif
