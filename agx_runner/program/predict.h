/* SPDX-License-Identifier: MIT
 *
 * What the timing model says of a program's basic blocks, without running it.
 */
#ifndef AGX_RUNNER_PREDICT_H
#define AGX_RUNNER_PREDICT_H

#include "agx_runner/cli/options.h"
#include "compiler/compiler.h"

/* Prints a prediction for every program to the output option's file. An enum exit_code. */
int predict_write(const struct options *options, const struct compiler_result *compiled);

#endif
