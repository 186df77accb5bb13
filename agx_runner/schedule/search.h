/* SPDX-License-Identifier: MIT
 *
 * Searches orders of a block, and compares them by the timing model's simulation of a core.
 */
#ifndef AGX_RUNNER_SCHEDULE_SEARCH_H
#define AGX_RUNNER_SCHEDULE_SEARCH_H

#include "agx_runner/schedule/code.h"

/* The load of the core on which the block is simulated. */
struct schedule_load {
   uint32_t group_simds, groups; /* simdgroups of a threadgroup, threadgroups on the core at the same time */
   unsigned level;               /* enum vgpu_memory_level: the level that serves accesses to device memory */
   uint64_t seed;
   uint64_t budget; /* most instructions that are simulated for a block; 0: only its own order is timed */
};

/* Times in ticks. */
struct schedule_time {
   uint64_t core;  /* of the core with all simdgroups */
   uint64_t alone; /* of one threadgroup alone */
};

struct schedule_found {
   struct schedule_time original, best;
   uint64_t judged; /* orders that were simulated */
   uint64_t issued; /* instructions that were simulated */
};

/* Replaces *order, the block's own, by the best one that was found. Returns an enum exit_code. */
int schedule_search(const struct schedule_block *block, const struct schedule_load *load, struct schedule_order *order,
                    struct schedule_found *found);

#endif
