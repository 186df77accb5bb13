/* SPDX-License-Identifier: MIT
 *
 * The length of the two programs of a benchmark pair: long enough for the timestamps' resolution, and so long that the
 * loop outweighs what comes before and after it. What a loop costs depends a little on its length, so a length that
 * was chosen at a low clock is tried again under load.
 */
#ifndef AGX_RUNNER_LENGTH_H
#define AGX_RUNNER_LENGTH_H

#include "agx_runner/measure/run.h"

/* A longer command freezes a desktop: compute is not preempted below 40 to 50 ms. */
#define LENGTH_COMMAND_NS_MAX 20e6
/* least steps of the timestamps' counter in the difference of both sides: 20 us at 24 MHz */
#define LENGTH_STEPS_MIN 480
/* Number of probe commands: side 0, side 0 with twice the iterations, side 1, in turn. A frame of a compositor hits few
 * of each kind. */
#define LENGTH_PROBES 21

/* Whether the length of the programs is chosen here; otherwise the benchmark specifies it. */
bool length_is_chosen(const struct benchmark_pair *pair);
/* Sets iterations and threads of both sides, and allocates memory. */
bool length_choose(struct benchmark_pair *pair);

/* Fills LENGTH_PROBES commands, for a device whose clock follows the load. After they have run, length_is_enough()
 * tells whether side 0 is as long as length_choose() would have made it at that clock. */
void length_add_probes(struct benchmark_pair *pair, struct run_command *probes);
bool length_is_enough(struct benchmark_pair *pair, const struct run_command *probes);
/* Makes the programs at least twice as long. *grown is false if a command could then take too long at a low clock. */
bool length_grow(struct benchmark_pair *pair, bool *grown);
/* Whether `span` ns, the difference of the two programs, is at least LENGTH_STEPS_MIN steps; otherwise sets a failure
 * in *result. Always true for a single dispatch, which has no second program. */
bool length_span_is_enough(const struct benchmark_pair *pair, double span, struct result *result);

#endif
