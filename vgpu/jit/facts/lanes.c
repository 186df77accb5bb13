/* SPDX-License-Identifier: MIT
 *
 * What can be deduced about the lanes of the registers of a run without executing it: they hold the same value, or
 * count up by one from lane to lane. Accesses at such addresses need no check of the lanes. Invariant: a fact holds
 * for every simdgroup with 32 active lanes that runs the instruction, on every path to it.
 */
#include "vgpu/jit/facts/lanes.h"

#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/simd.h"
#include "vgpu/jit/facts/memory.h"
#include "util/array.h"

#define VECTORS VGPU_JIT_VECTORS

#define UNKNOWN VGPU_JIT_UNKNOWN
#define SAME VGPU_JIT_SAME
#define COUNTS VGPU_JIT_COUNTS

static bool is_word(const struct vgpu_source *source)
{
   return source->size == 32 && source->form == VGPU_WORD;
}

/* Whether an operand, of any size and form, is the same in all lanes. */
static bool is_same(const struct vgpu_source *source, const uint8_t *facts)
{
   if (source->size == 0 || source->space == VGPU_CONSTANTS || source->space == VGPU_LITERALS) {
      return true;
   }
   const uint32_t vector = source->vector / VGPU_LANES;
   return facts[vector] == SAME && (source->size != 64 || facts[vector + 1] == SAME);
}

static enum vgpu_jit_fact of_source(const struct vgpu_source *source, const uint8_t *facts)
{
   if (is_same(source, facts)) {
      return SAME;
   }
   return is_word(source) ? (enum vgpu_jit_fact)facts[source->vector / VGPU_LANES] : UNKNOWN;
}

/* Operations whose result in a lane depends on that lane's operands alone. */
static bool is_lanewise(const struct vgpu_op *op)
{
   switch (op->insn->op) {
   case ISA_OP_MOV_IMM:
   case ISA_OP_IADD:
   case ISA_OP_IMADD:
   case ISA_OP_BITOP:
   case ISA_OP_BFI:
   case ISA_OP_BFEIL:
   case ISA_OP_EXTR:
   case ISA_OP_SHLHI:
   case ISA_OP_SHRHI:
   case ISA_OP_ASR:
   case ISA_OP_ASRH:
   case ISA_OP_INTL:
   case ISA_OP_ICMPSEL:
   case ISA_OP_FCMPSEL:
   case ISA_OP_BITREV:
   case ISA_OP_FFS:
   case ISA_OP_POPCOUNT:
   case ISA_OP_FADD:
   case ISA_OP_FMUL:
   case ISA_OP_FFMA:
   case ISA_OP_HADD:
   case ISA_OP_HMUL:
   case ISA_OP_HFMA:
   case ISA_OP_FLOOR:
   case ISA_OP_CEIL:
   case ISA_OP_TRUNC:
   case ISA_OP_RINT:
   case ISA_OP_CONVERT:
   case ISA_OP_RCP:
   case ISA_OP_RSQRT:
   case ISA_OP_RSQRTS:
   case ISA_OP_SIN_PT_1:
   case ISA_OP_SIN_PT_2:
   case ISA_OP_LOG2:
   case ISA_OP_EXP2:
      return true;
   default:
      return false;
   }
}

static bool are_same(const struct vgpu_op *op, const uint8_t *facts)
{
   bool same = true;
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      same = same && is_same(&op->src[n], facts);
   }
   return same;
}

/* The sum of a counting value and one that is the same for all lanes counts, whatever the sum's sign or overflow. */
static enum vgpu_jit_fact of_sum(const struct vgpu_op *op, enum vgpu_jit_fact a, enum vgpu_jit_fact b)
{
   const bool plain = !op->negate && op->addend.shift == 0 && op->addend.keep == UINT32_MAX;
   if (op->saturate || op->dst.size != 32) {
      return UNKNOWN;
   }
   if (a == COUNTS && b == SAME) {
      return COUNTS;
   }
   return a == SAME && b == COUNTS && plain ? COUNTS : UNKNOWN;
}

