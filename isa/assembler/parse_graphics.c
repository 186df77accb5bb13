/* SPDX-License-Identifier: MIT
 *
 * Reading the fields of kind_graphics.c.
 */
#include "isa/assembler/parse.h"

static enum isa_parsed result(bool good)
{
   return good ? ISA_PARSED : ISA_FAULT;
}

static bool read_zero(struct isa_parser *parser, struct isa_operand *operand)
{
   int64_t value;
   if (!isa_read_integer(parser, 0, 255, &value)) {
      return false;
   }
   *operand = (struct isa_operand){.kind = ISA_IMM, .size = 16, .count = 1, .value = (int32_t)value};
   return true;
}

/* Bindless textures are two operands: the descriptors' address, which goes to src[5], and the index. */
enum isa_parsed isa_parse_texture(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_operand *texture = isa_operand_at(insn, field->target);

   if (isa_at_file(parser, ISA_TEXTURE_STATE)) {
      return result(isa_read_file(parser, ISA_TEXTURE_STATE, texture));
   }
   if (!isa_at_register(parser)) {
      return isa_unexpected(field, parser);
   }
   if (!isa_read_registers(parser, texture)) {
      return ISA_FAULT;
   }
   if (texture->kind != ISA_UNIFORM) {
      return ISA_PARSED;
   }
   insn->src[5] = *texture;
   if (!isa_accept(parser, ',')) {
      isa_expected(parser, "',' and the texture's index register");
      return ISA_FAULT;
   }
   isa_skip_space(parser);
   return isa_parse_registers(field, parser, insn);
}

/* ISA_FIELD_LOD and ISA_FIELD_COORDS: registers, or a number where there are none. */
enum isa_parsed isa_parse_lod(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   if (isa_at_number(parser)) {
      return result(read_zero(parser, isa_operand_at(insn, field->target)));
   }
   return isa_parse_registers(field, parser, insn);
}

enum isa_parsed isa_parse_compare(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   return isa_at_register(parser) ? isa_parse_registers(field, parser, insn) : ISA_NOT_HERE;
}

/* Nothing, "centroid", or the number of a sample and the word "sample": the modes of kind_graphics.c. */
enum isa_parsed isa_parse_sample(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   enum { CENTER, IMMEDIATE, CENTROID, REGISTER };
   struct isa_operand *sample = isa_operand_at(insn, field->target);
   bool is_register = isa_at_register(parser);

   if (isa_accept_word(parser, "centroid")) {
      insn->mod[ISA_MOD_INTERPOLATION] = CENTROID;
      return ISA_PARSED;
   }
   if (!is_register && !isa_at_number(parser)) {
      insn->mod[ISA_MOD_INTERPOLATION] = CENTER;
      return ISA_NOT_HERE;
   }
   insn->mod[ISA_MOD_INTERPOLATION] = is_register ? REGISTER : IMMEDIATE;
   if (!(is_register ? isa_read_registers(parser, sample) : read_zero(parser, sample))) {
      return ISA_FAULT;
   }
   if (!isa_accept(parser, ',') || !isa_accept_word(parser, "sample")) {
      isa_expected(parser, "', sample'");
      return ISA_FAULT;
   }
   return ISA_PARSED;
}
