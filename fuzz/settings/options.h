/* SPDX-License-Identifier: MIT
 *
 * The command line of `agx-runner fuzz` and of agx-fuzz, which it becomes: both have this table.
 */
#ifndef AGX_RUNNER_FUZZ_OPTIONS_H
#define AGX_RUNNER_FUZZ_OPTIONS_H

#include <limits.h>

#include "agx_runner/options/options.h"
#include "fuzz/settings/settings.h"

struct fuzz_options {
   struct command_line line;
   struct fuzz_settings fuzz; /* but for the operands */
};

extern const struct option_row fuzz_rows[];

/* The values of struct command, but for its function. */
#define FUZZ_COMMAND                                                                                                   \
   .name = "fuzz", .operands = "[PROGRAM.fuzz...]", .operands_max = UINT_MAX,                                          \
   .summary = "find miscompiles: generated programs, compiled, run, and compared with an interpreter of their NIR",    \
   .rows = fuzz_rows, .size = sizeof(struct fuzz_options)

#endif
