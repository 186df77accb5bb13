/* SPDX-License-Identifier: MIT */
#include "agx_runner/measure/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/results/published.h"
#include "agx_runner/measure/single_dispatch.h"
#include "agx_runner/measure/benchmark_pair.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/statistics/stats.h"
#include "nir_kernels/chain.h"

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
            .definition = "latency, and besides it the time of an empty kernel, spread over the operations: what is "
                          "measured where nothing is subtracted",
            .formula = "(time(2n) - time(n)) * clock / (iterations * n) + time(control) * clock / repetitions",
            .group = 128,
            .threadgroups_per_core = 1,
            .threadgroup_bytes = 32768,
        },
    [BENCH_CONTROL] =
        {
            .name = "control",
            .definition =
                "the whole time of a kernel without operations, spread over repetitions that it does not hold",
            .formula = "time * clock / repetitions",
            .group = 128,
            .threadgroups_per_core = 1,
            .threadgroup_bytes = 32768,
        },
    [BENCH_RATE] =
        {
            .name = "rate",
            .definition = "what the whole GPU does in a second, lane by lane",
            .formula = "(work(2n) - work(n)) / (time(2n) - time(n))",
            .group = 256,
            .threadgroups_per_core = 3,
            .threadgroup_bytes = 16384,
        },
    [BENCH_CHECK] =
        {
            .name = "check",
            .definition = "is what one dispatch leaves in memory what the host computes?",
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
            .definition = "what runs at once: as many as can be added before some have to wait for others to end",
            .formula = "the most for which time < 1.5 * time of one",
        },
};

/* The clock is inferred from this: single-precision additions in four chains, at an occupancy that fills the ALUs, take
 * so many cycles each (results/reference/ilp_occupancy.csv: FADD, ILP 4, 88 simdgroups a core). */
#define CALIBRATION_GROUP "float"
#define CALIBRATION_NAME "fadd32"
#define CALIBRATION_CYCLES 1.01

/* The control kernels of 1440 repetitions: their whole time is what every raw latency of the source holds. */
#define CONTROL_GROUP "control"
static const char *const control_names[2] = {"loop16-1440", "loop32-1440"};

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

void measure_start(struct measure *measure, struct session *session, uint32_t samples, uint64_t seed, bool infer_clock)
{
   *measure = (struct measure){.session = session, .samples = samples, .seed = seed, .random = {seed}};
   measure->infer_clock = infer_clock || session->info->clock_hz == 0;
   measure->clock_hz = (double)session->info->clock_hz;
}

void measure_assume_clock(struct measure *measure, double hz)
{
   measure->infer_clock = false;
   measure->clock_hz = hz;
}

void measure_finish(struct measure *measure)
{
   pair_destroy(measure->calibration);
   pair_destroy(measure->controls[0]);
   pair_destroy(measure->controls[1]);
   *measure = (struct measure){0};
}

/* A rate a second needs no clock. */
static bool needs_calibration(const struct measure *measure, const struct benchmark *benchmark,
                              enum bench_metric metric)
{
   return measure->infer_clock && (metric != BENCH_RATE || benchmark->per_cycle);
}

/* One that others are measured with; made when it is first needed. */
static bool make_helper(struct measure *measure, const char *group, const char *name, enum bench_metric metric,
                        struct pair **pair, const char *what, struct result *result, bool *lost)
{
   struct result own = {0};

   for (size_t i = 0; *pair == NULL && i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);

      if (!strcmp(benchmark->group, group) && !strcmp(benchmark->name, name)) {
         *pair = pair_create(measure->session, benchmark, metric, measure->seed, &own, lost);
         break;
      }
   }
   if (*pair == NULL) {
      result_set(result, RESULT_FAIL, "%s: %.200s", what, own.reason);
   }
   return *pair != NULL;
}

/* What is timed in one sample. */
enum { TIMED_ITSELF, TIMED_CALIBRATION, TIMED_CONTROL, TIMED_COUNT };

/* Finds those that are needed besides. False: one cannot be had. */
static bool gather(struct measure *measure, struct pair *pair, struct pair *pairs[TIMED_COUNT], struct result *result,
                   bool *lost)
{
   const struct bench_chain *chain = pair->benchmark->chain;
   const bool half = chain != NULL && (chain->type == BENCH_F16 || chain->type == BENCH_U16);
   struct pair **control = &measure->controls[!half];

   pairs[TIMED_ITSELF] = pair;
   if (needs_calibration(measure, pair->benchmark, pair->metric)) {
      if (!make_helper(measure, CALIBRATION_GROUP, CALIBRATION_NAME, BENCH_THROUGHPUT, &measure->calibration,
                       "the clock cannot be inferred", result, lost)) {
         return false;
      }
      pairs[TIMED_CALIBRATION] = measure->calibration;
   }
   if (pair->metric == BENCH_RAW_LATENCY) {
      if (!make_helper(measure, CONTROL_GROUP, control_names[!half], BENCH_CONTROL, control, "no control kernel",
                       result, lost)) {
         return false;
      }
      pairs[TIMED_CONTROL] = *control;
   }
   return true;
}

/* One sample: every side once, in random order. */
static bool take_sample(struct measure *measure, struct pair *const pairs[TIMED_COUNT], double times[TIMED_COUNT][2],
                        struct result *result, bool *lost)
{
   unsigned order[2 * TIMED_COUNT], count = 0;

