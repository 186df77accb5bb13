/* SPDX-License-Identifier: MIT
 *
 * Checks hazards: programs that the hardware executes wrongly and the emulation does not (spec/isa.md 1.5, 2.0, 4.8).
 * A load's destination is pending from the load to the wait on its slot; a discarded half register is poisoned in the
 * active lanes until it is written.
 */
#include "vgpu/exec/checks/checks.h"

#include <stdio.h>

#include "vgpu/exec/fault.h"

static unsigned first_lane(const struct vgpu_simd *simd)
{
   return simd->exec ? (unsigned)__builtin_ctz(simd->exec) : (unsigned)__builtin_ctz(simd->launched_bits);
}

/* Describes a load or discard: "main + 0x14: load r4, ..." */
static void describe(const struct vgpu_simd *simd, const struct vgpu_op *op, char *text, size_t size)
{
   vgpu_place_print(simd->worker, op, text, size);
}

/* Whether a load or a discard is there for any register of the instruction. */
static bool waits_for_one(const struct vgpu_checked_op *checked, const struct vgpu_simd_checks *state)
{
   uint64_t bits = 0;
   for (unsigned word = 0; word < VGPU_HALVES / 64; word++) {
      bits |= (checked->reads.bits[word] | checked->writes.bits[word]) &
              (state->pending[0].bits[word] | state->pending[1].bits[word] | state->discarded.bits[word]);
   }
   return bits != 0;
}

static void check_pending(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_simd_checks *state = simd->checks;
   char loader[VGPU_PLACE_BYTES];
   for (unsigned slot = 0; slot < 2; slot++) {
      struct vgpu_halves *pending = &state->pending[slot];
      if (!vgpu_halves_meet(&checked->reads, pending) && !vgpu_halves_meet(&checked->writes, pending)) {
         continue;
      }
      unsigned half = vgpu_halves_next(&checked->reads, pending, 0);
      if (half < VGPU_HALVES) {
         describe(simd, state->loader[half], loader, sizeof(loader));
         vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, first_lane(simd), 0,
                          "%s is read before the wait for its load (%s)", vgpu_name_half(half, false).text, loader);
      }
      unsigned over = vgpu_halves_next(&checked->writes, pending, 0);
      if (over < VGPU_HALVES) {
         describe(simd, state->loader[over], loader, sizeof(loader));
         vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, first_lane(simd), 0,
                          "%s is overwritten before the wait for its load (%s)", vgpu_name_half(over, false).text,
                          loader);
      }
      /* one report for each cause */
      for (unsigned word = 0; word < VGPU_HALVES / 64; word++) {
         pending->bits[word] &= ~(checked->reads.bits[word] | checked->writes.bits[word]);
      }
   }
}

static void check_discarded(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd)
{
   struct vgpu_simd_checks *state = simd->checks;
   for (unsigned half = 0; (half = vgpu_halves_next(&checked->reads, &state->discarded, half)) < VGPU_HALVES; half++) {
      uint32_t lanes = state->discarded_lanes[half] & simd->exec;
      if (lanes) {
         char discarder[VGPU_PLACE_BYTES];
         describe(simd, state->discarder[half], discarder, sizeof(discarder));
         vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, (unsigned)__builtin_ctz(lanes), 0,
                          "%s is read after its last use (%s)", vgpu_name_half(half, false).text, discarder);
         state->discarded_lanes[half] = 0;
         vgpu_halves_drop(&state->discarded, half);
      }
   }
   for (unsigned half = 0;
        checked->discarding && (half = vgpu_halves_next(&checked->discards, &checked->discards, half)) < VGPU_HALVES;
        half++) {
      vgpu_halves_add(&state->discarded, half);
      state->discarded_lanes[half] |= simd->exec;
      state->discarder[half] = op;
   }
   for (unsigned half = 0; (half = vgpu_halves_next(&checked->writes, &state->discarded, half)) < VGPU_HALVES; half++) {
      state->discarded_lanes[half] &= ~simd->exec;
      if (!state->discarded_lanes[half]) {
         vgpu_halves_drop(&state->discarded, half);
      }
   }
}

/* The hardware shifts by up to 127. NIR's shifts take the count modulo the width, so a larger count means that the mask
 * is missing. */
