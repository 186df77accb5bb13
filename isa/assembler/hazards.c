/* SPDX-License-Identifier: MIT
 *
 * Hazards of straight-line code: a result read or overwritten before its wait (spec/isa.md 1.5), a
 * matrix destination over a source (4.8), a 64-bit register pair at an odd register (1.2), threadgroup memory past
 * its 32 KiB (1.9).
 */
#include "isa/assembler/hazards.h"
#include "isa/program.h"
#include "isa/table.h"

#include <stdio.h>
#include <string.h>

void isa_hazards_reset(struct isa_hazards *hazards)
{
   if (hazards->pending) {
      memset(hazards, 0, sizeof(*hazards));
   }
}

static unsigned halves_of(const struct isa_operand *operand)
{
   return operand->kind == ISA_REG ? operand->count * operand->size / 16u : 0;
}

static bool overlap(const struct isa_operand *a, const struct isa_operand *b)
{
   int32_t end_a = a->value + (int32_t)halves_of(a), end_b = b->value + (int32_t)halves_of(b);
   return halves_of(a) != 0 && halves_of(b) != 0 && a->value < end_b && b->value < end_a;
}

static void operand_text(const struct isa_operand *operand, char *text, size_t size)
{
   struct isa_writer out = {.text = text, .size = size};
   struct isa_operand bare = {
       .kind = operand->kind, .size = operand->size, .count = operand->count, .value = operand->value};
   isa_write_operand(&out, &bare);
   text[out.length < size ? out.length : size - 1] = '\0';
}

/* ---- Results before their wait ---- */

static void settle(struct isa_hazards *hazards, unsigned slot)
{
   hazards->pending = false;
   for (unsigned half = 0; half < 256; half++) {
      if (hazards->slot[half] == slot + 1) {
         hazards->slot[half] = 0;
      }
      hazards->pending |= hazards->slot[half] != 0;
   }
}

static bool check_pending(struct isa_hazards *hazards, const struct isa_insn *insn, unsigned target,
                          struct isa_hazard *found)
{
   const struct isa_operand *operand = isa_operand_in(insn, target);
   unsigned end = (unsigned)operand->value + halves_of(operand);
   char name[48];

   for (unsigned half = (unsigned)operand->value; half < end; half++) {
      if (hazards->slot[half] == 0) {
         continue;
      }
      const char slot = "ab"[hazards->slot[half] - 1];
      operand_text(operand, name, sizeof(name));
      found->target = target;
      snprintf(found->text, sizeof(found->text),
               "%s is %s before 'wait %c': the result of line %u may still be on its way", name,
               target == ISA_DST ? "overwritten" : "read", slot, hazards->line[half]);
      settle(hazards, hazards->slot[half] - 1u); /* once is enough */
      return true;
   }
   return false;
}

static void start_result(struct isa_hazards *hazards, const struct isa_insn *insn, unsigned line)
{
   unsigned end = (unsigned)insn->dst.value + halves_of(&insn->dst);
   for (unsigned half = (unsigned)insn->dst.value; half < end; half++) {
      hazards->slot[half] = (uint8_t)(1 + (insn->mod[ISA_MOD_SLOT] & 1));
      hazards->line[half] = line;
      hazards->pending = true;
   }
}

/* ---- Operands ---- */

static bool check_pair(const struct isa_insn *insn, unsigned target, struct isa_hazard *found)
{
   const struct isa_operand *operand = isa_operand_in(insn, target);
   if (operand->kind != ISA_REG || operand->size != 64 || operand->value / 2 % 2 == 0) {
      return false;
   }
   found->target = target;
   snprintf(found->text, sizeof(found->text), "dr%d is a register pair at an odd register: untested beyond the ALU",
            operand->value / 2);
   return true;
}

/* The accumulator may be the very destination; anything else is overwritten while it is read. */
static bool check_matrix(const struct isa_insn *insn, unsigned target, struct isa_hazard *found)
{
   const struct isa_operand *source = isa_operand_in(insn, target);
   bool in_place = target == ISA_SRC2 && source->value == insn->dst.value && source->size == insn->dst.size;

   if (insn->op != ISA_OP_MATRIX || target == ISA_DST || in_place || !overlap(&insn->dst, source)) {
      return false;
   }
   found->target = target;
   snprintf(found->text, sizeof(found->text),
            "the matrix destination lies over this source: it is written while it is still read");
   return true;
}

static unsigned element_bytes(const struct isa_insn *insn)
{
   if (insn->op == ISA_OP_LATOMIC) {
      return 4;
   }
   switch (insn->mod[ISA_MOD_FORMAT]) {
   case ISA_FORMAT_I8:
   case ISA_FORMAT_U8NORM:
   case ISA_FORMAT_S8NORM:
   case ISA_FORMAT_SRGBA8:
      return 1;
   case ISA_FORMAT_I16:
   case ISA_FORMAT_F16:
   case ISA_FORMAT_U16NORM:
   case ISA_FORMAT_S16NORM:
      return 2;
   default:
      return 4;
   }
}

/* Only an address that the text gives in full is known: no base, and a number as index. */
static bool check_local(const struct isa_insn *insn, unsigned target, struct isa_hazard *found)
{
   bool local = insn->op == ISA_OP_LLOAD || insn->op == ISA_OP_LSTORE || insn->op == ISA_OP_LATOMIC;
   if (!local || target != ISA_SRC1 || insn->src[0].kind != ISA_IMM || insn->src[1].kind != ISA_IMM) {
      return false;
   }
   long long address = (long long)insn->src[1].value * element_bytes(insn);
   if (address >= 0 && address < AGX_THREADGROUP_BYTES) {
      return false;
   }
   found->target = target;
   snprintf(found->text, sizeof(found->text), "byte %lld is not within the %d bytes of threadgroup memory", address,
            AGX_THREADGROUP_BYTES);
   return true;
}

unsigned isa_hazards_next(struct isa_hazards *hazards, const struct isa_insn *insn, unsigned line,
                          struct isa_hazard found[ISA_HAZARDS_MAX])
{
   unsigned count = 0;

   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      if (isa_operand_in(insn, target)->kind == ISA_NONE) {
         continue;
      }
      bool wrong = check_pair(insn, target, &found[count]) || check_matrix(insn, target, &found[count]) ||
                   check_local(insn, target, &found[count]) ||
                   (hazards->pending && check_pending(hazards, insn, target, &found[count]));
      count += wrong;
   }
   if (isa_flow(insn) == ISA_FLOW_WAIT) {
      if (hazards->pending) {
         settle(hazards, (unsigned)insn->mod[ISA_MOD_SLOT] & 1);
      }
   } else if (isa_is_async(insn) && insn->dst.kind == ISA_REG) {
      start_result(hazards, insn, line);
   } else if (isa_is_branch(insn) || isa_is_end(insn)) {
      isa_hazards_reset(hazards);
   }
   return count;
}
