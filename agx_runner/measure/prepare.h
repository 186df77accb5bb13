/* SPDX-License-Identifier: MIT
 *
 * Turns a benchmark into a pair that can be timed: compiled, checked, uploaded, sized, with known answers.
 */
#ifndef AGX_RUNNER_MEASURE_PREPARE_H
#define AGX_RUNNER_MEASURE_PREPARE_H

#include "agx_runner/measure/benchmark_pair.h"

/* Compiles, checks the code, uploads, chooses the length, and checks both answers. Returns NULL if the session's result
 * has a reason. With a pair, it fills in the members of the session's result that are known. If the machine code is not
 * what a timed row is about, the pair can still be measured, and the session's result is "invalid". */
struct benchmark_pair *prepare_pair(struct session *session, const struct benchmark *benchmark,
                                    enum bench_metric metric, uint64_t seed);

/* Call it after measuring a row that prepare_pair() called "invalid": it stores the figure separately. A wrong answer,
 * a fault and a hang are failures as elsewhere; a program that cannot be timed is not one. `why`: the reason for
 * "invalid". */
void prepare_settle_other_code(struct result *result, const char *why);

/* Makes the programs longer and computes their answers again. *longer is false if they cannot be made longer. */
bool prepare_longer(struct benchmark_pair *pair, bool *longer);

#endif