static void check_count(const struct vgpu_op *op, const struct vgpu_simd *simd)
{
   unsigned n = op->insn->op == ISA_OP_ASR ? 1 : 2;
   if (op->insn->src[n].kind != ISA_REG && op->insn->src[n].kind != ISA_UNIFORM) {
      return;
   }
   for (uint32_t lanes = simd->exec; lanes; lanes &= lanes - 1) {
      unsigned lane = (unsigned)__builtin_ctz(lanes);
      uint32_t count = vgpu_lane_value(op, n, simd, lane);
      if (count > 31) {
         vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, lane, 0,
                          "the shift count %u is beyond the width: the hardware does not take it modulo 32", count);
         return;
      }
   }
}

void vgpu_check_hazards(const struct vgpu_checked_op *checked, const struct vgpu_op *op, struct vgpu_simd *simd,
                        const struct vgpu_touch *touch)
{
   (void)touch;
   struct vgpu_simd_checks *state = simd->checks;
   if (checked->hazard) {
      vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, first_lane(simd), 0, "%s", checked->hazard);
   }
   if (checked->discarding || waits_for_one(checked, state)) {
      check_pending(checked, op, simd);
      check_discarded(checked, op, simd);
   }
   if (op->insn->op == ISA_OP_BFI || op->insn->op == ISA_OP_BFEIL || op->insn->op == ISA_OP_ASR) {
      check_count(op, simd);
   }
   if (op->insn->op == ISA_OP_WAIT) {
      state->pending[checked->slot] = (struct vgpu_halves){{0}};
   }
   if (checked->async) {
      for (unsigned word = 0; word < VGPU_HALVES / 64; word++) {
         state->pending[checked->slot].bits[word] |= checked->writes.bits[word];
         for (uint64_t left = checked->writes.bits[word]; left; left &= left - 1) {
            state->loader[64 * word + (unsigned)__builtin_ctzll(left)] = op;
         }
      }
   }
}

/* Enough to hold any instruction that a fetch unit may be decoding. */
#define FETCH_AHEAD 16u

static void check_fetch(const struct vgpu_simd *simd, const struct vgpu_op *op)
{
   uint8_t bytes[FETCH_AHEAD];
   uint64_t bad;
   if (!vgpu_pages_read(simd->worker->launch->pages, op->address + op->insn->length, bytes, sizeof(bytes), &bad)) {
      vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, first_lane(simd), bad,
                       "the program ends at the end of a mapping: the hardware fetches past its end");
   }
}

void vgpu_check_control(struct vgpu_simd *simd, const struct vgpu_block *block)
{
   const struct vgpu_op *op = block->last;
   if (block->control == VGPU_FAULT || !op->insn->row) {
      return;
   }
   if (vgpu_checks_on(simd, VGPU_CHECK_UNDEFINED) &&
       (block->control == VGPU_RETURN || block->control == VGPU_CALL_REGISTER || block->control == VGPU_CALL)) {
      vgpu_check_undefined_jump(vgpu_check_op(block->code, op), op, simd);
   }
   if (!vgpu_checks_on(simd, VGPU_CHECK_HAZARDS)) {
      return;
   }
   const struct vgpu_checked_op *checked = vgpu_check_op(block->code, op);
   if (checked->discarding || waits_for_one(checked, simd->checks)) {
      check_pending(checked, op, simd);
      check_discarded(checked, op, simd);
   }
   if (block->control == VGPU_STOP) {
      check_fetch(simd, op);
   }
   if (block->control == VGPU_BARRIER) {
      simd->checks->barrier = op;
      if (simd->exec && simd->exec != simd->launched_bits) {
         unsigned missing = (unsigned)__builtin_ctz(simd->launched_bits & ~simd->exec);
         vgpu_check_found(simd, op, VGPU_CHECK_HAZARDS, missing, 0,
                          "a barrier that %d of the simdgroup's %d threads execute; this one does not",
                          __builtin_popcount(simd->exec), __builtin_popcount(simd->launched_bits));
      }
   }
}

void vgpu_check_release(struct vgpu_threadgroup *group)
{
   const struct vgpu_simd *first = group->first;
   if (first->checks->owner->launch->checks & VGPU_CHECK_HAZARDS) {
      for (unsigned i = 1; i < group->simds; i++) {
         const struct vgpu_simd *simd = &group->first[i];
         if (simd->checks->barrier != first->checks->barrier || !simd->exec != !first->exec) {
            vgpu_check_found(simd, simd->checks->barrier, VGPU_CHECK_HAZARDS, first_lane(simd), 0,
                             "a barrier that only some of the threadgroup's simdgroups execute");
            break;
         }
      }
   }
   group->checks->epoch++;
   if (group->checks->owner->races) {
      vgpu_races_barrier(group);
   }
}
