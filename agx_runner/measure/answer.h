/* SPDX-License-Identifier: MIT
 *
 * Is what a dispatch left in memory right?
 */
#ifndef AGX_RUNNER_ANSWER_H
#define AGX_RUNNER_ANSWER_H

#include "agx_runner/measure/benchmark_pair.h"

/* Of side `index`, which ran last. False: `result` says where it is wrong. */
bool answer_is_right(const struct pair *pair, unsigned index, struct result *result);

#endif
