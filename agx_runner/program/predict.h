/* SPDX-License-Identifier: MIT
 *
 * The timing model's prediction for a program's basic blocks, without running it.
 */
#ifndef AGX_RUNNER_PREDICT_H
#define AGX_RUNNER_PREDICT_H

#include "compiler/api/compiler.h"

/* Prints a prediction for every program to the file `path` (NULL: stdout). An enum exit_code. */
int predict_write(const struct compiler_result *compiled, const char *path);

#endif
