/* SPDX-License-Identifier: MIT
 *
 * The metrics: what each one means, and how a benchmark is set up for it.
 */
#ifndef AGX_RUNNER_METRIC_H
#define AGX_RUNNER_METRIC_H

#include <stddef.h>
#include <stdint.h>

#include "nir_kernels/benchmark.h"

#define SCHEDULERS 4 /* of a core: spec/pipelines.md, "ALU layout" */

struct metric_info {
   const char *name;       /* last part of a result's name */
   const char *definition; /* what it is */
   const char *formula;
   uint32_t group;                 /* threads of a threadgroup */
   uint32_t threadgroups_per_core; /* at once */
   uint32_t threadgroup_bytes;     /* of threadgroup memory each, so that no more fit on a core */
};
extern const struct metric_info metric_infos[BENCH_METRIC_COUNT];

const char *metric_unit(const struct benchmark *benchmark, enum bench_metric metric);
/* group/instruction/metric */
void metric_name(const struct benchmark *benchmark, enum bench_metric metric, char *name, size_t size);
/* The variants of both sides. */
void metric_variants(const struct benchmark *benchmark, enum bench_metric metric, struct bench_variant variants[2]);

#endif
