/* SPDX-License-Identifier: MIT
 *
 * struct isa_insn to one line of assembly, and the facts that isa.h gives of a row.
 */
#include "isa/table.h"

#include <math.h>

/* Whether a long form holds nothing that the short one could not. */
static bool needlessly_long(const struct isa_insn *insn)
{
   const struct isa_opcode *row = insn->row;
   const struct isa_field *field;
   struct isa_code code;

   if (row->long_length == 0 || insn->length != row->long_length || (row->flags & ISA_FLAG_LONG)) {
      return false;
   }
   for (unsigned i = row->length; i < row->long_length; i++) {
      if (insn->bytes[i] != 0) {
         return false;
      }
   }
   return isa_encode_bits(insn, &code, &field) == NULL && isa_usual_length(row, &code) == row->length;
}

/* Whether the encoder would pick the long form where the short one does. */
static bool prefers_long(const struct isa_insn *insn)
{
   const struct isa_field *field;
   struct isa_code code;
   if (insn->row->flags & ISA_FLAG_LONG_FROM_32) {
      return isa_encode_bits(insn, &code, &field) == NULL && isa_usual_length(insn->row, &code) != insn->row->length;
   }
   return insn->row->flags & ISA_FLAG_LONG;
}

/* Where the form is not the one that the encoder would pick, the mnemonic says so. */
static void print_form(const struct isa_insn *insn, struct isa_writer *out)
{
   if (insn->length == insn->row->length && prefers_long(insn)) {
      isa_write(out, ".short");
   } else if (needlessly_long(insn)) {
      isa_write(out, ".long");
   }
}

static int finish(struct isa_writer *out)
{
   if (out->size != 0) {
      out->text[out->length < out->size ? out->length : out->size - 1] = '\0';
   }
   return (int)out->length;
}

int isa_print_bytes(const uint8_t *bytes, size_t count, char *text, size_t size)
{
   struct isa_writer out = {.text = text, .size = size, .first = true};
   isa_write(&out, ".byte");
   for (size_t i = 0; i < count; i++) {
      isa_write_separator(&out);
      isa_write(&out, "0x");
      isa_write_char(&out, "0123456789abcdef"[bytes[i] >> 4]);
      isa_write_char(&out, "0123456789abcdef"[bytes[i] & 15]);
   }
   return finish(&out);
}

int isa_print_to_label(const struct isa_insn *insn, enum isa_syntax syntax, const char *label, char *text, size_t size)
{
   struct isa_writer out = {.text = text, .size = size, .syntax = syntax, .label = label, .first = true};
   struct isa_insn plain;

   if (insn->row == NULL) {
      return isa_print_bytes(insn->bytes, insn->length, text, size);
   }
   if (syntax == ISA_SYNTAX_APPLEGPU && (insn->row->flags & ISA_FLAG_SHORTHAND)) {
      isa_decode_plain(insn->set, insn->bytes, insn->length, &plain);
      insn = &plain;
   }
   isa_write(&out, syntax == ISA_SYNTAX_APPLEGPU ? insn->row->applegpu : insn->row->name);
   print_form(insn, &out);
   for (const struct isa_field *field = insn->row->fields; field->kind != ISA_FIELD_END; field++) {
      if (isa_has_text(field, syntax)) {
         isa_kinds[field->kind]->print(field, insn, &out);
      }
   }
   return finish(&out);
}

int isa_print(const struct isa_insn *insn, enum isa_syntax syntax, char *text, size_t size)
{
   return isa_print_to_label(insn, syntax, NULL, text, size);
}

enum isa_timing isa_timing_class(const struct isa_insn *insn)
{
   unsigned widest = 16;
   if (insn->row == NULL) {
      return ISA_TIMING_OTHER;
   }
   /* The size of the two factors sets a matrix product apart; that of the sum has rows of its own. */
   const unsigned first = insn->op == ISA_OP_MATRIX ? ISA_SRC0 : ISA_DST;
   const unsigned last = insn->op == ISA_OP_MATRIX ? ISA_SRC1 : ISA_SRC5;
   for (unsigned target = first; target <= last; target++) {
      const struct isa_operand *operand = isa_operand_in(insn, target);
      if ((operand->kind == ISA_REG || operand->kind == ISA_UNIFORM) && operand->size > widest) {
         widest = operand->size;
      }
   }
   return (enum isa_timing)insn->row->known.timing[widest == 16 ? 0 : widest == 32 ? 1 : 2];
}

const char *isa_name(const struct isa_insn *insn)
{
   return insn->row == NULL ? ".byte" : insn->row->name;
}

unsigned isa_registers_end(const struct isa_insn *insn)
{
   struct isa_implicit implicit = isa_implicit(insn);
   unsigned end = implicit.halves != 0 ? implicit.first + (unsigned)implicit.halves : 0;

   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      const struct isa_operand *operand = isa_operand_in(insn, target);
      unsigned halves = operand->size / 16u * operand->count;
      unsigned operand_end = (unsigned)operand->value + halves;
      if (operand->kind == ISA_REG && operand_end > end) {
         end = operand_end;
      }
   }
   return end;
}

bool isa_is_branch(const struct isa_insn *insn)
{
   enum isa_flow flow = isa_flow(insn);
   return flow == ISA_FLOW_JUMP || flow == ISA_FLOW_CALL;
}

enum isa_flow isa_flow(const struct isa_insn *insn)
{
   return insn->row == NULL ? ISA_FLOW_NEXT : (enum isa_flow)insn->row->flow;
}

bool isa_is_end(const struct isa_insn *insn)
{
   enum isa_flow flow = isa_flow(insn);
   return flow == ISA_FLOW_STOP || flow == ISA_FLOW_TRAP || flow == ISA_FLOW_RETURN;
}

struct isa_implicit isa_implicit(const struct isa_insn *insn)
{
   return insn->row == NULL ? (struct isa_implicit){0} : insn->row->implicit;
}

bool isa_is_async(const struct isa_insn *insn)
{
   return insn->row != NULL && (insn->row->flags & ISA_FLAG_ASYNC);
}

float isa_minifloat(uint8_t bits)
{
   int exponent = bits >> 4 & 7;
   float mantissa = (float)(bits & 15);
   float magnitude = exponent == 0 ? mantissa / 64.0f : ldexpf(16.0f + mantissa, exponent - 7);
   return bits & 0x80 ? -magnitude : magnitude;
}
