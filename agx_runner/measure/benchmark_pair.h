/* SPDX-License-Identifier: MIT
 *
 * The data of one measurement: the two programs of a benchmark, which differ only in the count of the operation, and
 * the memory that they work on. Side 0 is the shorter one. Each command that is in flight at the same time has its own
 * output (a slot); the input is shared.
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
   struct asahi_program *program; /* side 1 may share the program of side 0 */
   uint32_t iterations, threads;
   uint8_t *expected;                    /* output_bytes long; NULL: the answer is not known (yet) */
   double nanoseconds, host_nanoseconds; /* time of the last run: of the device, and session_span.wanted */
};

struct benchmark_pair {
   struct session *session;
   const struct benchmark *benchmark;
   enum bench_metric metric;
   uint64_t seed;
   struct benchmark_side sides[2]; /* equal for a metric that is not timed: one program, the benchmark's `once` */
   struct agx_argument arguments[BENCH_ARGUMENTS_MAX]; /* the program's arguments */
   uint32_t argument_bytes;
   uint32_t threadgroup_bytes; /* threadgroup memory that the program itself uses */
   /* threads of a command if a dispatch is split into several; 0: it is one command */
   uint32_t part_threads;
   struct bench_dispatch dispatch; /* the dispatch of a metric that is not timed */
   bool beyond;                    /* also run what the client would refuse, so that the device decides */
   bool length_was_tried;          /* the length has been tried at the clock under load (length.h) */

   /* If the session's device checks programs: the program with source lines in which its findings are reported. NULL:
    * the sides have a program each, and a finding does not say which one it is in. */
   struct agx_program *checked;

   struct asahi_buffer *input;
   uint8_t *initial; /* content of an output before a dispatch */
   size_t output_bytes;
   struct asahi_buffer *outputs[ASAHI_COMMANDS_MAX]; /* one for each slot */
   size_t output_count;
};

/* Returns the group size and what limits occupancy. */
struct bench_occupancy benchmark_pair_occupancy(const struct benchmark_pair *pair);

/* Allocates and fills memory for the larger side, and frees the previous memory. Returns 0, the device's negative
 * errno, or -ENOMEM. */
int benchmark_pair_allocate(struct benchmark_pair *pair);
/* Ensures at least `slots` slots, up to ASAHI_COMMANDS_MAX. */
int benchmark_pair_reserve(struct benchmark_pair *pair, size_t slots);
void benchmark_pair_destroy(struct benchmark_pair *pair); /* NULL is fine */

/* Returns the memory that a side works on; the output has its content before a dispatch. */
struct bench_io benchmark_pair_io(const struct benchmark_pair *pair, unsigned side);
/* Returns what the last dispatch into that slot has written, output_bytes long. */
const uint8_t *benchmark_pair_output(const struct benchmark_pair *pair, size_t slot);

/* Resets the slot's output, writes the argument block (argument_bytes long), and makes the dispatch that reads it. */
struct asahi_dispatch benchmark_pair_dispatch(const struct benchmark_pair *pair, unsigned side, size_t slot,
                                              uint8_t *block);

/* Whether the benchmark's dispatch can be split into several commands. */
bool benchmark_pair_has_parts(const struct benchmark_pair *pair);
/* Changes the dispatch and argument block of benchmark_pair_dispatch() into the command of `threads` threads from
 * `first` on. */
void benchmark_pair_set_part(const struct benchmark_pair *pair, uint32_t first, uint32_t threads,
                             struct asahi_dispatch *dispatch, uint8_t *block);

/* The work of side 1 less that of side 0: see docs/measuring.md. */
/* operations of all simdgroups on one scheduler */
double benchmark_pair_issue_cycles(const struct benchmark_pair *pair);
double benchmark_pair_chain(const struct benchmark_pair *pair); /* operations in a dependency chain */
double benchmark_pair_work(const struct benchmark_pair *pair);  /* benchmark->work units */

/* The times of one sample; 0: not timed. */
struct benchmark_pair_times {
   double shorter_ns, longer_ns, control_ns;
   double reference_ns; /* the difference from which the clock was inferred, the mean of two */
   double clock_hz;
};

/* Returns the cost in the metric's unit. It is not finite if the longer side took no longer. */
double benchmark_pair_cost(const struct benchmark_pair *pair, const struct benchmark_pair_times *times);
/* Returns the error of the cost, as half of a 95 % interval, that comes from timestamps which step by `step_ns`
 * nanoseconds. */
double benchmark_pair_resolution(const struct benchmark_pair *pair, const struct benchmark_pair_times *times,
                                 double step_ns);

/* Set the reason why the session's result has no figure, and session->lost where the run must end. Both return
 * false. */
bool measure_no_memory(struct session *session);
bool measure_device_failed(struct session *session, const char *what, int error);

#endif
