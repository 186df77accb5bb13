/* SPDX-License-Identifier: MIT
 *
 * Translates findings in NIR to OpenCL C, so that they can be sent upstream as Piglit tests.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_FINDING_H
#define AGX_RUNNER_FUZZ_TRANSLATE_FINDING_H

#include <signal.h>

#include "fuzz/finding.h"

/* Fills in finding->translated: translates the finding's program to OpenCL C in all the ways that there are, until a
 * kernel fails as the program does, with the same pass to blame. Runs in a process of its own, which ends when a signal
 * handler sets *interrupted. */
void translate_finding(struct finding *finding, const struct fuzz_settings *settings,
                       const volatile sig_atomic_t *interrupted);
/* The same for all findings that are not known, for at most half of the time that the search had. Shows progress. */
void translate_findings(struct findings *findings, const struct fuzz_settings *settings,
                        const volatile sig_atomic_t *interrupted);

#endif
