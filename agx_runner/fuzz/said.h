/* SPDX-License-Identifier: MIT
 *
 * Findings in NIR that are said again in OpenCL C, so that they can be sent upstream as a Piglit test.
 */
#ifndef AGX_RUNNER_FUZZ_SAID_H
#define AGX_RUNNER_FUZZ_SAID_H

#include <signal.h>

#include "agx_runner/fuzz/finding.h"

/* Fills in finding->said: says the finding's program in OpenCL C in all the ways that there are, until one kernel fails
 * as the program does, with the same pass to blame. Runs in a process of its own, which ends when a signal handler sets
 * *interrupted. */
void said_find(struct finding *finding, const struct fuzz_settings *settings, const volatile sig_atomic_t *interrupted);
/* The same for all findings that are not known, for at most half of the time that the search had. Shows progress. */
void said_find_all(struct findings *findings, const struct fuzz_settings *settings,
                   const volatile sig_atomic_t *interrupted);

#endif
