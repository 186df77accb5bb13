/* SPDX-License-Identifier: MIT
 *
 * struct isa_insn to bytes: decode.c backwards, by the same rows.
 */
#include "isa/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *isa_encode_bits(const struct isa_insn *insn, struct isa_code *code, const struct isa_field **field)
{
   const struct isa_opcode *row = insn->row;
   unsigned longest = row->long_length != 0 ? row->long_length : row->length;
   struct isa_code covered = isa_covered(insn->set, row, longest);

   *field = NULL;
   *code = (struct isa_code){row->match & ~covered.low, 0};
   if (row->implies && insn->mod[row->implied_mod] != row->implied) {
      return "the number that the mnemonic implies";
   }
   for (const struct isa_field *at = row->fields; at->kind != ISA_FIELD_END; at++) {
      const char *legal = isa_kinds[at->kind]->encode(at, insn, code);
      if (legal != NULL) {
         *field = at;
         return legal;
      }
   }
   if ((code->low & row->mask) != row->match) {
      return "operands that this form of the instruction can hold";
   }
   return NULL;
}

static int fail(const struct isa_insn *insn, const struct isa_field *field, const char *legal, char *why, size_t size)
{
   if (field == NULL) {
      snprintf(why, size, "%s takes %s", insn->row->name, legal);
   } else {
      unsigned number = 1;
      for (const struct isa_field *at = insn->row->fields; at != field; at++) {
         number += at->kind != ISA_FIELD_FIXED;
      }
      snprintf(why, size, "operand %u of %s (%s) must be %s", number, insn->row->name, isa_kinds[field->kind]->name,
               legal);
   }
   return -EINVAL;
}

int isa_encode(const struct isa_insn *insn, uint8_t *code, char *why, size_t why_size)
{
   const struct isa_opcode *row = insn->row;
   const struct isa_field *field;
   struct isa_code value;

   if (row == NULL) {
      memcpy(code, insn->bytes, insn->length);
      return insn->length;
   }

   const char *legal = isa_encode_bits(insn, &value, &field);
   if (legal != NULL) {
      return fail(insn, field, legal, why, why_size);
   }

   unsigned length = isa_usual_length(row, &value);
   if (insn->length != 0 && insn->length != length) {
      bool exists = insn->length == row->length || (row->long_length != 0 && insn->length == row->long_length);
      if (!exists || (insn->length == row->length && !isa_fits_short(row, &value))) {
         snprintf(why, why_size, "%s with these operands does not fit %u bytes", row->name, insn->length);
         return -EINVAL;
      }
      length = insn->length;
   }
   if (length == row->long_length) {
      isa_put(&value, (struct isa_piece){row->length_bit, 1}, 1);
   }
   for (unsigned i = 0; i < length; i++) {
      code[i] = (uint8_t)(i < 8 ? value.low >> (8 * i) : value.high >> (8 * (i - 8)));
   }
   return (int)length;
}
