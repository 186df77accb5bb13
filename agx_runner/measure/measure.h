/* SPDX-License-Identifier: MIT
 *
 * Measures one benchmark: two programs (or one, run twice as long) that differ in the count of the operation alone,
 * timed in turns; the difference is the cost. docs/measuring.md says it at length.
 */
#ifndef AGX_RUNNER_MEASURE_H
#define AGX_RUNNER_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "agx_runner/terminal/progress.h"
#include "agx_runner/statistics/random.h"
#include "agx_runner/results/result.h"
#include "agx_runner/measure/session.h"
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

struct measure {
   struct session *session;
   uint32_t samples;
   uint64_t seed;
   bool infer_clock;
   double clock_hz;           /* that is taken for granted; 0: inferred */
   struct progress *progress; /* may be NULL */
   struct random random;      /* of orders */
   struct pair *calibration;  /* what the clock is inferred from; made at first use */
   struct pair *controls[2];  /* empty loops of 16-bit and 32-bit values; made at first use */
};

void measure_start(struct measure *measure, struct session *session, uint32_t samples, uint64_t seed, bool infer_clock);
/* Takes this clock for granted. It shows what comes of that where the clock changes. */
void measure_assume_clock(struct measure *measure, double hz);
void measure_finish(struct measure *measure);

/* Fills `result`. False: the run must end (interrupted, device lost, no memory; `result` says so). */
bool measure_benchmark(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                       struct result *result);

#endif
