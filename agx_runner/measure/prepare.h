/* SPDX-License-Identifier: MIT
 *
 * From a benchmark to a pair that can be timed: compiled, checked, uploaded, sized, with answers known.
 */
#ifndef AGX_RUNNER_MEASURE_PREPARE_H
#define AGX_RUNNER_MEASURE_PREPARE_H

#include "agx_runner/measure/benchmark_pair.h"

/* Compiles, checks the code, uploads, chooses how long to run, and checks both answers. NULL: `result` says why. With a
 * pair, what of `result` is known by now is filled. Where the machine code is not what a timed row is about, the pair
 * can be measured all the same, and `result` is "invalid". */
struct benchmark_pair *prepare_pair(struct session *session, const struct benchmark *benchmark,
                                    enum bench_metric metric, uint64_t seed, struct result *result, bool *lost);

/* Of a row that prepare_pair() called "invalid", after a measurement: the figure is kept apart. A wrong answer, a fault
 * and a hang are failures as elsewhere; that right code cannot be timed is none. `why`: the reason for "invalid". */
void prepare_settle_other_code(struct result *result, const char *why);

/* Makes the programs longer and finds their answers again. *longer is false where they cannot be made longer. */
bool prepare_longer(struct benchmark_pair *pair, bool *longer, struct result *result, bool *lost);

#endif
