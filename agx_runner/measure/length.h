/* SPDX-License-Identifier: MIT
 *
 * How long the two programs of a benchmark pair run: long enough for the timestamps' resolution, and so long that the
 * loop outweighs what comes before and after it. What a loop costs depends a little on its length, so a length that was
 * chosen while the clock was low is tried again under load.
 */
#ifndef AGX_RUNNER_LENGTH_H
#define AGX_RUNNER_LENGTH_H

#include "agx_runner/measure/run.h"

/* A longer command freezes a desktop: compute is not preempted below 40 to 50 ms. */
#define LENGTH_COMMAND_NS_MAX 20e6
#define LENGTH_STEPS_MIN 480 /* of the timestamps' counter in the difference of both sides: 20 us at 24 MHz */
/* Commands: side 0, side 0 with twice the iterations, side 1, in turn. A frame of a compositor meets few of each. */
#define LENGTH_PROBES 21

/* Is the length of its programs to be chosen? Else the benchmark says it. */
bool length_is_chosen(const struct benchmark_pair *pair);
/* Sets both sides' iterations and threads, and allocates memory. */
bool length_choose(struct benchmark_pair *pair, struct result *result, bool *lost);

/* Where the clock follows the load: fills LENGTH_PROBES commands. After they have run, length_is_enough() says whether
 * side 0 is as long as length_choose() would have made it at that clock. */
void length_add_probes(struct benchmark_pair *pair, struct run_command *probes);
bool length_is_enough(struct benchmark_pair *pair, const struct run_command *probes);
/* Makes the programs longer, twice at least. *grown is false where a command could take too long at a low clock. */
bool length_grow(struct benchmark_pair *pair, bool *grown, struct result *result, bool *lost);
/* Are `span` ns, measured between the two programs, LENGTH_STEPS_MIN steps at least? Else sets a failure in *result.
 * A single dispatch has no second program: always true. */
bool length_span_is_enough(const struct benchmark_pair *pair, double span, struct result *result);

#endif
