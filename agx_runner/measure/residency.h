/* SPDX-License-Identifier: MIT
 *
 * How many threads of a kernel that only waits (nir_kernels/occupancy/occupancy.c) run at once. docs/measuring.md,
 * "Occupancy by registers".
 */
#ifndef AGX_RUNNER_RESIDENCY_H
#define AGX_RUNNER_RESIDENCY_H

#include "agx_runner/measure/benchmark_pair.h"

/* If the benchmark has once.groups, measures the most threads of one threadgroup; otherwise the simdgroups of a
 * core. */
void residency_measure(struct benchmark_pair *pair);

#endif
