/* SPDX-License-Identifier: MIT
 *
 * Reading the fields of kind_number.c.
 */
#include "isa/assembler/parse.h"

#include <string.h>

static enum isa_parsed read_number(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   int64_t number;
   if (!isa_read_integer(parser, 0, (INT64_C(1) << isa_value_width(field)) - 1, &number)) {
      return ISA_FAULT;
   }
   insn->mod[field->target] = (int32_t)(uint32_t)number;
   return ISA_PARSED;
}

enum isa_parsed isa_parse_field_number(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   return isa_at_number(parser) ? read_number(field, parser, insn) : isa_unexpected(field, parser);
}

/* A distance, or a label whose distance the assembler fills in when it knows it. */
enum isa_parsed isa_parse_branch(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   int64_t limit = INT64_C(1) << (isa_value_width(field) - 1);
   int64_t distance;

   if (!isa_at_number(parser) && isa_is_letter(isa_peek(parser))) {
      parser->label = isa_next_word(parser);
      parser->at += parser->label.length;
      return ISA_PARSED;
   }
   if (!isa_at_number(parser)) {
      return isa_unexpected(field, parser);
   }
   if (!isa_read_integer(parser, -limit, limit - 1, &distance)) {
      return ISA_FAULT;
   }
   insn->mod[field->target] = (int32_t)distance;
   return ISA_PARSED;
}

/* ---- Words ---- */

int isa_names_find(const struct isa_names *names, struct isa_word word)
{
   size_t prefix = strlen(names->prefix);
   int number = 0;

   if (word.length == 0) {
      return -1;
   }
   for (unsigned i = 0; i < names->count; i++) {
      if (names->words[i] != NULL && names->words[i][0] == word.text[0] && isa_word_is(word, names->words[i])) {
         return (int)i;
      }
   }
   for (const struct isa_alias *alias = names->aliases; alias != NULL && alias->word != NULL; alias++) {
      if (isa_word_is(word, alias->word)) {
         return alias->value;
      }
   }
   if (word.length <= prefix || word.length > prefix + 4 || memcmp(word.text, names->prefix, prefix) != 0) {
      return -1;
   }
   for (size_t i = prefix; i < word.length; i++) {
      if (word.text[i] < '0' || word.text[i] > '9') {
         return -1;
      }
      number = number * 10 + (word.text[i] - '0');
   }
   return number;
}

/* -1: not there. */
static int read_name(const struct isa_field *field, struct isa_parser *parser)
{
   struct isa_word word = isa_next_word(parser);
   int value = isa_names_find(field->names, word);
   if (value >= 0) {
      parser->at += word.length;
   }
   return value;
}

/* A level of detail's mode has one word for uniforms and for registers: bit 2 tells them apart (kind_graphics.c). */
static int lod_mode_of(const struct isa_insn *insn, int value)
{
   const struct isa_names *names = &isa_names_lod_mode;
   int other = value | 4;
   bool same = other < names->count && names->words[other] != NULL && names->words[value] != NULL &&
               strcmp(names->words[other], names->words[value]) == 0;
   return same && insn->src[3].kind == ISA_REG ? other : value;
}

enum isa_parsed isa_parse_name(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   int value = read_name(field, parser);
   if (value >= 0) {
      insn->mod[field->target] = field->names == &isa_names_lod_mode ? lod_mode_of(insn, value) : value;
      if (field->names == &isa_names_atomic && value == ISA_ATOMIC_CMPXCHG && insn->src[2].count == 1) {
         insn->src[2].count = 2; /* the text may name the first of the two registers alone */
      }
      return ISA_PARSED;
   }
   if (field->rule & ISA_RULE_SILENT) {
      insn->mod[field->target] = field->constant;
      return ISA_NOT_HERE;
   }
   return isa_unexpected(field, parser);
}

enum isa_parsed isa_parse_cond(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   int value = read_name(field, parser);
   if (value < 0) {
      return isa_unexpected(field, parser);
   }
   /* Past 15, encoding refuses it. */
   insn->mod[ISA_MOD_COND] = value > 15 ? value : value & 7;
   insn->mod[ISA_MOD_INVERT] = value >> 3 & 1;
   return ISA_PARSED;
}

enum isa_parsed isa_parse_flag(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   insn->mod[field->target] = isa_accept_word(parser, field->word);
   return insn->mod[field->target] != 0 ? ISA_PARSED : ISA_NOT_HERE;
}

enum isa_parsed isa_parse_word(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   insn->mod[field->target] = field->constant;
   return isa_accept_word(parser, field->word) ? ISA_PARSED : isa_unexpected(field, parser);
}

enum isa_parsed isa_parse_shift(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   return isa_accept_word(parser, "lsl") ? read_number(field, parser, insn) : ISA_NOT_HERE;
}

enum isa_parsed isa_parse_mask(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   struct isa_word word = isa_next_word(parser);
   static const char letters[] = "xyzw";
   const char *next = letters;
   int32_t mask = 0;

   if (word.length == 0) {
      return isa_unexpected(field, parser);
   }
   for (size_t i = 0; i < word.length && !isa_word_is(word, "_"); i++) {
      const char *letter = strchr(letters, word.text[i]);
      if (letter == NULL || letter < next) {
         return isa_unexpected(field, parser);
      }
      mask |= 1 << (letter - letters);
      next = letter + 1;
   }
   parser->at += word.length;
   insn->mod[field->target] = mask;
   return ISA_PARSED;
}

enum isa_parsed isa_parse_extra(const struct isa_field *field, struct isa_parser *parser, struct isa_insn *insn)
{
   if (!isa_accept_word(parser, field->word)) {
      insn->mod[field->target] = 0;
      return ISA_NOT_HERE;
   }
   if (!isa_accept(parser, '=')) {
      isa_expected(parser, "'=' and a number");
      return ISA_FAULT;
   }
   return read_number(field, parser, insn);
}
