/* SPDX-License-Identifier: MIT
 *
 * Reading the fields of kind_alu.c. What they take is checked by their kinds' encode functions: here text becomes
 * operands, whatever they are.
 */
#include "isa/assembler/parse.h"

/* A number where the field has one: an integer, or with rule FLOAT an 8-bit float. */
static bool read_immediate(const struct isa_field *field, struct isa_parser *parser, unsigned size,
                           struct isa_operand *operand)
{
   bool is_float = (field->rule & ISA_RULE_FLOAT) || field->kind == ISA_FIELD_SRC16;
   const char *start = parser->at;
   struct isa_number number = {0};
   int64_t value;

   *operand = (struct isa_operand){.kind = is_float ? ISA_FLOAT_IMM : ISA_IMM, .size = (uint8_t)size, .count = 1};
   if (!is_float) {
      if (!isa_read_integer(parser, 0, 255, &value)) {
         return false;
      }
      operand->value = (int32_t)value;
      return true;
   }
   if (!isa_read_number(parser, &number)) {
      return false;
   }
   double real = number.is_float ? number.real : (double)number.integer;
   operand->value = isa_minifloat_bits(real);
   if (operand->value < 0) {
      return isa_wrong(parser, start,
                       "%.9g is not an 8-bit float: legal are 0 to 0.25 in steps of 1/64, and 16..31 times a power of "
                       "two up to 31.0, with either sign",
                       real);
   }
   return true;
}

static enum isa_parsed parse_operand(const struct isa_field *field, struct isa_parser *parser, unsigned imm_size,
                                     struct isa_operand *operand, struct isa_modifiers *modifiers)
{
   const char *start = parser->at;
   bool is_register = isa_at_register(parser);

   if (!is_register && !isa_at_number(parser)) {
      return isa_unexpected(field, parser);
   }
   if (!(is_register ? isa_read_registers(parser, operand) : read_immediate(field, parser, imm_size, operand)) ||
       !isa_read_modifiers(parser, modifiers)) {
      return ISA_FAULT;
   }
   operand->abs = modifiers->abs;
   operand->neg = modifiers->neg;
   operand->sx = modifiers->sx;
   operand->wide = modifiers->wide;
   operand->odd = modifiers->odd;
   if (modifiers->zx) {
      isa_wrong(parser, start, ".zx is for the index of a load or store");
      return ISA_FAULT;
   }
   return ISA_PARSED;
}

enum isa_parsed isa_parse_dst(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_modifiers modifiers;
   if (!isa_at_register(parser)) {
      return isa_unexpected(field, parser);
   }
   return parse_operand(field, parser, 0, isa_operand_at(insn, field->target), &modifiers);
}

enum isa_parsed isa_parse_src(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *operand = isa_operand_at(insn, field->target);
   struct isa_modifiers modifiers;
   enum isa_parsed parsed = parse_operand(field, parser, 32, operand, &modifiers);

   if (parsed == ISA_PARSED && (field->rule & ISA_RULE_NEGATE) && parser->syntax == ISA_SYNTAX_MESA) {
      insn->mod[ISA_MOD_NEGATE] = modifiers.neg; /* the row's own bit, not the operand's */
      operand->neg = false;
   }
   return parsed;
}

enum isa_parsed isa_parse_src16(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_modifiers modifiers;
   return parse_operand(field, parser, 16, isa_operand_at(insn, field->target), &modifiers);
}

enum isa_parsed isa_parse_select(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_modifiers modifiers;
   return parse_operand(field, parser, insn->dst.size, isa_operand_at(insn, field->target), &modifiers);
}

enum isa_parsed isa_parse_fixed(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   (void)parser;
   *isa_operand_at(insn, field->target) =
       (struct isa_operand){.kind = field->rule & ISA_RULE_FLOAT ? ISA_FLOAT_IMM : ISA_IMM,
                            .size = 32,
                            .count = 1,
                            .value = field->constant};
   return ISA_NOT_HERE;
}
