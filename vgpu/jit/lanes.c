/* SPDX-License-Identifier: MIT
 *
 * What can be deduced about the lanes of the registers of a run without executing it: they hold the same value, or
 * count up by one from lane to lane. Accesses at such addresses need no check of the lanes. Invariant: a fact holds
 * for every simdgroup with 32 active lanes that runs the instruction, on every path to it.
 */
#include "vgpu/jit/lanes.h"

#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/simd.h"
#include "vgpu/jit/memory.h"
#include "util/array.h"

#define VECTORS VGPU_JIT_VECTORS

enum fact { UNKNOWN, SAME, COUNTS };

static bool is_word(const struct vgpu_source *source)
{
   return source->size == 32 && source->form == VGPU_WORD;
}

static enum fact of_source(const struct vgpu_source *source, const uint8_t *facts)
{
   if (!is_word(source)) {
      return UNKNOWN;
   }
   if (source->space == VGPU_CONSTANTS || source->space == VGPU_LITERALS) {
      return SAME;
   }
   return (enum fact)facts[source->vector / VGPU_LANES];
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

/* Operations whose result in a lane depends on that lane's operands alone. */
static bool is_lanewise(const struct vgpu_op *op)
{
   static const uint16_t codes[] = {
       ISA_OP_MOV_IMM, ISA_OP_IADD,  ISA_OP_IMADD, ISA_OP_BITOP, ISA_OP_BFI,  ISA_OP_BFEIL,   ISA_OP_EXTR,
       ISA_OP_SHLHI,   ISA_OP_SHRHI, ISA_OP_ASR,   ISA_OP_ASRH,  ISA_OP_INTL, ISA_OP_ICMPSEL, ISA_OP_FCMPSEL,
       ISA_OP_BITREV,  ISA_OP_FFS,   ISA_OP_FADD,  ISA_OP_FMUL,  ISA_OP_FFMA, ISA_OP_HADD,    ISA_OP_HMUL,
       ISA_OP_HFMA,    ISA_OP_FLOOR, ISA_OP_CEIL,  ISA_OP_TRUNC, ISA_OP_RINT, ISA_OP_CONVERT, ISA_OP_POPCOUNT};
   bool found = false;
   for (size_t i = 0; i < ARRAY_COUNT(codes); i++) {
      found |= op->insn->op == codes[i];
   }
   return found;
}

/* Whether the result is the same in all lanes. What a 16-bit result leaves of its register must be so, too. */
static bool makes_same(const struct vgpu_op *op, const uint8_t *facts)
{
   bool same = is_lanewise(op) && (op->dst.size != 16 || facts[op->dst.vector / VGPU_LANES] == SAME);
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      same = same && is_same(&op->src[n], facts);
   }
   return same;
}

/* The sum of a counting value and one that is the same for all lanes counts, whatever the sum's sign or overflow. */
static enum fact of_sum(const struct vgpu_op *op, const uint8_t *facts)
{
   const enum fact a = of_source(&op->src[0], facts), b = of_source(&op->src[1], facts);
   if (op->saturate || a == UNKNOWN || b == UNKNOWN) {
      return UNKNOWN;
   }
   if (a == SAME && b == SAME) {
      return SAME;
   }
   const bool plain = !op->negate && op->addend.shift == 0 && op->addend.keep == UINT32_MAX;
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

static enum fact of_result(const struct vgpu_op *op, const uint8_t *facts, enum positions positions)
{
   if (makes_same(op, facts)) {
      return SAME;
   }
   if (op->dst.size != 32 || op->dst.form != VGPU_WORD) {
      return UNKNOWN;
   }
   switch (op->insn->op) {
   case ISA_OP_GET_SR: /* of special registers, only positions of threads are compiled */
      if (positions == POSITIONS_UNKNOWN || (positions == POSITIONS_FOLLOW && !op->special.in_grid)) {
         return UNKNOWN;
      }
      return op->special.axis == 0 ? COUNTS : SAME;
   case ISA_OP_IADD:
      return of_sum(op, facts);
   default:
      return UNKNOWN;
   }
}

static void forget(uint8_t *facts, uint32_t first, uint32_t end)
{
   for (uint32_t vector = first; vector < end && vector < VECTORS; vector++) {
      facts[vector] = UNKNOWN;
   }
}

static void mark_sources(const struct vgpu_op *op, struct vgpu_op *descriptor, const uint8_t *facts)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_source *source = &descriptor->src[n];
      const bool computed = source->space == VGPU_REGISTERS || source->space == VGPU_COMPUTED;
      if (computed && source->size && !vgpu_jit_is_memory(op) && is_same(source, facts)) {
         source->space = VGPU_SAME;
      } else if (computed && is_word(source)) {
         const enum fact fact = of_source(source, facts);
         source->space = fact == SAME ? VGPU_SAME : fact == COUNTS ? VGPU_COUNTING : source->space;
      }
   }
}