   for (unsigned i = 0; i < TIMED_COUNT; i++) {
      if (pairs[i] != NULL) {
         order[count++] = 2 * i;
         order[count++] = 2 * i + 1;
      }
   }
   for (unsigned i = count - 1; i > 0; i--) {
      const unsigned j = random_below(&measure->random, i + 1), swap = order[i];

      order[i] = order[j];
      order[j] = swap;
   }
   for (unsigned i = 0; i < count; i++) {
      const unsigned pair = order[i] / 2, side = order[i] % 2;

      if (session_interrupted(measure->session)) {
         result_set(result, RESULT_FAIL, "interrupted");
         *lost = true;
         return false;
      }
      if (!pair_run(pairs[pair], side, &times[pair][side], result, lost)) {
         return false;
      }
   }
   return true;
}

/* The cost in the metric's unit. Noise can make one sample's longer program the faster: the cost is then negative, and
 * stays a sample, or the median would lean to one side; a rate is NAN. */
static double cost(const struct pair *pair, double times[TIMED_COUNT][2], double clock_hz)
{
   const double nanoseconds = times[TIMED_ITSELF][1] - times[TIMED_ITSELF][0];
   const double cycles = nanoseconds * 1e-9 * clock_hz;

   if (pair->metric == BENCH_CONTROL) {
      return times[TIMED_ITSELF][0] * 1e-9 * clock_hz / pair->benchmark->control.repetitions;
   }
   switch (pair->metric) {
   case BENCH_THROUGHPUT:
      return cycles / pair_issue_cycles(pair);
   case BENCH_LATENCY:
      return cycles / pair_chain(pair);
   case BENCH_RAW_LATENCY:
      return cycles / pair_chain(pair) +
             times[TIMED_CONTROL][0] * 1e-9 * clock_hz / published_repetitions(pair->benchmark);
   default:
      if (nanoseconds <= 0) {
         return NAN;
      }
      return pair->benchmark->per_cycle ? 32.0 * SCHEDULERS * pair_issue_cycles(pair) / cycles
                                        : pair_work(pair) / nanoseconds;
   }
}

static bool sample(struct measure *measure, struct pair *pair, double *costs, double *clocks, struct result *result,
                   bool *lost)
{
   struct pair *pairs[TIMED_COUNT] = {NULL};

   if (!gather(measure, pair, pairs, result, lost)) {
      return false;
   }
   for (uint32_t i = 0; i < measure->samples; i++) {
      double times[TIMED_COUNT][2];

      progress_update(measure->progress, (double)i / measure->samples);
      if (!take_sample(measure, pairs, times, result, lost)) {
         return false;
      }
      clocks[i] = measure->clock_hz;
      if (pairs[TIMED_CALIBRATION] != NULL) {
         clocks[i] = CALIBRATION_CYCLES * pair_issue_cycles(pairs[TIMED_CALIBRATION]) /
                     ((times[TIMED_CALIBRATION][1] - times[TIMED_CALIBRATION][0]) * 1e-9);
      }
      if (times[0][0] <= 0 && times[0][1] <= 0) {
         result_set(result, RESULT_SKIP, "the device's timing is off: answers only");
         return false;
      }
      costs[i] = cost(pair, times, clocks[i]);
      if (!isfinite(costs[i]) || clocks[i] <= 0) {
         result_set(result, RESULT_FAIL, "no slope: %.0f ns, and %.0f ns for twice as much", times[0][0], times[0][1]);
         return false;
      }
   }
   return true;
}

static bool summarize(struct measure *measure, const struct pair *pair, double *costs, double *clocks,
                      struct result *result, bool *lost)
{
   struct stats_interval interval;

   if (stats_bootstrap(costs, measure->samples, measure->seed, &interval) < 0) {
      result_set(result, RESULT_FAIL, "out of memory");
      *lost = true;
      return false;
   }
   if (interval.low <= 0) {
      result_set(result, RESULT_FAIL, "no slope: between %.3g and %.3g %s; try more --samples", interval.low,
                 interval.high, result->unit);
      return false;
   }
   result->value = interval.median;
   result->low = interval.low;
   result->high = interval.high;
   result->samples = costs;
   result->sample_count = measure->samples;
   if (pair->metric != BENCH_RATE) {
      result->clock_hz = (uint64_t)stats_median(clocks, measure->samples);
   }
   return true;
}

bool measure_benchmark(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                       struct result *result)
{
   bool lost = false;

   if (benchmark->skip != NULL) {
      result_set(result, RESULT_SKIP, "%s", benchmark->skip);
      return true;
   }
   if (!bench_is_timed(metric)) {
      return once_measure(measure, benchmark, metric, result);
   }
   if (benchmark->needs_atomics_64 && once_absent(measure->session->info) != NULL) {
      result_set(result, RESULT_SKIP, "%s", once_absent(measure->session->info));
      return true;
   }
   struct pair *pair = pair_create(measure->session, benchmark, metric, measure->seed, result, &lost);
   double *costs = calloc(measure->samples, sizeof(*costs));
   double *clocks = calloc(measure->samples, sizeof(*clocks));
   bool kept = false;

   if (costs == NULL || clocks == NULL) {
      result_set(result, RESULT_FAIL, "out of memory");
      lost = true;
   } else if (pair != NULL) {
      kept =
          sample(measure, pair, costs, clocks, result, &lost) && summarize(measure, pair, costs, clocks, result, &lost);
   }
   if (!kept) {
      free(costs);
   }
   free(clocks);
   pair_destroy(pair);
   return !lost;
}
