/* SPDX-License-Identifier: MIT
 *
 * Samples that were taken in different states of a clock: finds these states, and removes their difference from the
 * samples.
 */
#ifndef AGX_RUNNER_CLOCK_STATES_H
#define AGX_RUNNER_CLOCK_STATES_H

#include <stddef.h>

/* Writes "984 MHz (5 samples), 1278 MHz (4)", the median of each state's clocks, Hz. A state is a group of clocks whose
 * neighbours in ascending order differ by at most 2 %. "" unless two groups have at least two samples each, and each
 * gap is wider than the groups beside it. Returns 0 or -ENOMEM. */
int clock_states_name(const double *clocks, size_t count, char *text, size_t size);

/* Divides each figure by the median of its state's figures. Returns 0 or -ENOMEM. */
int clock_states_divide_out(const double *clocks, double *figures, size_t count);

#endif
