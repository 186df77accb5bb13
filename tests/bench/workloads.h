/* SPDX-License-Identifier: MIT
 *
 * The kernels of vgpu_vs_pocl.cl with what they are launched with.
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include <stdbool.h>

#include "tests/bench/side.h"

struct workload {
   struct side_work work;
   unsigned output; /* the argument */
   bool zeroed;     /* the output is added to */
   const char *unit;
   double amount; /* units of one run */
   double target; /* the ratio that this project promises */
   bool copies;   /* memcpy() of the C library does the same */
};

#define WORKLOADS 9u
extern const struct workload workloads[WORKLOADS];
#define WORKLOADS_WORDS (16u * 1024u * 1024u) /* of the largest buffer */

/* What inputs contain: WORKLOADS_WORDS words, the caller's. As floats, normal numbers from 1 to 2; as integers, any low
 * bits. NULL: out of memory. */
uint32_t *workloads_input(void);
/* A file's text, the caller's. NULL: it has been said why. */
char *workloads_source(const char *path);

#endif
