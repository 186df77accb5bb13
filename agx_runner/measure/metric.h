/* SPDX-License-Identifier: MIT
 *
 * What a metric (nir_kernels/metrics.h) is for one benchmark, and how the benchmark is set up for it.
 */
#ifndef AGX_RUNNER_METRIC_H
#define AGX_RUNNER_METRIC_H

#include <stddef.h>

#include "nir_kernels/benchmark.h"

#define SCHEDULERS 4 /* of a core: spec/pipelines.md, "ALU layout" */

const char *metric_unit(const struct benchmark *benchmark, enum bench_metric metric);
/* The occupancy at which the metric is timed: the benchmark's own, or the metric's. Group 0: the benchmark's one
 * dispatch says it. */
struct bench_occupancy metric_occupancy(const struct benchmark *benchmark, enum bench_metric metric);
/* group/instruction/metric */
void metric_name(const struct benchmark *benchmark, enum bench_metric metric, char *name, size_t size);
/* The variants of both sides. */
void metric_variants(const struct benchmark *benchmark, enum bench_metric metric, struct bench_variant variants[2]);

#endif
