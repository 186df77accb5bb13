/* SPDX-License-Identifier: MIT
 *
 * run --interleave: two builds of agx-runner measure in turns, and are compared.
 */
#ifndef AGX_RUNNER_INTERLEAVE_H
#define AGX_RUNNER_INTERLEAVE_H

#include "agx_runner/cli/options.h"
#include "agx_runner/process/selection.h"

/* A is this program, B the one that options->interleave names. An enum exit_code. */
int interleave(const struct options *options, const struct selection *selection);

#endif