static void take_result(const struct vgpu_op *op, uint8_t *facts, enum positions positions)
{
   if (vgpu_jit_is_fence(op)) {
      return;
   }
   if (vgpu_jit_is_memory(op)) {
      uint32_t first, end;
      vgpu_jit_memory_data(op, &first, &end);
      if (vgpu_jit_memory_loads(op)) {
         forget(facts, first, end);
      }
      return;
   }
   const uint32_t vector = op->dst.present ? op->dst.vector / VGPU_LANES : 0; /* the exec mask's stack is r0l */
   const enum fact fact = op->dst.present ? of_result(op, facts, positions) : UNKNOWN;
   const bool wide = op->dst.present && op->dst.size == 64;
   facts[vector] = (uint8_t)fact;
   if (wide) {
      facts[vector + 1] = (uint8_t)fact;
   }
}

/* The facts at a loop's start, where these registers are the same in all lanes. */
static void start_pass(uint8_t *facts, const bool *same)
{
   for (uint32_t vector = 0; vector < VECTORS; vector++) {
      facts[vector] = same && same[vector] ? SAME : UNKNOWN;
   }
}

void vgpu_jit_mark_lanes(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, uint32_t body,
                         bool positions_count, const bool *same)
{
   uint8_t facts[VECTORS];
   start_pass(facts, same);
   for (uint32_t i = 0; i < count; i++) {
      if (i == body) { /* the first pass through a loop starts here */
         start_pass(facts, same);
      }
      mark_sources(&ops[i], &descriptors[i], facts);
      take_result(&ops[i], facts, positions_count ? POSITIONS_COUNT : POSITIONS_UNKNOWN);
   }
}

/* What a program leaves in its registers, where it runs from its start to this block without a jump, by a rule of
 * thumb: nobody relies on it. */
static void guess_facts(const struct vgpu_code *code, const struct vgpu_block *until, uint8_t *facts)
{
   for (const struct vgpu_block *block = code->blocks; block != until; block++) {
      for (uint32_t i = 0; i < block->count; i++) {
         const struct vgpu_op *op = &block->ops[i];
         const bool known = is_lanewise(op) || vgpu_jit_is_fence(op);
         if (known && op->dst.present) {
            take_result(op, facts, POSITIONS_UNKNOWN);
            continue;
         }
         struct vgpu_halves reads = {{0}}, writes = {{0}};
         vgpu_op_registers(op, &reads, &writes);
         const bool of_group = op->insn->op == ISA_OP_GET_SR && op->variant == 0 && op->special.number < 20;
         for (uint32_t half = 0; half < VGPU_HALVES; half++) {
            if (writes.bits[half / 64] >> half % 64 & 1) {
               facts[half / 2] = of_group ? SAME : UNKNOWN;
            }
         }
      }
   }
}

static void take_results(const struct vgpu_block *block, uint8_t *facts)
{
   for (uint32_t i = 0; i < block->count; i++) {
      take_result(&block->ops[i], facts, POSITIONS_UNKNOWN);
   }
}

/* Takes from the set what is not the same in all lanes any more. Whether there was something. */
static bool drop_others(const uint8_t *facts, bool *same)
{
   bool dropped = false;
   for (uint32_t vector = 0; vector < VECTORS; vector++) {
      dropped |= same[vector] && facts[vector] != SAME;
      same[vector] = same[vector] && facts[vector] == SAME;
   }
   return dropped;
}

void vgpu_jit_same_registers(const struct vgpu_code *code, const struct vgpu_block *head, const struct vgpu_block *body,
                             bool *same)
{
   uint8_t facts[VECTORS] = {UNKNOWN};
   guess_facts(code, head, facts);
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   for (uint32_t i = 0; i < head->count + body->count; i++) {
      vgpu_op_registers(i < head->count ? &head->ops[i] : &body->ops[i - head->count], &reads, &writes);
   }
   for (uint32_t vector = 0; vector < VECTORS; vector++) {
      const uint32_t half = 2 * vector;
      same[vector] = facts[vector] == SAME && half < VGPU_HALVES && (reads.bits[half / 64] >> half % 64 & 3);
   }
   /* Of those, the ones that are so again at the head and at the loop's end if all of them are. */
   bool changed = true;
   while (changed) {
      start_pass(facts, same);
      take_results(body, facts);
      changed = drop_others(facts, same);
      start_pass(facts, same);
      take_results(head, facts);
      changed |= drop_others(facts, same);
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
      const enum fact index = of_source(&op->src[1], facts);
      if (!vgpu_jit_memory_known_line(op) || descriptors[i].src[0].space != VGPU_CONSTANTS || index == UNKNOWN ||
          (index == SAME && !vgpu_jit_memory_loads(op)) || op->memory.shift != 0) {
         return false;
      }
      take_result(op, facts, POSITIONS_UNKNOWN);
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
