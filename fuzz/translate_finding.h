/* SPDX-License-Identifier: MIT
 *
 * Translates findings in NIR to OpenCL C, so that they can be sent upstream as Piglit tests.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_FINDING_H
#define AGX_RUNNER_FUZZ_TRANSLATE_FINDING_H

#include <signal.h>

#include "fuzz/finding.h"

/* Fills in `translated` of all findings that are not known: translates their programs to OpenCL C in all the ways that
 * there are, until a kernel fails as the program does, with the same pass to blame. It takes at most half of the time
 * that the search had, and ends when a signal handler sets *interrupted. Shows progress. */
void translate_findings(struct findings *findings, const struct fuzz_settings *settings,
                        const volatile sig_atomic_t *interrupted);

#endif
