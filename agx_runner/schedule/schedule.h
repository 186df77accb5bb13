/* SPDX-License-Identifier: MIT
 *
 * Searches better orders of a program's instructions, block by block. All times are those of the timing model.
 */
#ifndef AGX_RUNNER_SCHEDULE_H
#define AGX_RUNNER_SCHEDULE_H

#include <stdio.h>

#include "agx_runner/schedule/search.h"

struct schedule_settings {
   struct schedule_load load;
   uint64_t effort; /* most instructions that are simulated for the program; 0: no limit */
   /* by instruction of the main part: 1 if its block must not change; NULL: all blocks may change */
   const uint8_t *skip;
   unsigned ignored; /* bits of enum schedule_dependency that the search ignores, to test the verification */
};

/* The result for a block. */
struct schedule_result {
   uint32_t first, count; /* index of the first node, and number of nodes */
   unsigned depth;        /* number of enclosing loops */
   struct schedule_found found;
   struct schedule_item *items; /* the better order; NULL: there is none */
   uint32_t item_count;
};

struct schedule {
   struct schedule_code code;
   struct schedule_result *results; /* the blocks whose times are known, in the program's order */
   uint32_t count;
   uint32_t left;               /* how many of them were not searched because the effort was spent */
   uint32_t too_long;           /* blocks that were not searched because they exceed SCHEDULE_BLOCK_MOST */
   struct agx_program *program; /* the program with the better orders; NULL: no block has one */
};

/* Returns the load of a launch if only the program is known. */
struct schedule_load schedule_load_of(const struct agx_program *program);
/* Searches, verifies each order that was found (verify.h), and makes the program. Prints messages; returns an enum
 * exit_code. `program` must outlive it; schedule_finish() must follow in any case. */
int schedule_make(struct schedule *schedule, const struct agx_program *program,
                  const struct schedule_settings *settings);
void schedule_finish(struct schedule *schedule);

/* The fraction of the time that the better orders save, 0 to 1, with blocks weighted by their enclosing loops: with all
 * simdgroups of the load, and with one threadgroup alone. */
struct schedule_gain {
   double core, alone;
   /* cycles with the program's own order: of the whole core, and of one threadgroup alone */
   double core_cycles, alone_cycles;
};
struct schedule_gain schedule_gain(const struct schedule *schedule);

/* Prints the blocks with a better order: their gains and, if `all` is set, the code of both orders. */
void schedule_print(const struct schedule *schedule, bool all, FILE *file);

#endif
