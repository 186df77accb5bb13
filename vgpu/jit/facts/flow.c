/* SPDX-License-Identifier: MIT
 *
 * A data-flow analysis over the blocks of a program.
 *
 * Which lanes are active follows from r0l, which the operations on the exec mask change: a lane runs where it is 0. A
 * branch writes registers in some lanes alone, so that facts about all lanes end there, and hold again behind it for
 * the registers that it did not write. So a state has a set of facts for each level n: they hold if r0l is at most n in
 * all lanes. Level 0 says that all lanes are active, and a set of a higher level has no more facts than that of a lower
 * one. A write in the active lanes ends a register's facts on all levels above 0, unless r0l is certain to be 0 in all
 * lanes. An operation on the exec mask makes each level's set that of the level from which its lanes come
 * (docs/spec/isa.md 1.3).
 *
 * Invariant: a fact of level 0 holds for every simdgroup with 32 active lanes that comes to the block.
 */
#include "vgpu/jit/facts/flow.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/semantics.h"
#include "vgpu/jit/facts/lanes.h"
#include "vgpu/native.h"

#define LEVELS 8u
#define LOST UINT32_MAX /* `deepest`: nothing is known */
#define MOST_DEEP 1000u

_Static_assert(VGPU_NATIVE_SET * 64 > VGPU_HALVES / 2, "a bit for each register");

struct level {
   uint64_t same[VGPU_NATIVE_SET], counts[VGPU_NATIVE_SET];
};

struct state {
   struct level levels[LEVELS];
   uint32_t deepest; /* r0l is at most that in all lanes. Levels from there on are alike. */
   bool reached, changed;
};

/* What an instruction that is none of those on the exec mask has written to r0l of the active lanes. */
#define NOT_WRITTEN 0u
#define ANYTHING UINT32_MAX

static bool has(const uint64_t *set, uint32_t vector)
{
   return set[vector / 64] >> vector % 64 & 1;
}

static void put(uint64_t *set, uint32_t vector, bool in)
{
   const uint64_t bit = UINT64_C(1) << vector % 64;
   set[vector / 64] = in ? set[vector / 64] | bit : set[vector / 64] & ~bit;
}

static void lose(struct state *state)
{
   memset(state->levels, 0, sizeof(state->levels));
   state->deepest = LOST;
}

static struct level level_of(const struct state *state, uint32_t n)
{
   const uint32_t place = n > state->deepest ? state->deepest : n;
   return place < LEVELS ? state->levels[place] : (struct level){{0}, {0}};
}

/* ---- Instructions ---- */

/* The level whose lanes come to level n. */
static uint32_t origin(const struct vgpu_op *op, uint32_t n)
{
   const uint32_t nest = op->compare.nest;
   switch (op->insn->op) {
   case ISA_OP_IF_ICMP:
   case ISA_OP_IF_FCMP: /* 0 to 0 or 1, others grow by `nest` */
      return n > nest ? n - nest : 0;
   case ISA_OP_ELSE_ICMP:
   case ISA_OP_ELSE_FCMP: /* 0 to `nest`, 1 to 0 or 1 */
      return n > 1 ? n : 1;
   case ISA_OP_WHILE_ICMP:
   case ISA_OP_WHILE_FCMP: /* those below `nest` to 0 or `nest` */
      return n >= nest || nest == 0 ? n : nest - 1;
   default: /* pop_exec: less by `nest` */
      return n + nest;
   }
}

static uint32_t deepest_behind(const struct vgpu_op *op, uint32_t deepest)
{
   const uint32_t nest = op->compare.nest;
   switch (op->insn->op) {
   case ISA_OP_IF_ICMP:
   case ISA_OP_IF_FCMP:
      return deepest == 0 ? 1 : deepest + (nest ? nest : 1);
   case ISA_OP_ELSE_ICMP:
   case ISA_OP_ELSE_FCMP:
   case ISA_OP_WHILE_ICMP:
   case ISA_OP_WHILE_FCMP:
      return deepest > nest ? deepest : nest;
   default:
      return deepest > nest ? deepest - nest : 0;
   }
}

static void take_exec(struct state *state, const struct vgpu_op *op, uint32_t written)
{
   if (state->deepest == LOST) {
      return;
   }
   if (written != NOT_WRITTEN && (written == ANYTHING || op->insn->op != ISA_OP_POP_EXEC)) {
      lose(state);
      return;
   }
   struct state before = *state;
   before.deepest = written > before.deepest ? written : before.deepest;
   for (uint32_t n = 0; n < LEVELS; n++) {
      state->levels[n] = level_of(&before, origin(op, n));
   }
   state->deepest = deepest_behind(op, before.deepest);
   if (state->deepest > MOST_DEEP) {
      lose(state);
   }
}

/* facts: those of level 0, which are to be updated. */
static void take_writes(struct state *state, const struct vgpu_op *op, bool positions_count, uint8_t *facts)
{
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   vgpu_op_registers(op, &reads, &writes);
   vgpu_jit_take_result(op, positions_count, facts);
   for (unsigned n = 0; n < VGPU_HALVES / 64; n++) {
      for (uint64_t bits = writes.bits[n]; bits; bits &= bits - 1) {
         const uint32_t vector = (n * 64 + (uint32_t)__builtin_ctzll(bits)) / 2;
         for (uint32_t i = 0; i < LEVELS; i++) {
            const bool holds = i == 0 || state->deepest == 0;
            put(state->levels[i].same, vector, holds && facts[vector] == VGPU_JIT_SAME);
            put(state->levels[i].counts, vector, holds && facts[vector] == VGPU_JIT_COUNTS);
         }
      }
   }
}

