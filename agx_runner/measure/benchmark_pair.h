/* SPDX-License-Identifier: MIT
 *
 * The data of one measurement: the two programs of a benchmark, which differ in the count of the operation alone, and
 * the memory that they work on. Side 0 is the shorter one. Every command that is in flight at the same time has an
 * output of its own (a slot); the input is shared.
 */
#ifndef AGX_RUNNER_BENCHMARK_PAIR_H
#define AGX_RUNNER_BENCHMARK_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/measure/metric.h"
#include "agx_runner/measure/session.h"
#include "agx_runner/results/result.h"

struct benchmark_side {
   struct bench_variant variant;
   struct asahi_program *program; /* side 1 may share side 0's */
   uint32_t iterations, threads;
   uint8_t *expected;                    /* output_bytes; NULL: no answer is known (yet) */
   double nanoseconds, host_nanoseconds; /* of the last run, by the device and by session_span.wanted */
};

struct benchmark_pair {
   struct session *session;
   const struct benchmark *benchmark;
   enum bench_metric metric;
   uint64_t seed;
   struct benchmark_side sides[2]; /* alike with a metric that is not timed: one program, the benchmark's `once` */
   struct agx_argument arguments[BENCH_ARGUMENTS_MAX]; /* of the program */
   uint32_t argument_bytes;
   uint32_t threadgroup_bytes;     /* of the program itself */
   uint32_t part_threads;          /* of a command, where a dispatch is several; 0: it is one */
   struct bench_dispatch dispatch; /* of a metric that is not timed */
   bool beyond;                    /* ask the device also for what the client would refuse */
   bool length_was_tried;          /* at the clock under load (length.h) */

   /* Where the session's device checks what it executes: the program that its findings are in, with source lines. NULL:
    * the sides have a program each, and a finding does not say which of them it is in. */
   struct agx_program *checked;

   struct asahi_buffer *input;
   uint8_t *initial; /* an output as it is before a dispatch */
   size_t output_bytes;
   struct asahi_buffer *outputs[ASAHI_COMMANDS_MAX]; /* by slot */
   size_t output_count;
};

/* The group and what limits occupancy. */
struct bench_occupancy benchmark_pair_occupancy(const struct benchmark_pair *pair);

/* Memory for the larger side, filled; what there was goes. 0 or what the device says; -ENOMEM. */
int benchmark_pair_allocate(struct benchmark_pair *pair);
/* At least so many slots, up to ASAHI_COMMANDS_MAX. */
int benchmark_pair_reserve(struct benchmark_pair *pair, size_t slots);
void benchmark_pair_destroy(struct benchmark_pair *pair); /* NULL is fine */

/* The memory that a side works on; output: as it is before a dispatch. */
struct bench_io benchmark_pair_io(const struct benchmark_pair *pair, unsigned side);
/* What the last dispatch into that slot left, output_bytes of it. */
const uint8_t *benchmark_pair_output(const struct benchmark_pair *pair, size_t slot);

/* Resets the slot's output, writes the argument block (argument_bytes of it), and makes the dispatch that reads it. */
struct asahi_dispatch benchmark_pair_dispatch(const struct benchmark_pair *pair, unsigned side, size_t slot,
                                              uint8_t *block);

/* Can the benchmark's dispatch be run as several commands? */
bool benchmark_pair_has_parts(const struct benchmark_pair *pair);
/* Makes of benchmark_pair_dispatch()'s dispatch and argument block the command of `threads` threads from `first` on. */
void benchmark_pair_set_part(const struct benchmark_pair *pair, uint32_t first, uint32_t threads,
                             struct asahi_dispatch *dispatch, uint8_t *block);

/* What side 1 does more than side 0: see docs/measuring.md. */
double benchmark_pair_issue_cycles(const struct benchmark_pair *pair); /* operations a scheduler, of all simdgroups */
double benchmark_pair_chain(const struct benchmark_pair *pair);        /* operations in a row */
double benchmark_pair_work(const struct benchmark_pair *pair);         /* benchmark->work units */

/* What one sample has timed; 0: not part of it. */
struct benchmark_pair_times {
   double shorter_ns, longer_ns, control_ns;
   double reference_ns; /* the difference that the clock was inferred from, the mean of two */
   double clock_hz;
};

/* The cost in the metric's unit; not finite: the times have no slope. */
double benchmark_pair_cost(const struct benchmark_pair *pair, const struct benchmark_pair_times *times);
/* By how much the cost may be off because timestamps step by so many nanoseconds: half of a 95 % interval. */
double benchmark_pair_resolution(const struct benchmark_pair *pair, const struct benchmark_pair_times *times,
                                 double step_ns);

/* Why a result has no figure. Both return false. *lost: the run must end, because the device is gone or memory is. */
bool measure_no_memory(struct result *result, bool *lost);
bool measure_device_failed(const struct session *session, struct result *result, const char *what, int error,
                           bool *lost);

#endif
