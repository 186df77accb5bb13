/* SPDX-License-Identifier: MIT
 *
 * The effects of an instruction. Invariant: an operation that is not listed as movable is a fence.
 */
#include "agx_runner/schedule/effects.h"

#include "isa/formats.h"

#define HALVES 256

/* X(operation, whether it may move, the memory that it loads from, the memory that it stores to). */
/* clang-format off */
#define KINDS(X) \
   X(MOV_IMM, true, 0, 0) \
   X(GET_SR, true, 0, SCHEDULE_SPECIAL) \
   X(IADD, true, 0, 0) \
   X(IMADD, true, 0, 0) \
   X(BITOP, true, 0, 0) \
   X(BFI, true, 0, 0) \
   X(BFEIL, true, 0, 0) \
   X(EXTR, true, 0, 0) \
   X(ASR, true, 0, 0) \
   X(SHLHI, true, 0, 0) \
   X(SHRHI, true, 0, 0) \
   X(ASRH, true, 0, 0) \
   X(INTL, true, 0, 0) \
   X(BITREV, true, 0, 0) \
   X(POPCOUNT, true, 0, 0) \
   X(FFS, true, 0, 0) \
   X(CONVERT, true, 0, 0) \
   X(FADD, true, 0, 0) \
   X(FMUL, true, 0, 0) \
   X(FFMA, true, 0, 0) \
   X(HADD, true, 0, 0) \
   X(HMUL, true, 0, 0) \
   X(HFMA, true, 0, 0) \
   X(FLOOR, true, 0, 0) \
   X(CEIL, true, 0, 0) \
   X(TRUNC, true, 0, 0) \
   X(RINT, true, 0, 0) \
   X(RCP, true, 0, 0) \
   X(RSQRT, true, 0, 0) \
   X(RSQRTS, true, 0, 0) \
   X(SIN_PT_1, true, 0, 0) \
   X(SIN_PT_2, true, 0, 0) \
   X(LOG2, true, 0, 0) \
   X(EXP2, true, 0, 0) \
   X(ICMPSEL, true, 0, 0) \
   X(FCMPSEL, true, 0, 0) \
   X(SHUFFLE, true, 0, 0) \
   X(REDUCE, true, 0, 0) \
   X(PREFIX, true, 0, 0) \
   X(MATRIX, true, 0, 0) \
   X(ICMP_BALLOT, true, 0, 0) \
   X(FCMP_BALLOT, true, 0, 0) \
   X(LOAD, true, SCHEDULE_DEVICE, 0) \
   X(STORE, true, 0, SCHEDULE_DEVICE) \
   X(ATOMIC, true, SCHEDULE_DEVICE, SCHEDULE_DEVICE) \
   X(LLOAD, true, SCHEDULE_LOCAL, 0) \
   X(LSTORE, true, 0, SCHEDULE_LOCAL) \
   X(LATOMIC, true, SCHEDULE_LOCAL, SCHEDULE_LOCAL) \
   X(STACK_LOAD, true, SCHEDULE_STACK, 0) \
   X(STACK_STORE, true, 0, SCHEDULE_STACK) \
   X(UNIFORM_STORE, false, 0, 0) \
   X(STACK_ADJUST, false, 0, 0) \
   X(STACK_GET_PTR, false, 0, 0) \
   X(ASYNC_LOAD, false, 0, 0) \
   X(ASYNC_STORE, false, 0, 0) \
   X(STATE_LOAD, false, 0, 0)
/* clang-format on */

static const struct {
   bool moves;
   uint8_t loads, stores;
} kinds[ISA_OP_COUNT] = {
#define KIND(op, ...) [ISA_OP_##op] = {__VA_ARGS__},
    KINDS(KIND)
#undef KIND
};

/* A memory instruction that KINDS does not list stops the build here. */
enum {
#define LISTED(op, ...) LISTED_##op,
   KINDS(LISTED)
#undef LISTED
};
#define NEEDED(op) _Static_assert(LISTED_##op >= 0, "KINDS lists each memory instruction");
ISA_MEMORY_OPS(NEEDED)
#undef NEEDED

static void add(struct schedule_halves *set, unsigned first, unsigned count)
{
   for (unsigned half = first; half < first + count && half < HALVES; half++) {
      set->bits[half / 64] |= UINT64_C(1) << half % 64;
   }
}

static void add_operand(struct schedule_halves *set, const struct isa_operand *operand)
{
   if (operand->kind == ISA_REG && operand->value >= 0) {
      add(set, (unsigned)operand->value, operand->size / 16u * (operand->count ? operand->count : 1u));
   }
}

/* Whether elements are packed into one word, so that the operands do not tell how many registers they use. */
static bool is_packed(const struct isa_insn *insn, uint8_t spaces)
{
   return spaces & (SCHEDULE_DEVICE | SCHEDULE_LOCAL | SCHEDULE_STACK) &&
          isa_formats[insn->mod[ISA_MOD_FORMAT] & 15].components != 0;
}

void schedule_effects_of(const struct isa_insn *insn, struct schedule_effects *effects)
{
   const struct isa_implicit implicit = isa_implicit(insn);

   *effects = (struct schedule_effects){.loads = kinds[insn->op].loads, .stores = kinds[insn->op].stores};
   for (unsigned i = 0; i < ISA_MAX_SOURCES; i++) {
      add_operand(&effects->reads, &insn->src[i]);
      if (insn->src[i].discard) {
         add_operand(&effects->discards, &insn->src[i]);
      }
   }
   add_operand(&effects->writes, &insn->dst);
   add(&effects->writes, implicit.first, implicit.halves);
   if (implicit.read) {
      add(&effects->reads, implicit.first, implicit.halves);
   }
   effects->wait = insn->op == ISA_OP_WAIT;
   effects->async = isa_is_async(insn);
   effects->slot = insn->mod[ISA_MOD_SLOT] & 1;
   effects->fence = !effects->wait && (insn->row == NULL || !kinds[insn->op].moves || isa_flow(insn) != ISA_FLOW_NEXT ||
                                       is_packed(insn, effects->loads | effects->stores));
   if (effects->loads && insn->mod[ISA_MOD_COHERENCY] != 0) {
      effects->stores |= effects->loads; /* coherent loads must stay in order */
   }
}

bool schedule_meet(const struct schedule_halves *a, const struct schedule_halves *b)
{
   return (a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1]) | (a->bits[2] & b->bits[2]) | (a->bits[3] & b->bits[3]);
}

bool schedule_is_empty(const struct schedule_halves *halves)
{
   return schedule_meet(halves, halves) == 0;
}
