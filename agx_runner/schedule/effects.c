/* SPDX-License-Identifier: MIT
 *
 * The effects of an instruction. Invariant: an operation that is not listed as movable is a fence.
 */
#include "agx_runner/schedule/effects.h"

#include "isa/formats.h"

#define HALVES 256

/* What may move, and the memory that it loads from and stores to. */
static const struct {
   bool moves;
   uint8_t loads, stores;
} kinds[ISA_OP_COUNT] = {
    [ISA_OP_MOV_IMM] = {true, 0, 0},
    [ISA_OP_GET_SR] = {true, 0, SCHEDULE_SPECIAL},
    [ISA_OP_IADD] = {true, 0, 0},
    [ISA_OP_IMADD] = {true, 0, 0},
    [ISA_OP_BITOP] = {true, 0, 0},
    [ISA_OP_BFI] = {true, 0, 0},
    [ISA_OP_BFEIL] = {true, 0, 0},
    [ISA_OP_EXTR] = {true, 0, 0},
    [ISA_OP_ASR] = {true, 0, 0},
    [ISA_OP_SHLHI] = {true, 0, 0},
    [ISA_OP_SHRHI] = {true, 0, 0},
    [ISA_OP_ASRH] = {true, 0, 0},
    [ISA_OP_INTL] = {true, 0, 0},
    [ISA_OP_BITREV] = {true, 0, 0},
    [ISA_OP_POPCOUNT] = {true, 0, 0},
    [ISA_OP_FFS] = {true, 0, 0},
    [ISA_OP_CONVERT] = {true, 0, 0},
    [ISA_OP_FADD] = {true, 0, 0},
    [ISA_OP_FMUL] = {true, 0, 0},
    [ISA_OP_FFMA] = {true, 0, 0},
    [ISA_OP_HADD] = {true, 0, 0},
    [ISA_OP_HMUL] = {true, 0, 0},
    [ISA_OP_HFMA] = {true, 0, 0},
    [ISA_OP_FLOOR] = {true, 0, 0},
    [ISA_OP_CEIL] = {true, 0, 0},
    [ISA_OP_TRUNC] = {true, 0, 0},
    [ISA_OP_RINT] = {true, 0, 0},
    [ISA_OP_RCP] = {true, 0, 0},
    [ISA_OP_RSQRT] = {true, 0, 0},
    [ISA_OP_RSQRTS] = {true, 0, 0},
    [ISA_OP_SIN_PT_1] = {true, 0, 0},
    [ISA_OP_SIN_PT_2] = {true, 0, 0},
    [ISA_OP_LOG2] = {true, 0, 0},
    [ISA_OP_EXP2] = {true, 0, 0},
    [ISA_OP_ICMPSEL] = {true, 0, 0},
    [ISA_OP_FCMPSEL] = {true, 0, 0},
    [ISA_OP_SHUFFLE] = {true, 0, 0},
    [ISA_OP_REDUCE] = {true, 0, 0},
    [ISA_OP_PREFIX] = {true, 0, 0},
    [ISA_OP_MATRIX] = {true, 0, 0},
    [ISA_OP_ICMP_BALLOT] = {true, 0, 0},
    [ISA_OP_FCMP_BALLOT] = {true, 0, 0},
    [ISA_OP_LOAD] = {true, SCHEDULE_DEVICE, 0},
    [ISA_OP_STORE] = {true, 0, SCHEDULE_DEVICE},
    [ISA_OP_ATOMIC] = {true, SCHEDULE_DEVICE, SCHEDULE_DEVICE},
    [ISA_OP_LLOAD] = {true, SCHEDULE_LOCAL, 0},
    [ISA_OP_LSTORE] = {true, 0, SCHEDULE_LOCAL},
    [ISA_OP_LATOMIC] = {true, SCHEDULE_LOCAL, SCHEDULE_LOCAL},
    [ISA_OP_STACK_LOAD] = {true, SCHEDULE_STACK, 0},
    [ISA_OP_STACK_STORE] = {true, 0, SCHEDULE_STACK},
};

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

/* Elements that are packed into one word: their operands do not say how many registers they are. */
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
      effects->stores |= effects->loads; /* coherent loads keep their order */
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
