/* SPDX-License-Identifier: MIT
 *
 * How much runs at once, of a kernel that only waits (nir_kernels/occupancy/occupancy.c). docs/measuring.md, "Occupancy
 * by registers".
 */
#ifndef AGX_RUNNER_RESIDENCY_H
#define AGX_RUNNER_RESIDENCY_H

#include "agx_runner/measure/benchmark_pair.h"

/* With once.groups of one threadgroup: the most threads it may have; else the simdgroups of a core. */
void residency_measure(struct benchmark_pair *pair, struct result *result, bool *lost);

#endif
