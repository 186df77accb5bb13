/* SPDX-License-Identifier: MIT
 *
 * The one command of agx-fuzz.
 */
#ifndef AGX_RUNNER_FUZZ_COMMAND_H
#define AGX_RUNNER_FUZZ_COMMAND_H

#include "agx_runner/options/options.h"

extern const struct command command_fuzz;

#endif
