/* SPDX-License-Identifier: MIT
 *
 * Fields that are numbers of an instruction (enum isa_mod), not operands.
 */
#include "isa/table.h"

static bool decode_number(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   insn->mod[field->target] = (int32_t)isa_value(field, code);
   return true;
}

static const char *encode_number(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   uint32_t number = (uint32_t)insn->mod[field->target];
   if ((uint64_t)number >> isa_value_width(field) != 0) {
      return "a number that fits the field";
   }
   isa_put_value(field, code, number);
   return NULL;
}

static void print_number(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   isa_write_separator(out);
   isa_write_unsigned(out, (uint32_t)insn->mod[field->target]);
}

const struct isa_kind isa_kind_number = {"number", decode_number, encode_number, print_number};

/* ---- ISA_FIELD_BRANCH ---- */

static bool decode_branch(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   unsigned unused = 32 - isa_value_width(field);
   insn->mod[field->target] = (int32_t)(isa_value(field, code) << unused) >> unused;
   return true;
}

static const char *encode_branch(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   int64_t distance = insn->mod[field->target];
   int64_t limit = INT64_C(1) << (isa_value_width(field) - 1);
   if (distance < -limit || distance >= limit) {
      return "a distance that fits the field";
   }
   isa_put_value(field, code, (uint32_t)distance);
   return NULL;
}

static void print_branch(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   isa_write_separator(out);
   if (out->label != NULL) {
      isa_write(out, out->label);
   } else {
      isa_write_signed(out, insn->mod[field->target]);
   }
}

const struct isa_kind isa_kind_branch = {"branch target", decode_branch, encode_branch, print_branch};

/* ---- ISA_FIELD_NAME ---- */

static void print_name(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   int32_t value = insn->mod[field->target];
   if (!(field->rule & ISA_RULE_SILENT) || value != field->constant) {
      isa_write_separator(out);
      isa_write_name(out, field->names, (uint32_t)value);
   }
}

const struct isa_kind isa_kind_name = {"name", decode_number, encode_number, print_name};

/* ---- ISA_FIELD_COND ---- */

static bool decode_cond(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   insn->mod[ISA_MOD_COND] = (int32_t)isa_value(field, code);
   insn->mod[ISA_MOD_INVERT] = (int32_t)isa_bits(code, field->aux[0]);
   return true;
}

static const char *encode_cond(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   if ((uint32_t)insn->mod[ISA_MOD_COND] > 7) {
      return "a condition";
   }
   if (insn->mod[ISA_MOD_INVERT] != 0 && field->aux[0].width == 0) {
      return "a condition that is not inverted";
   }
   isa_put_value(field, code, (uint32_t)insn->mod[ISA_MOD_COND]);
   isa_put(code, field->aux[0], insn->mod[ISA_MOD_INVERT] != 0);
   return NULL;
}

static void print_cond(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   isa_write_separator(out);
   isa_write_name(out, field->names, (uint32_t)insn->mod[ISA_MOD_COND] | (insn->mod[ISA_MOD_INVERT] != 0 ? 8u : 0u));
}

const struct isa_kind isa_kind_cond = {"condition", decode_cond, encode_cond, print_cond};

/* ---- ISA_FIELD_FLAG ---- */

static bool decode_flag(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool bit = isa_value(field, code) != 0;
   insn->mod[field->target] = bit != ((field->rule & ISA_RULE_INVERSE) != 0);
   return true;
}

static const char *encode_flag(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   bool on = insn->mod[field->target] != 0;
   isa_put_value(field, code, on != ((field->rule & ISA_RULE_INVERSE) != 0));
   return NULL;
}

static void print_word(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   (void)insn;
   isa_write_separator(out);
   isa_write(out, field->word);
}

static void print_flag(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   if (insn->mod[field->target] != 0) {
      print_word(field, insn, out);
   }
}

const struct isa_kind isa_kind_flag = {"flag", decode_flag, encode_flag, print_flag};

/* ---- ISA_FIELD_WORD ---- */

static bool decode_word(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   (void)code;
   insn->mod[field->target] = field->constant;
   return true;
}

static const char *encode_word(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   (void)code;
   return insn->mod[field->target] == field->constant ? NULL : "the number that the word implies";
}

const struct isa_kind isa_kind_word = {"word", decode_word, encode_word, print_word};

/* ---- ISA_FIELD_SHIFT ---- */

static void print_shift(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   if (insn->mod[field->target] != 0) {
      isa_write_separator(out);
      isa_write(out, "lsl ");
      isa_write_unsigned(out, (uint32_t)insn->mod[field->target]);
   }
}

const struct isa_kind isa_kind_shift = {"shift", decode_number, encode_number, print_shift};

/* ---- ISA_FIELD_MASK ---- */

static void print_mask(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   isa_write_separator(out);
   if (insn->mod[field->target] == 0) {
      isa_write_char(out, '_');
   }
   for (unsigned i = 0; i < 4; i++) {
      if (insn->mod[field->target] >> i & 1) {
         isa_write_char(out, "xyzw"[i]);
      }
   }
}

const struct isa_kind isa_kind_mask = {"mask", decode_number, encode_number, print_mask};

/* ---- ISA_FIELD_EXTRA ---- */

static bool decode_extra(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   insn->mod[field->target] = (int32_t)isa_value(field, code) ^ field->constant;
   return true;
}

static const char *encode_extra(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   uint32_t number = (uint32_t)(insn->mod[field->target] ^ field->constant);
   if ((uint64_t)number >> isa_value_width(field) != 0) {
      return "a number that fits the field";
   }
   isa_put_value(field, code, number);
   return NULL;
}

static void print_extra(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   if (insn->mod[field->target] != 0) {
      isa_write_separator(out);
      isa_write(out, field->word);
      isa_write_char(out, '=');
      isa_write_hex(out, (uint32_t)insn->mod[field->target]);
   }
}

const struct isa_kind isa_kind_extra = {"bits", decode_extra, encode_extra, print_extra};
