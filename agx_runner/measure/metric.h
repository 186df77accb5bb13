/* SPDX-License-Identifier: MIT
 *
 * A metric (nir_kernels/metrics.h) of one benchmark, and the benchmark's parameters for it.
 */
#ifndef AGX_RUNNER_METRIC_H
#define AGX_RUNNER_METRIC_H

#include <stddef.h>

#include "nir_kernels/benchmark.h"

#define SCHEDULERS 4 /* schedulers of a core: spec/pipelines.md, "ALU layout" */

const char *metric_unit(const struct benchmark *benchmark, enum bench_metric metric);
/* Returns the occupancy at which the metric is timed, as the benchmark or else the metric specifies it. Group 0: the
 * benchmark's one dispatch specifies it. */
struct bench_occupancy metric_occupancy(const struct benchmark *benchmark, enum bench_metric metric);
/* Writes group/instruction/metric. */
void metric_name(const struct benchmark *benchmark, enum bench_metric metric, char *name, size_t size);
/* Fills in the variants of both sides. */
void metric_variants(const struct benchmark *benchmark, enum bench_metric metric, struct bench_variant variants[2]);

#endif
