/* SPDX-License-Identifier: MIT
 *
 * The metrics: definition, unit, formula, and the occupancy that each is measured at. One row describes one metric.
 */
#include "agx_runner/measure/metric.h"

#include <stdio.h>

/* 24 simdgroups a core: the least at which the source saw the ALUs full (spec/pipelines.md). A core has about 60 KB of
 * threadgroup memory, of which a threadgroup takes 32 KiB at most: so 16 KiB let three threadgroups in, and 32 KiB
 * one. */
const struct metric_info metric_infos[BENCH_METRIC_COUNT] = {
    [BENCH_THROUGHPUT] =
        {
            .name = "throughput",
            .definition = "cycles that one scheduler spends on the operation for one simdgroup (32 lanes), many "
                          "simdgroups at once",
            .formula = "(time(2n) - time(n)) * clock * cores * 4 / (simdgroups * iterations * n * chains)",
            .group = 256,
            .threadgroups_per_core = 3,
            .threadgroup_bytes = 16384,
        },
    [BENCH_LATENCY] =
        {
            .name = "latency",
            .definition = "cycles from one operation to the next that needs its result, one simdgroup a scheduler",
            .formula = "(time(2n) - time(n)) * clock / (iterations * n)",
            .group = 128,
            .threadgroups_per_core = 1,
            .threadgroup_bytes = 32768,
        },
    [BENCH_RAW_LATENCY] =
        {
            .name = "raw-latency",
            .definition = "latency, plus the whole time of an empty kernel divided by the operations: nothing is "
                          "subtracted, command overhead included",
            .formula = "(time(2n) - time(n)) * clock / (iterations * n) + time(control) * clock / repetitions",
            .group = 128,
            .threadgroups_per_core = 1,
            .threadgroup_bytes = 32768,
        },
    [BENCH_CONTROL] =
        {
            .name = "control",
            .definition = "the whole time of a kernel without operations, divided by a count of repetitions: command "
                          "overhead included",
            .formula = "time * clock / repetitions",
            .group = 128,
            .threadgroups_per_core = 1,
            .threadgroup_bytes = 32768,
        },
    [BENCH_RATE] =
        {
            .name = "rate",
            .definition = "operations (or bytes) of all lanes of the GPU in a second",
            .formula = "(work(2n) - work(n)) / (time(2n) - time(n))",
            .group = 256,
            .threadgroups_per_core = 3,
            .threadgroup_bytes = 16384,
        },
    [BENCH_CHECK] =
        {
            .name = "check",
            .definition = "one dispatch leaves in memory what the host computes",
            .formula = "none: pass or fail",
        },
    [BENCH_MAX_ERROR] =
        {
            .name = "max-error",
            .definition = "the largest distance from the exact result, over all inputs of one dispatch",
            .formula = "max |result - exact| / ulp(exact)",
        },
    [BENCH_MEAN_ERROR] =
        {
            .name = "mean-error",
            .definition = "the mean distance from the exact result, over all inputs of one dispatch",
            .formula = "mean |result - exact| / ulp(exact)",
        },
    [BENCH_RESIDENT] =
        {
            .name = "resident",
            .definition =
                "threads or simdgroups that run at once: the most that can be added before some wait for others to end",
            .formula = "the most for which time < 1.5 * time of one",
        },
};

const char *metric_unit(const struct benchmark *benchmark, enum bench_metric metric)
{
   switch (metric) {
   case BENCH_CHECK:
      return "";
   case BENCH_MAX_ERROR:
   case BENCH_MEAN_ERROR:
      return "ulp";
   case BENCH_RATE:
   case BENCH_RESIDENT:
      return benchmark->work_unit;
   default:
      return "cycles";
   }
}

void metric_name(const struct benchmark *benchmark, enum bench_metric metric, char *name, size_t size)
{
   snprintf(name, size, "%s/%s/%s", benchmark->group, benchmark->name, metric_infos[metric].name);
}

void metric_variants(const struct benchmark *benchmark, enum bench_metric metric, struct bench_variant variants[2])
{
   variants[0] = variants[1] = benchmark->variants[metric];
   if (benchmark->scale == BENCH_SCALE_REPEAT && bench_is_timed(metric)) {
      variants[1].repeat *= 2;
      variants[1].steps *= 2;
      /* Latency: the companions' share must cancel, so both sides have as many. Throughput: they are meant to run in
       * the operation's shadow, which takes as many operations, unless it leaves none. */
      const bool cancel = metric != BENCH_THROUGHPUT || benchmark->codegen.no_shadow;
      if (cancel && (benchmark->codegen.companions > 0 || benchmark->codegen.companion != NULL)) {
         variants[0].steps = variants[1].steps;
      }
   }
}
