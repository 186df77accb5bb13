/* SPDX-License-Identifier: MIT
 *
 * The commands about suites of tests that others wrote: applications, and the results of shards.
 */
#ifndef AGX_RUNNER_SUITE_H
#define AGX_RUNNER_SUITE_H

#include "agx_runner/options/options.h"

extern const struct command command_apps, command_merge;

#endif