/* What is known about thread positions. */
enum positions {
   POSITIONS_UNKNOWN,
   POSITIONS_COUNT,  /* those in x, within a simdgroup */
   POSITIONS_FOLLOW, /* those in x in the grid, within a simdgroup and from one to the next; y and z are the same */
};

static enum vgpu_jit_fact of_position(const struct vgpu_op *op, enum positions positions)
{
   if (positions == POSITIONS_UNKNOWN || (positions == POSITIONS_FOLLOW && !op->special.in_grid)) {
      return UNKNOWN;
   }
   return op->special.axis == 0 ? COUNTS : SAME;
}

/* Special registers that vgpu/exec/semantics/exec_system.c reads without knowing the lane, and the lane's number. */
static enum vgpu_jit_fact of_special(const struct vgpu_op *op)
{
   const uint32_t number = op->special.number;
   return number == 52 ? COUNTS : number <= 10 || number == 20 || number == 53 ? SAME : UNKNOWN;
}

/* The result of an op that reads other lanes, memory, or the simdgroup's own number. */
static enum vgpu_jit_fact of_simdgroup(const struct vgpu_op *op, const uint8_t *facts)
{
   switch (op->insn->op) {
   case ISA_OP_GET_SR:
      return of_special(op);
   case ISA_OP_REDUCE:
      return op->reduce.quad ? UNKNOWN : SAME;
   case ISA_OP_ICMP_BALLOT:
   case ISA_OP_FCMP_BALLOT:
      return op->compare.quad ? UNKNOWN : SAME;
   case ISA_OP_LOAD: /* Another thread may write there: all lanes have what one read gives them, if it is one word. */
      return vgpu_jit_memory_is_word(op) && op->variant == 0 && are_same(op, facts) ? SAME : UNKNOWN;
   case ISA_OP_LLOAD:
      return op->variant == 0 && are_same(op, facts) ? SAME : UNKNOWN;
   default:
      return UNKNOWN;
   }
}

static enum vgpu_jit_fact of_result(const struct vgpu_op *op, const uint8_t *facts, enum positions positions)
{
   if (is_lanewise(op) && are_same(op, facts)) {
      return SAME;
   }
   if (op->insn->op == ISA_OP_GET_SR && op->variant == 1) {
      return of_position(op, positions);
   }
   if (op->insn->op == ISA_OP_IADD) {
      return of_sum(op, of_source(&op->src[0], facts), of_source(&op->src[1], facts));
   }
   if (op->insn->op == ISA_OP_IMADD) {
      const bool same = is_same(&op->src[0], facts) && is_same(&op->src[1], facts);
      return of_sum(op, same ? SAME : UNKNOWN, of_source(&op->src[2], facts));
   }
   return positions == POSITIONS_FOLLOW ? UNKNOWN : of_simdgroup(op, facts);
}

/* A register of which half is written is the same in all lanes if both halves are. */
static void take_result(const struct vgpu_op *op, uint8_t *facts, enum positions positions)
{
   const enum vgpu_jit_fact fact = of_result(op, facts, positions);
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   vgpu_op_registers(op, &reads, &writes);
   for (unsigned n = 0; n < VGPU_HALVES / 64; n++) {
      for (uint64_t bits = writes.bits[n]; bits;) {
         const unsigned half = n * 64 + ((unsigned)__builtin_ctzll(bits) & ~1u);
         const bool whole = (bits >> half % 64 & 3) == 3;
         facts[half / 2] = (uint8_t)(whole || (fact == SAME && facts[half / 2] == SAME) ? fact : UNKNOWN);
         bits &= ~(UINT64_C(3) << half % 64);
      }
   }
}

void vgpu_jit_take_result(const struct vgpu_op *op, bool positions_count, uint8_t *facts)
{
   take_result(op, facts, positions_count ? POSITIONS_COUNT : POSITIONS_UNKNOWN);
}

