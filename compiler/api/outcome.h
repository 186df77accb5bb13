/* SPDX-License-Identifier: MIT
 *
 * The outcome of a job of the compile service: its result, or how it crashed.
 */
#ifndef COMPILER_OUTCOME_H
#define COMPILER_OUTCOME_H

#include "compiler/api/protocol.h"

/* Takes the result that the job wrote, or refuses for a crash. name: of the source; fds: of the job; start: where the
 * result's bytes begin in the shared memory; limits: those that the job ran under. Returns what the job returned,
 * -EFAULT after a crash, or -ENOMEM. */
int compiler_take_outcome(const char *name, const struct compiler_limits *limits, const int fds[COMPILER_FDS],
                          size_t start, const struct compiler_ending *ending, struct compiler_result *result);

#endif