/* What is in r0l of the active lanes behind an op that is none of those on the exec mask. */
static uint32_t written_behind(const struct vgpu_op *op, uint32_t written)
{
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   vgpu_op_registers(op, &reads, &writes);
   if (!(writes.bits[0] & 1)) {
      return written;
   }
   const struct isa_operand *value = &op->insn->src[0];
   const bool constant = op->insn->op == ISA_OP_MOV_IMM && op->dst.size == 16 && value->kind == ISA_IMM;
   return constant && value->value >= 0 && (uint32_t)value->value <= MOST_DEEP ? (uint32_t)value->value : ANYTHING;
}

static void expand(const uint64_t *same, const uint64_t *counts, uint8_t *facts)
{
   memset(facts, VGPU_JIT_UNKNOWN, VGPU_JIT_VECTORS);
   for (uint32_t vector = 0; vector <= VGPU_HALVES / 2; vector++) {
      facts[vector] = has(same, vector) ? VGPU_JIT_SAME : has(counts, vector) ? VGPU_JIT_COUNTS : VGPU_JIT_UNKNOWN;
   }
}

static void take_block(struct state *state, const struct vgpu_block *block)
{
   uint8_t facts[VGPU_JIT_VECTORS];
   uint32_t written = NOT_WRITTEN;
   expand(state->levels[0].same, state->levels[0].counts, facts);
   for (uint32_t i = 0; state->deepest != LOST && i < block->count; i++) {
      const struct vgpu_op *op = &block->ops[i];
      take_writes(state, op, block->code->positions_count, facts);
      if (vgpu_traits_of((enum isa_op)op->insn->op) == VGPU_SETS_EXEC) {
         take_exec(state, op, written);
         written = NOT_WRITTEN;
      } else {
         written = written_behind(op, written);
      }
   }
   if (written != NOT_WRITTEN) { /* the mask does not agree with r0l */
      lose(state);
   }
}

/* ---- Blocks ---- */

static void intersect(uint64_t *set, const uint64_t *other)
{
   for (unsigned i = 0; i < VGPU_NATIVE_SET; i++) {
      set[i] &= other[i];
   }
}

/* Adds a way to a block. */
static void meet(struct state *to, const struct state *from)
{
   const struct state before = *to;
   if (!before.reached) {
      *to = *from;
      to->reached = to->changed = true;
      return;
   }
   to->deepest = before.deepest > from->deepest ? before.deepest : from->deepest;
   for (uint32_t n = 0; n < LEVELS; n++) {
      const struct level other = level_of(from, n);
      to->levels[n] = level_of(&before, n);
      intersect(to->levels[n].same, other.same);
      intersect(to->levels[n].counts, other.counts);
   }
   to->changed |= to->deepest != before.deepest || memcmp(to->levels, before.levels, sizeof(to->levels)) != 0;
}

/* Whether another program's block, or an unknown one, may come before one of this code. */
static bool is_closed(const struct vgpu_code *code)
{
   bool closed = code->start != NULL;
   for (uint32_t i = 0; closed && i < code->block_count; i++) {
      const uint8_t control = code->blocks[i].control;
      closed = control != VGPU_CALL && control != VGPU_CALL_REGISTER && control != VGPU_RETURN;
   }
   return closed;
}

static void pass_on(const struct vgpu_code *code, struct state *states, const struct state *behind,
                    const struct vgpu_block *to)
{
   if (to && to >= code->blocks && to < code->blocks + code->block_count) {
      meet(&states[to - code->blocks], behind);
   }
}

/* At the start no register is known, and r0l is 0 in all lanes where it is read. */
static void analyse(const struct vgpu_code *code, struct state *states)
{
   states[code->start - code->blocks].reached = states[code->start - code->blocks].changed = true;
   for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < code->block_count; i++) {
         const struct vgpu_block *block = &code->blocks[i];
         if (!states[i].changed) {
            continue;
         }
         states[i].changed = false;
         changed = true;
         struct state behind = states[i];
         take_block(&behind, block);
         if (block->control != VGPU_STOP && block->control != VGPU_FAULT) {
            pass_on(code, states, &behind, block->next);
         }
         if (block->control == VGPU_JUMP_ANY || block->control == VGPU_JUMP_NONE) {
            pass_on(code, states, &behind, block->target);
         }
      }
   }
}

/* Without memory nothing is known. */
static void know(const struct vgpu_code *code)
{
   struct state *states = is_closed(code) ? calloc(code->block_count, sizeof(*states)) : NULL;
   if (states) {
      analyse(code, states);
   }
   for (uint32_t i = 0; states && i < code->block_count; i++) {
      memcpy(code->natives[i].same, states[i].levels[0].same, sizeof(code->natives[i].same));
      memcpy(code->natives[i].counts, states[i].levels[0].counts, sizeof(code->natives[i].counts));
   }
   code->natives[0].known = true;
   free(states);
}

void vgpu_jit_facts_at(const struct vgpu_block *block, uint32_t index, uint8_t *facts)
{
   const struct vgpu_code *code = block->code;
   if (!code->natives[0].known) {
      know(code);
   }
   expand(block->native->same, block->native->counts, facts);
   for (uint32_t i = 0; i < index; i++) {
      vgpu_jit_take_result(&block->ops[i], code->positions_count, facts);
   }
}
