/* SPDX-License-Identifier: MIT
 *
 * Static counts of a program, for compiler developers to compare. program/count.h computes them.
 */
#ifndef AGX_RUNNER_PROGRAM_STATS_H
#define AGX_RUNNER_PROGRAM_STATS_H

#include <stdbool.h>
#include <stddef.h>

enum program_stat {
   PROGRAM_INSTRUCTIONS, /* of main and preamble, without padding */
   PROGRAM_BYTES,        /* of main and preamble */
   PROGRAM_HALF_REGISTERS,
   PROGRAM_OCCUPANCY, /* simdgroups a core that registers and threadgroup memory allow */
   PROGRAM_SCRATCH,   /* bytes a thread: spills and private arrays */
   PROGRAM_UNIFORMS,  /* halves */
   PROGRAM_LOOPS,
   /* Modelled, of main: every block once, and ten times for each enclosing loop. */
   PROGRAM_CYCLES,  /* cycles of the scheduler for each simdgroup, with as many simdgroups as fit */
   PROGRAM_LATENCY, /* of one simdgroup alone */
   PROGRAM_STAT_COUNT
};

struct program_stat_info {
   const char *key; /* key in result files */
   const char *name;
   bool more_is_better;
};
extern const struct program_stat_info program_stat_infos[PROGRAM_STAT_COUNT];

struct program_stats {
   bool known;
   double values[PROGRAM_STAT_COUNT]; /* NAN: not known */
   /* Counts of each instruction, in main and preamble, sorted by name: "fadd 64 mov 3". NULL: not known. */
   char *mnemonics;
};
void program_stats_finish(struct program_stats *stats);

/* Writes what b's mnemonics have more (+) and less (-) than a's: "+1 fadd, -2 mov"; "" if they are equal. Returns the
 * length of the text (as snprintf does). */
int program_stats_difference(const struct program_stats *a, const struct program_stats *b, char *text, size_t size);

#endif
