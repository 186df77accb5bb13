/* SPDX-License-Identifier: MIT
 *
 * What an instruction reads and writes, as far as the order of instructions depends on it.
 */
#ifndef AGX_RUNNER_SCHEDULE_EFFECTS_H
#define AGX_RUNNER_SCHEDULE_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

#define SCHEDULE_SLOTS 2 /* of the scoreboard */

/* A set of half registers. */
struct schedule_halves {
   uint64_t bits[4];
};

/* Bits. Accesses to different spaces never touch the same bytes. */
enum schedule_space {
   SCHEDULE_DEVICE = 1,
   SCHEDULE_LOCAL = 2,
   SCHEDULE_STACK = 4,
   SCHEDULE_SPECIAL = 8, /* special registers: their reads keep their order */
};

struct schedule_effects {
   struct schedule_halves reads, writes;
   struct schedule_halves discards; /* a part of reads: nothing may read them afterwards */
   uint8_t loads, stores;           /* enum schedule_space bits */
   uint8_t slot;
   bool async; /* its result, or its store, is under way until a wait for its slot */
   bool wait;
   bool fence; /* nothing moves across it: control flow, exec mask, barriers, all that is not known here */
};

void schedule_effects_of(const struct isa_insn *insn, struct schedule_effects *effects);
bool schedule_meet(const struct schedule_halves *a, const struct schedule_halves *b);
bool schedule_is_empty(const struct schedule_halves *halves);

#endif
