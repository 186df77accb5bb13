/* SPDX-License-Identifier: MIT
 *
 * The registers and memory that an instruction reads and writes, as far as the order of instructions depends on them.
 */
#ifndef AGX_RUNNER_SCHEDULE_EFFECTS_H
#define AGX_RUNNER_SCHEDULE_EFFECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

#define SCHEDULE_SLOTS 2 /* scoreboard slots */

/* A set of half registers. */
struct schedule_halves {
   uint64_t bits[4];
};

/* Memory spaces as bits. Accesses to different spaces never overlap. */
enum schedule_space {
   SCHEDULE_DEVICE = 1,
   SCHEDULE_LOCAL = 2,
   SCHEDULE_STACK = 4,
   SCHEDULE_SPECIAL = 8, /* special registers: their reads stay in order */
};

struct schedule_effects {
   struct schedule_halves reads, writes;
   struct schedule_halves discards; /* a subset of reads whose values nothing may read afterwards */
   uint8_t loads, stores;           /* bits of enum schedule_space */
   uint8_t slot;
   bool async; /* its result, or its store, is in flight until a wait for its slot */
   bool wait;
   bool fence; /* nothing moves across it: control flow, exec mask, barriers, and everything unknown */
};

void schedule_effects_of(const struct isa_insn *insn, struct schedule_effects *effects);
bool schedule_meet(const struct schedule_halves *a, const struct schedule_halves *b);
bool schedule_is_empty(const struct schedule_halves *halves);

#endif
