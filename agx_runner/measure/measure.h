/* SPDX-License-Identifier: MIT
 *
 * Measures one benchmark. Its data passes from prepare (programs and memory) to the sampler, the single dispatch or
 * the residency (which use run), and ends in a result. No step calls an earlier one. docs/measuring.md describes it in
 * detail.
 */
#ifndef AGX_RUNNER_MEASURE_H
#define AGX_RUNNER_MEASURE_H

#include "agx_runner/measure/metric.h"
#include "agx_runner/measure/sampler.h"
#include "agx_runner/results/result.h"

struct measure {
   struct sampler sampler;
};

/* Returns false if the device does not support these settings; `why` has the reason. */
bool measure_start(struct measure *measure, struct session *session, const struct measure_settings *settings, char *why,
                   size_t why_size);
void measure_finish(struct measure *measure);

/* Fills `result`. A benchmark of 64-bit atomics runs on any chip; if its answer is wrong on a chip that is not known to
 * have them, it is skipped. Returns false if the run must end (interrupted, device lost, out of memory; `result` has
 * the reason). */
bool measure_benchmark(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                       struct result *result);

#endif
