/* SPDX-License-Identifier: MIT
 *
 * Reading the fields of kind_memory.c.
 */
#include "isa/assembler/parse.h"

static enum isa_parsed result(bool good)
{
   return good ? ISA_PARSED : ISA_FAULT;
}

static bool read_number(struct isa_parser *parser, int64_t low, int64_t high, unsigned size,
                        struct isa_operand *operand)
{
   int64_t value;
   if (!isa_read_integer(parser, low, high, &value)) {
      return false;
   }
   *operand = (struct isa_operand){.kind = ISA_IMM, .size = (uint8_t)size, .count = 1, .value = (int32_t)value};
   return true;
}

static int64_t largest(const struct isa_field *field)
{
   return (INT64_C(1) << isa_value_width(field)) - 1;
}

/* Nothing but registers or uniforms; how many and how wide, the kind's encode function checks. */
enum isa_parsed isa_parse_registers(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   if (!isa_at_register(parser)) {
      return isa_unexpected(field, parser);
   }
   return result(isa_read_registers(parser, isa_operand_at(insn, field->target)));
}

/* ISA_FIELD_REG_OR_IMM and ISA_FIELD_OFFSET. */
enum isa_parsed isa_parse_reg_or_imm(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   unsigned size = field->kind == ISA_FIELD_REG_OR_IMM ? (unsigned)field->constant : 32;
   if (!isa_at_number(parser)) {
      return isa_parse_registers(field, parser, insn);
   }
   return result(read_number(parser, 0, largest(field), size, isa_operand_at(insn, field->target)));
}

enum isa_parsed isa_parse_result(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   if (isa_accept_word(parser, "_")) {
      return ISA_PARSED;
   }
   return isa_parse_registers(field, parser, insn);
}

enum isa_parsed isa_parse_index(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *index = isa_operand_at(insn, field->target);
   struct isa_modifiers modifiers;
   const char *start = parser->at;
   bool number = isa_at_number(parser);

   if (!number && !isa_at_register(parser)) {
      return isa_unexpected(field, parser);
   }
   if (!(number ? read_number(parser, INT16_MIN, UINT16_MAX, 32, index) : isa_read_registers(parser, index)) ||
       !isa_read_modifiers(parser, &modifiers)) {
      return ISA_FAULT;
   }
   if (modifiers.abs || modifiers.neg || modifiers.wide || modifiers.odd || (number ? modifiers.sx : modifiers.zx)) {
      isa_wrong(parser, start, "an index takes .sx on a register, or .zx on a number, and no other modifier");
      return ISA_FAULT;
   }
   index->sx = number ? !modifiers.zx : modifiers.sx;
   return ISA_PARSED;
}

/* Whether the operand after the next one is a register or a number too. */
static bool two_operands_follow(const struct isa_parser *parser)
{
   struct isa_parser ahead = *parser;
   struct isa_operand ignored;
   ahead.message = NULL;
   if (!isa_read_registers(&ahead, &ignored) || !isa_accept(&ahead, ',')) {
      return false;
   }
   isa_skip_space(&ahead);
   return isa_at_register(&ahead) || isa_at_number(&ahead);
}

/* A zero base has no text: a register is the base only when an index follows it. */
enum isa_parsed isa_parse_local_base(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *base = isa_operand_at(insn, field->target);
   if (isa_at_register(parser) && two_operands_follow(parser)) {
      return result(isa_read_registers(parser, base));
   }
   *base = (struct isa_operand){.kind = ISA_IMM, .size = 16, .count = 1};
   return ISA_NOT_HERE;
}

enum isa_parsed isa_parse_local_index(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   if (!isa_at_number(parser)) {
      return isa_parse_registers(field, parser, insn);
   }
   return result(read_number(parser, INT16_MIN, INT16_MAX, 16, isa_operand_at(insn, field->target)));
}

/* A move of a number takes a float too, as the bits that it has in the destination. */
static bool read_moved(const struct isa_field *field, struct isa_parser *parser, struct isa_operand *operand)
{
   uint64_t bits;
   if (!isa_read_bits(parser, isa_value_width(field), &bits)) {
      return false;
   }
   *operand = (struct isa_operand){.kind = ISA_IMM, .size = 32, .count = 1, .value = (int32_t)(uint32_t)bits};
   return true;
}

enum isa_parsed isa_parse_imm(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *operand = isa_operand_at(insn, field->target);
   int64_t high = largest(field);

   if (!isa_at_number(parser)) {
      return isa_unexpected(field, parser);
   }
   if (insn->op == ISA_OP_MOV_IMM) {
      return result(read_moved(field, parser, operand));
   }
   return result(field->rule & ISA_RULE_SIGNED ? read_number(parser, -(high / 2) - 1, high / 2, 32, operand)
                                               : read_number(parser, 0, high, 32, operand));
}

/* ISA_FIELD_UNIFORMS and ISA_FIELD_UNIFORM_DATA. Uniform stores count half words, whatever their text joins to wider
 * moves. */
enum isa_parsed isa_parse_halves(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *operand = isa_operand_at(insn, field->target);
   const char *start = parser->at;
   enum isa_parsed parsed = isa_parse_registers(field, parser, insn);
   if (parsed == ISA_PARSED && field->kind == ISA_FIELD_UNIFORMS && operand->kind != ISA_UNIFORM) {
      parser->at = start; /* another mov than a uniform store */
      return isa_unexpected(field, parser);
   }
   if (parsed == ISA_PARSED) {
      operand->count = (uint8_t)(operand->count * operand->size / 16);
      operand->size = 16;
   }
   return parsed;
}

/* ---- ISA_FIELD_FILE ---- */

/* The letters before the number are those that the printer writes. */
static size_t file_prefix(enum isa_operand_kind kind, char text[8])
{
   struct isa_writer out = {.text = text, .size = 8};
   isa_write_operand(&out, &(struct isa_operand){.kind = (uint8_t)kind});
   return out.length - 1;
}

bool isa_at_file(const struct isa_parser *parser, enum isa_operand_kind kind)
{
   char prefix[8];
   size_t length = file_prefix(kind, prefix);
   if ((size_t)(parser->end - parser->at) <= length) {
      return false;
   }
   for (size_t i = 0; i < length; i++) {
      if (parser->at[i] != prefix[i]) {
         return false;
      }
   }
   return parser->at[length] >= '0' && parser->at[length] <= '9';
}

bool isa_read_file(struct isa_parser *parser, enum isa_operand_kind kind, struct isa_operand *operand)
{
   char prefix[8];
   int64_t number;
   parser->at += file_prefix(kind, prefix);
   if (!isa_read_integer(parser, 0, 255, &number)) {
      return false;
   }
   *operand = (struct isa_operand){.kind = (uint8_t)kind, .size = 32, .count = 1, .value = (int32_t)number};
   return true;
}

enum isa_parsed isa_parse_file(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *operand = isa_operand_at(insn, field->target);
   enum isa_operand_kind kind = (enum isa_operand_kind)field->constant;

   if (field->aux[0].width != 0 && isa_at_register(parser)) {
      return isa_parse_registers(field, parser, insn);
   }
   if (kind == ISA_SR) {
      struct isa_word word = isa_next_word(parser);
      int number = isa_names_find(&isa_names_sr, word);
      if (number < 0) {
         return isa_unexpected(field, parser);
      }
      *operand = (struct isa_operand){.kind = ISA_SR, .size = 32, .count = 1, .value = number};
      parser->at += word.length;
      return ISA_PARSED;
   }
   if (!isa_at_file(parser, kind)) {
      return isa_unexpected(field, parser);
   }
   return result(isa_read_file(parser, kind, operand));
}
