/* SPDX-License-Identifier: MIT
 *
 * What can be deduced about the lanes of the registers of a run without executing it: they hold the same value, or
 * count up by one from lane to lane. Accesses at such addresses need no check of the lanes. Invariant: a fact holds
 * for every simdgroup with 32 active lanes that runs the instruction, on every path to it.
 */
#include "vgpu/jit/lanes.h"

#include <string.h>

#include "vgpu/exec/simd.h"
#include "vgpu/jit/memory.h"

#define VECTORS 256u /* lane vectors of a simdgroup, at most */

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
   if (op->dst.size != 32 || op->dst.form != VGPU_WORD) {
      return UNKNOWN;
   }
   switch (op->insn->op) {
   case ISA_OP_GET_SR: /* of special registers, only positions of threads are compiled */
      if (positions == POSITIONS_UNKNOWN || (positions == POSITIONS_FOLLOW && !op->special.in_grid)) {
         return UNKNOWN;
      }
      return op->special.axis == 0 ? COUNTS : SAME;
   case ISA_OP_MOV_IMM:
      return SAME;
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

static void mark_sources(struct vgpu_op *descriptor, const uint8_t *facts)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      struct vgpu_source *source = &descriptor->src[n];
      const bool computed = source->space == VGPU_REGISTERS || source->space == VGPU_COMPUTED;
      if (computed && is_word(source)) {
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
   forget(facts, vector, vector + (op->dst.present && op->dst.size == 64 ? 2 : 1));
   if (vector < VECTORS) {
      facts[vector] = (uint8_t)fact;
   }
}

void vgpu_jit_mark_lanes(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, uint32_t body,
                         bool positions_count)
{
   uint8_t facts[VECTORS] = {UNKNOWN};
   for (uint32_t i = 0; i < count; i++) {
      if (i == body) { /* the first pass through a loop starts here */
         memset(facts, UNKNOWN, sizeof(facts));
      }
      mark_sources(&descriptors[i], facts);
      take_result(&ops[i], facts, positions_count ? POSITIONS_COUNT : POSITIONS_UNKNOWN);
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
