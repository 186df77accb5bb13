/* SPDX-License-Identifier: MIT
 *
 * The two sides of a measurement, ready to run: programs uploaded, memory filled, answers known.
 */
#ifndef AGX_RUNNER_PAIR_H
#define AGX_RUNNER_PAIR_H

#include "agx_runner/measure/measure.h"

struct side {
   struct bench_variant variant;
   struct asahi_program *program; /* side 1 may share side 0's */
   uint32_t iterations, threads;
   uint8_t *expected; /* output_bytes */
};

struct pair {
   struct session *session;
   const struct benchmark *benchmark;
   enum bench_metric metric;
   /* With a metric that is no time both are alike: one program, the benchmark's `once`. */
   struct side sides[2];
   struct agx_argument arguments[BENCH_ARGUMENTS_MAX]; /* of the program */
   uint32_t argument_bytes;
   struct asahi_buffer *input, *output;
   uint8_t *initial; /* output as it is before a dispatch */
   size_t output_bytes;
   uint64_t seed;
   struct bench_once once;     /* of a metric that is no time */
   uint32_t threadgroup_bytes; /* of the program itself */
   bool beyond;                /* ask the device also for what the client would refuse */
};

/* Compiles, checks the code, uploads, chooses how long to run, and checks both answers. NULL: `result` says why. With a
 * pair, what of `result` is known by now is filled. *lost: the device is gone, or memory is. */
struct pair *pair_create(struct session *session, const struct benchmark *benchmark, enum bench_metric metric,
                         uint64_t seed, struct result *result, bool *lost);
/* The memory that a side works on; output: as it is before a dispatch. */
struct bench_io pair_io(const struct pair *pair, unsigned index);
/* What the last dispatch left, output_bytes of it. */
const uint8_t *pair_output(const struct pair *pair);
void pair_destroy(struct pair *pair); /* NULL is fine */

/* Runs one side and checks its answer. False: as above. */
bool pair_run(struct pair *pair, unsigned side, double *nanoseconds, struct result *result, bool *lost);

/* What side 1 does more than side 0: see docs/measuring.md. */
double pair_issue_cycles(const struct pair *pair); /* operations for each scheduler, all simdgroups' together */
double pair_chain(const struct pair *pair);        /* operations in a row */
double pair_work(const struct pair *pair);         /* benchmark->work units */

#endif
