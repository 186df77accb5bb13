/* SPDX-License-Identifier: MIT
 *
 * Static counts of a program.
 */
#ifndef AGX_RUNNER_COUNT_H
#define AGX_RUNNER_COUNT_H

#include "agx_runner/results/program_stats.h"
#include "isa/program.h"

/* Returns 0, or -ENOMEM: then no count is known. program_stats_finish() must follow. */
int program_stats_of(const struct agx_program *program, struct program_stats *stats);

#endif
