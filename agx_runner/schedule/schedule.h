/* SPDX-License-Identifier: MIT
 *
 * Looks for better orders of a program's instructions, block by block. All times are the timing model's.
 */
#ifndef AGX_RUNNER_SCHEDULE_H
#define AGX_RUNNER_SCHEDULE_H

#include <stdio.h>

#include "agx_runner/schedule/search.h"

struct schedule_settings {
   struct schedule_load load;
   uint64_t effort;     /* instructions that the judge may issue for the program; 0: any number */
   const uint8_t *skip; /* by instruction of the main part: its block is left as it is; NULL: no block is */
   unsigned ignored;    /* enum schedule_dependency bits that the search does not see: for tests of the proof */
};

/* What was found for a block. */
struct schedule_result {
   uint32_t first, count; /* nodes */
   unsigned depth;        /* loops that it stands in */
   struct schedule_found found;
   struct schedule_item *items; /* the better order; NULL: there is none */
   uint32_t item_count;
};

struct schedule {
   struct schedule_code code;
   struct schedule_result *results; /* of the blocks whose times are known, in the program's order */
   uint32_t count;
   uint32_t left;               /* of them, those that were not searched: the effort was spent */
   uint32_t too_long;           /* blocks that were not searched: SCHEDULE_BLOCK_MOST */
   struct agx_program *program; /* in the better orders; NULL: no block has one */
};

/* The load of a launch of which nothing is known but the program. */
struct schedule_load schedule_load_of(const struct agx_program *program);
/* Searches, proves each order that was found (verify.h), and makes the program. Messages are printed; an enum
 * exit_code. `program` must outlive it; schedule_finish() must follow in any case. */
int schedule_make(struct schedule *schedule, const struct agx_program *program,
                  const struct schedule_settings *settings);
void schedule_finish(struct schedule *schedule);

/* The part of the time that the better orders save, 0 to 1, with blocks weighted by the loops that they stand in;
 * with all simdgroups that the load has, and with one threadgroup alone. */
struct schedule_gain {
   double core, alone;
   double core_cycles, alone_cycles; /* of the program's own order: of the whole core, and of the threadgroup */
};
struct schedule_gain schedule_gain(const struct schedule *schedule);

/* The blocks with a better order, as text: gains, and the code of both orders. `all`: with the code. */
void schedule_print(const struct schedule *schedule, bool all, FILE *file);

#endif
