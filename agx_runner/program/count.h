/* SPDX-License-Identifier: MIT
 *
 * Counts what is known of a program without running it.
 */
#ifndef AGX_RUNNER_COUNT_H
#define AGX_RUNNER_COUNT_H

#include "agx_runner/results/program_stats.h"
#include "isa/program.h"

/* 0, or -ENOMEM: then nothing is known. program_stats_finish() must follow. */
int program_stats_of(const struct agx_program *program, struct program_stats *stats);

#endif