static void mark_sources(const struct vgpu_op *op, struct vgpu_op *descriptor, const uint8_t *facts)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_source *source = &descriptor->src[n];
      const bool computed = source->space == VGPU_REGISTERS || source->space == VGPU_COMPUTED;
      if (!computed || !source->size || (vgpu_jit_is_memory(op) && !is_word(source))) {
         continue;
      }
      const enum vgpu_jit_fact fact = of_source(source, facts);
      const uint8_t same = source->space == VGPU_COMPUTED ? VGPU_SAME_COMPUTED : VGPU_SAME;
      source->space = fact == SAME ? same : fact == COUNTS ? VGPU_COUNTING : source->space;
   }
}

void vgpu_jit_mark_lanes(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, uint32_t body,
                         bool positions_count, const uint8_t *start, const uint8_t *head)
{
   uint8_t facts[VECTORS];
   memcpy(facts, start, sizeof(facts));
   for (uint32_t i = 0; i < count; i++) {
      if (i == body && body > 0) { /* the first pass through a loop starts here */
         memcpy(facts, head, sizeof(facts));
      }
      mark_sources(&ops[i], &descriptors[i], facts);
      vgpu_jit_take_result(&ops[i], positions_count, facts);
      if (vgpu_jit_memory_loads(&ops[i]) && vgpu_jit_memory_is_word(&ops[i])) {
         descriptors[i].certain = facts[ops[i].dst.vector / VGPU_LANES] == SAME;
      }
   }
}

bool vgpu_jit_lines_follow(const struct vgpu_op *ops, const struct vgpu_op *descriptors, uint32_t count,
                           bool positions_count, bool *needed)
{
   uint8_t facts[VECTORS] = {UNKNOWN};
   bool found = false;
   for (uint32_t i = 0; i < count; i++) {
      const struct vgpu_op *op = &ops[i];
      needed[i] = false;
      if (!vgpu_jit_is_memory(op)) {
         take_result(op, facts, positions_count ? POSITIONS_FOLLOW : POSITIONS_UNKNOWN);
         const uint32_t vector = op->dst.vector / VGPU_LANES;
         needed[i] = op->dst.present && vector < VECTORS && facts[vector] != UNKNOWN;
         continue;
      }
      const enum vgpu_jit_fact index = of_source(&op->src[1], facts);
      if (!vgpu_jit_memory_known_line(op) || descriptors[i].src[0].space != VGPU_CONSTANTS || index == UNKNOWN ||
          (index == SAME && !vgpu_jit_memory_loads(op)) || op->memory.shift != 0) {
         return false;
      }
      take_result(op, facts, POSITIONS_FOLLOW);
      found = true;
   }
   return found;
}

/* ---- Selections by one index ---- */

#define LEAST_PICK 4u  /* ops that one replaces */
#define SLT_VARIANT 3u /* of icmpsel: a signed comparison (vgpu/exec/bind.c) */
#define SET_WORDS ((VECTORS + 63) / 64)

/* What the ops so far say about each register. */
struct picker {
   int32_t last[VECTORS]; /* the op that wrote it last; -1: none */
   struct origin {
      bool known;               /* in each lane it follows from constants and, in that lane, */
      uint64_t from[SET_WORDS]; /* these registers at the run's start */
   } origins[VECTORS];
};

/* Whether the op selects by `index < constant`, where indices from 0 on decide. */
static bool selects(const struct vgpu_op *op, const uint32_t *vectors)
{
   const struct vgpu_source *src = op->src;
   return op->insn->op == ISA_OP_ICMPSEL && op->variant == SLT_VARIANT && op->dst.size == 32 &&
          op->dst.form == VGPU_WORD && src[0].space == VGPU_REGISTERS && is_word(&src[0]) &&
          src[1].space == VGPU_CONSTANTS && op->insn->src[1].kind == ISA_IMM && is_word(&src[1]) &&
          vectors[src[1].vector] - 1 < VGPU_PICK_INDICES - 1 && is_word(&src[2]) && is_word(&src[3]);
}

