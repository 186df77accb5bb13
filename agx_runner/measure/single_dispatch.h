/* SPDX-License-Identifier: MIT
 *
 * Metrics that are not timed, of one dispatch: whether its output is right, and how far it is from the exact result.
 */
#ifndef AGX_RUNNER_SINGLE_DISPATCH_H
#define AGX_RUNNER_SINGLE_DISPATCH_H

#include "agx_runner/measure/benchmark_pair.h"

/* Runs the pair's dispatch once, and fills in figure and check of the session's result. */
void single_dispatch_measure(struct benchmark_pair *pair);

#endif
