/* SPDX-License-Identifier: MIT
 *
 * Checks what a dispatch left in memory.
 */
#ifndef AGX_RUNNER_ANSWER_H
#define AGX_RUNNER_ANSWER_H

#include "agx_runner/measure/benchmark_pair.h"

/* Is the output in `slot` what side `side` must leave? False: `result` says where it is wrong. */
bool answer_is_right(const struct benchmark_pair *pair, unsigned side, size_t slot, struct result *result);

#endif
