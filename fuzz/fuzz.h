/* SPDX-License-Identifier: MIT
 *
 * agx-runner fuzz: generated programs, compiled by Mesa, run on a device, and compared with an interpreter of the NIR
 * as it was built. What differs is shrunk, blamed on a pass, and reported once.
 */
#ifndef AGX_RUNNER_FUZZ_FUZZ_H
#define AGX_RUNNER_FUZZ_FUZZ_H

#include "fuzz/settings/settings.h"

/* An enum exit_code: EXIT_FAILED when there is a finding that is not known. */
int fuzz_run(const struct fuzz_settings *settings);

#endif
