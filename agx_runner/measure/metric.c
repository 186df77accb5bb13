/* SPDX-License-Identifier: MIT
 *
 * Defines a metric (nir_kernels/metrics.h) for one benchmark: its name, its unit, and the two programs that are timed.
 */
#include "agx_runner/measure/metric.h"

#include <stdio.h>

const char *metric_unit(const struct benchmark *benchmark, enum bench_metric metric)
{
   const char *unit = bench_metrics[metric].unit;

   return unit != NULL ? unit : benchmark->work_unit;
}

struct bench_occupancy metric_occupancy(const struct benchmark *benchmark, enum bench_metric metric)
{
   const struct bench_occupancy usual = bench_metrics[metric].occupancy;

   return usual.group != 0 && benchmark->occupancy.group != 0 ? benchmark->occupancy : usual;
}

void metric_name(const struct benchmark *benchmark, enum bench_metric metric, char *name, size_t size)
{
   snprintf(name, size, "%s/%s/%s", benchmark->group, benchmark->name, bench_metrics[metric].name);
}

void metric_variants(const struct benchmark *benchmark, enum bench_metric metric, struct bench_variant variants[2])
{
   variants[0] = variants[1] = benchmark->variants[metric];
   if (benchmark->scale == BENCH_SCALE_REPEAT && bench_is_timed(metric)) {
      variants[1].repeat *= 2;
      variants[1].steps *= 2;
      /* For latency, the cost of the companions must cancel, so both sides have the same number. For throughput,
       * companions should be hidden behind the operation, so each operation has its own, unless it cannot hide them. */
      const bool cancel = metric != BENCH_THROUGHPUT || benchmark->codegen.no_shadow;
      if (cancel && (benchmark->codegen.companions > 0 || benchmark->codegen.companion != NULL)) {
         variants[0].steps = variants[1].steps;
      }
   }
}
