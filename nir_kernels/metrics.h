/* SPDX-License-Identifier: MIT
 *
 * The metrics. One row of BENCH_METRICS describes one metric completely. The enum, units, directions, formulas, costs,
 * `describe` and the table of docs/measuring.md follow from the rows.
 */
#ifndef NIR_KERNELS_METRICS_H
#define NIR_KERNELS_METRICS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* How many threads run at once, and the threadgroup memory that keeps more from joining them. */
struct bench_occupancy {
   uint32_t group;                 /* threads of a threadgroup */
   uint32_t threadgroups_per_core; /* at once */
   uint32_t threadgroup_bytes;     /* of each */
   uint16_t half_registers;        /* of each thread, where these keep them out instead; 0: as the program needs */
};

/* 24 simdgroups a core: the least at which the source saw the ALUs full (spec/pipelines.md). A core has about 60 KB of
 * threadgroup memory, of which a threadgroup takes 32 KiB at most: so 16 KiB let three threadgroups in, and 32 KiB
 * one. */
#define BENCH_FULL                                                                                                     \
   {                                                                                                                   \
      256, 3, 16384, 0                                                                                                 \
   }
#define BENCH_ALONE                                                                                                    \
   {                                                                                                                   \
      128, 1, 32768, 0                                                                                                 \
   } /* one simdgroup a scheduler */
#define BENCH_GIVEN                                                                                                    \
   {                                                                                                                   \
      0, 0, 0, 0                                                                                                       \
   } /* the benchmark says (struct bench_dispatch) */

/* Which programs one sample of a metric times. */
enum bench_timing {
   BENCH_UNTIMED, /* none: the figure is one of what a dispatch leaves in memory, or launches_measure() and others find
                     it */
   BENCH_ONE,     /* the shorter program alone */
   BENCH_BOTH,    /* the shorter and the longer program */
   BENCH_CLOCKLESS,    /* both; the figure needs no clock, unless it is one a cycle */
   BENCH_BOTH_CONTROL, /* both, and the control kernel */
};

/* One sample: what was timed, and what the longer program did more than the shorter one. */
struct bench_sample {
   double shorter_ns, longer_ns, control_ns;
   double clock_hz;
   double issues;      /* operations that one scheduler issued for simdgroups */
   double chain;       /* operations of each chain */
   double work;        /* of the whole grid: operations or bytes */
   double core_lanes;  /* lanes that the schedulers of a core serve in one issue */
   double repetitions; /* that the control kernel's time is divided by */
   bool per_cycle;     /* a rate is one a cycle and core */
   double
       dispatch_work; /* of one dispatch whose whole time is taken, in units of a thousand millionth of the metric's */
};

static inline double bench_cycles(const struct bench_sample *s, double nanoseconds)
{
   return nanoseconds * 1e-9 * s->clock_hz;
}

static inline double bench_slope(const struct bench_sample *s)
{
   return bench_cycles(s, s->longer_ns - s->shorter_ns);
}

/* clang-format off */
/* METRIC(identifier, name, unit, better, timing, occupancy, definition, formula, cost). The name is the last part of a
 * result's name. The unit is NULL where the benchmark says it, "" where there is no figure. Better is LESS or MORE. The
 * cost is what a sample `s` gives, in the metric's unit: noise can make the longer program of a sample the faster. The
 * cost is then negative, and stays a sample, or the median would lean to one side; a rate is NAN. */
