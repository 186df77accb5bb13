/* SPDX-License-Identifier: MIT
 *
 * Measures one benchmark. The way of its data: prepare (programs and memory), sampler, single dispatch or residency
 * (runs), result. No step calls back into an earlier one. docs/measuring.md says it at length.
 */
#ifndef AGX_RUNNER_MEASURE_H
#define AGX_RUNNER_MEASURE_H

#include "agx_runner/measure/metric.h"
#include "agx_runner/measure/sampler.h"
#include "agx_runner/results/result.h"

struct measure {
   struct sampler sampler;
};

/* False: these settings do not go with the device; why says it. */
bool measure_start(struct measure *measure, struct session *session, const struct measure_settings *settings, char *why,
                   size_t why_size);
void measure_finish(struct measure *measure);

/* Fills `result`. A benchmark of 64-bit atomics is run on any chip: where it does not come out right on one that is not
 * known to have them, that is a skip. False: the run must end (interrupted, device lost, no memory; `result` says so).
 */
bool measure_benchmark(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                       struct result *result);

#endif
