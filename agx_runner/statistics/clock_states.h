/* SPDX-License-Identifier: MIT
 *
 * Samples that were taken in different states of a clock: which states these are, and the samples without that
 * difference.
 */
#ifndef AGX_RUNNER_CLOCK_STATES_H
#define AGX_RUNNER_CLOCK_STATES_H

#include <stddef.h>

/* Writes "984 MHz (5 samples), 1278 MHz (4)", the median of each state's clocks, Hz. A state is a group of clocks whose
 * neighbours in rising order differ by at most 2 %. "" where no two groups have two samples at least, or a gap between
 * two groups is no wider than either of them. 0, or -ENOMEM. */
int clock_states_name(const double *clocks, size_t count, char *text, size_t size);

/* Divides each figure by the median of its state's figures. 0, or -ENOMEM. */
int clock_states_divide_out(const double *clocks, double *figures, size_t count);

#endif