#define BENCH_METRICS(METRIC) \
   METRIC(THROUGHPUT, "throughput", "cycles", LESS, BENCH_BOTH, BENCH_FULL, \
          "cycles that one scheduler spends on the operation for one simdgroup (32 lanes), many simdgroups at once", \
          "(time(2n) - time(n)) * clock * cores * 4 / (simdgroups * iterations * n * chains)", \
          bench_slope(s) / s->issues) \
   METRIC(LATENCY, "latency", "cycles", LESS, BENCH_BOTH, BENCH_ALONE, \
          "cycles from one operation to the next that needs its result, one simdgroup a scheduler", \
          "(time(2n) - time(n)) * clock / (iterations * n)", \
          bench_slope(s) / s->chain) \
   METRIC(RAW_LATENCY, "raw-latency", "cycles", LESS, BENCH_BOTH_CONTROL, BENCH_ALONE, \
          "latency, plus the whole time of an empty kernel divided by the operations: nothing is subtracted, command " \
          "overhead included (a virtual device has none without dvfs=command, and then lies up to 1.1 cycles below " \
          "what is published)", \
          "(time(2n) - time(n)) * clock / (iterations * n) + time(control) * clock / repetitions", \
          bench_slope(s) / s->chain + bench_cycles(s, s->control_ns) / s->repetitions) \
   METRIC(CONTROL, "control", "cycles", LESS, BENCH_ONE, BENCH_ALONE, \
          "the whole time of a kernel without operations, divided by a count of repetitions: command overhead included", \
          "time * clock / repetitions", \
          bench_cycles(s, s->shorter_ns) / s->repetitions) \
   METRIC(RATE, "rate", NULL, MORE, BENCH_CLOCKLESS, BENCH_FULL, \
          "operations (or bytes) of all lanes of the GPU in a second", \
          "(work(2n) - work(n)) / (time(2n) - time(n))", \
          s->longer_ns <= s->shorter_ns ? NAN \
          : s->per_cycle                ? s->core_lanes * s->issues / bench_slope(s) \
                                        : s->work / (s->longer_ns - s->shorter_ns)) \
   METRIC(DISPATCH, "dispatch", NULL, MORE, BENCH_ONE, BENCH_GIVEN, \
          "operations of one whole dispatch in a second: start, end and idle cores included", \
          "work / time", \
          s->shorter_ns > 0 ? s->dispatch_work / s->shorter_ns : NAN) \
   METRIC(CHECK, "check", "", LESS, BENCH_UNTIMED, BENCH_GIVEN, \
          "one dispatch leaves in memory what the host computes", \
          "none: pass or fail", NAN) \
   METRIC(MAX_ERROR, "max-error", "ulp", LESS, BENCH_UNTIMED, BENCH_GIVEN, \
          "the largest distance from the exact result, over all inputs of one dispatch", \
          "max(abs(result - exact) / ulp(exact))", NAN) \
   METRIC(MEAN_ERROR, "mean-error", "ulp", LESS, BENCH_UNTIMED, BENCH_GIVEN, \
          "the mean distance from the exact result, over all inputs of one dispatch", \
          "mean(abs(result - exact) / ulp(exact))", NAN) \
   METRIC(WRONG, "wrong", "elements", LESS, BENCH_UNTIMED, BENCH_GIVEN, \
          "elements of one dispatch's output that differ from what the benchmark's hypothesis says", \
          "count(output != hypothesis)", NAN) \
   METRIC(RESIDENCY, "residency", NULL, MORE, BENCH_UNTIMED, BENCH_GIVEN, \
          "threads or simdgroups that run at once: the most that can be added before some wait for others to end", \
          "the most for which time < 1.5 * time of one", NAN) \
   METRIC(LAUNCH, "launch", "ns", LESS, BENCH_UNTIMED, BENCH_GIVEN, \
          "nanoseconds of a command, of a launch in it, or before it starts: the benchmark says which", \
          "a time, or a difference of times over the launches between them", NAN) \
   METRIC(OVERLAP, "overlap", "launches", MORE, BENCH_UNTIMED, BENCH_GIVEN, \
          "launches of one command that run side by side", \
          "launches * (time(one) - time(one, empty)) / (time(all) - time(all, empty))", NAN)
/* clang-format on */

enum bench_metric {
#define BENCH_METRIC_ID(id, ...) BENCH_##id,
   BENCH_METRICS(BENCH_METRIC_ID)
#undef BENCH_METRIC_ID
       BENCH_METRIC_COUNT
};

struct bench_metric_info {
   const char *name, *unit, *definition, *formula;
   bool more_is_better;
   enum bench_timing timing;
   struct bench_occupancy occupancy;
   double (*cost)(const struct bench_sample *s);
};
extern const struct bench_metric_info bench_metrics[BENCH_METRIC_COUNT];

static inline bool bench_is_timed(enum bench_metric metric)
{
   return bench_metrics[metric].timing != BENCH_UNTIMED;
}

#endif