/* Sets what indices [first, end) select by that operand. false: it is not known. */
static bool pick_from(const struct picker *picker, const struct vgpu_source *source, const struct vgpu_pick *picks,
                      struct vgpu_pick *pick, uint32_t first, uint32_t end)
{
   const bool constant = source->space == VGPU_CONSTANTS;
   const int32_t last = constant ? -1 : picker->last[source->vector / VGPU_LANES];
   const struct vgpu_pick *inner = last < 0 ? NULL : &picks[last];
   if (inner && (inner->ops == 0 || inner->index != pick->index || inner->index_op != pick->index_op)) {
      return false;
   }
   for (uint32_t i = first; i < end; i++) {
      pick->from[i] = inner ? inner->from[i] : source->vector | (constant ? VGPU_PICK_CONSTANT : 0);
      if (!(pick->from[i] & VGPU_PICK_CONSTANT) && picker->last[pick->from[i] / VGPU_LANES] >= 0) {
         return false;
      }
   }
   pick->ops += inner ? inner->ops : 0;
   return true;
}

static void find_pick(const struct picker *picker, const struct vgpu_op *op, const uint32_t *vectors,
                      const struct vgpu_pick *picks, struct vgpu_pick *pick)
{
   const uint32_t index = op->src[0].vector / VGPU_LANES, bound = vectors[op->src[1].vector];
   *pick = (struct vgpu_pick){.ops = 1, .index = index, .index_op = picker->last[index]};
   if (!pick_from(picker, &op->src[2], picks, pick, 0, bound) ||
       !pick_from(picker, &op->src[3], picks, pick, bound, VGPU_PICK_INDICES)) {
      pick->ops = 0;
   }
   pick->found = pick->ops >= LEAST_PICK && picker->origins[index].known;
}

static void add_origin(struct origin *sum, const struct origin *origin)
{
   sum->known = sum->known && origin->known;
   for (unsigned i = 0; i < SET_WORDS; i++) {
      sum->from[i] |= origin->from[i];
   }
}

static void take_origins(struct picker *picker, const struct vgpu_op *op, int32_t number)
{
   const uint32_t to = op->dst.vector / VGPU_LANES;
   struct origin sum = {.known = is_lanewise(op)};
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct vgpu_source *source = &op->src[n];
      for (unsigned high = 0; source->space == VGPU_REGISTERS && high < (source->size + 31u) / 32; high++) {
         add_origin(&sum, &picker->origins[source->vector / VGPU_LANES + high]);
      }
   }
   if (op->dst.present && op->dst.size == 16) { /* the other half stays */
      add_origin(&sum, &picker->origins[to]);
   }
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   vgpu_op_registers(op, &reads, &writes);
   for (uint32_t half = 0; half < VGPU_HALVES; half++) {
      if (writes.bits[half / 64] >> half % 64 & 1) {
         picker->last[half / 2] = number;
         picker->origins[half / 2] = sum;
      }
   }
}

bool vgpu_jit_find_picks(const struct vgpu_op *ops, uint32_t count, const uint32_t *vectors, struct vgpu_pick *picks,
                         bool *same)
{
   struct picker picker;
   memset(&picker, 0, sizeof(picker));
   memset(same, 0, VECTORS * sizeof(*same));
   for (uint32_t vector = 0; vector < VECTORS; vector++) {
      picker.last[vector] = -1;
      picker.origins[vector].known = true;
      picker.origins[vector].from[vector / 64] |= UINT64_C(1) << vector % 64;
   }
   bool found = false;
   for (uint32_t i = 0; i < count; i++) {
      if (selects(&ops[i], vectors)) {
         find_pick(&picker, &ops[i], vectors, picks, &picks[i]);
      }
      const struct origin *origin = &picker.origins[picks[i].index];
      for (uint32_t vector = 0; picks[i].found && vector < VECTORS; vector++) {
         same[vector] |= origin->from[vector / 64] >> vector % 64 & 1;
      }
      found |= picks[i].found;
      take_origins(&picker, &ops[i], (int32_t)i);
   }
   return found;
}
