/* SPDX-License-Identifier: MIT
 *
 * Searches orders of a block. The timing model's simulation of a core is the judge.
 */
#ifndef AGX_RUNNER_SCHEDULE_SEARCH_H
#define AGX_RUNNER_SCHEDULE_SEARCH_H

#include "agx_runner/schedule/code.h"

/* How the block is run by the judge. */
struct schedule_load {
   uint32_t group_simds, groups; /* simdgroups of a threadgroup, threadgroups on the core at the same time */
   unsigned level;               /* enum vgpu_memory_level: what serves accesses to device memory */
   uint64_t seed;
   uint64_t budget; /* instructions that the judge may issue for a block; 0: its own order is timed, none is searched */
};

/* Ticks. */
struct schedule_time {
   uint64_t core;  /* with all simdgroups */
   uint64_t alone; /* with one threadgroup */
};

struct schedule_found {
   struct schedule_time original, best;
   uint64_t judged; /* orders */
   uint64_t issued; /* instructions, by the judge */
};

/* Replaces *order, the block's own, by the best one that was found. An enum exit_code. */
int schedule_search(const struct schedule_block *block, const struct schedule_load *load, struct schedule_order *order,
                    struct schedule_found *found);

#endif
