/* SPDX-License-Identifier: MIT
 *
 * The published figure that a benchmark's result is compared with, if there is one.
 */
#ifndef AGX_RUNNER_PUBLISHED_H
#define AGX_RUNNER_PUBLISHED_H

#include "agx_runner/results/reference.h"
#include "nir_kernels/benchmark.h"

struct published {
   double value;          /* cycles */
   const char *qualifier; /* "<", "<=", ">=", "~" or "" */
   char row[52];          /* "float/FADD32, adjusted latency" */
   enum reference_likeness likeness;
   const char *made_of; /* the sequence of the row as the source lists it; NULL: not listed */
};

/* Returns false if nothing is published. */
bool published_find(const struct benchmark *benchmark, enum bench_metric metric, struct published *published);

/* Returns the number of repetitions by which the control kernel's time is divided for this benchmark's raw latency. */
unsigned published_repetitions(const struct benchmark *benchmark);

#endif
