/* SPDX-License-Identifier: MIT
 *
 * Fields of ALU instructions: spec/isa.md 2.0.
 */
#include "isa/table.h"

/* The hint of a register source. Immediates and uniforms alone have hint 0. */
enum { HINT_NONE = 1, HINT_CACHE = 2, HINT_DISCARD = 3 };

static bool set_hint(struct isa_operand *operand, uint32_t hint)
{
   operand->cache = hint == HINT_CACHE;
   operand->discard = hint == HINT_DISCARD;
   return hint != 0;
}

static uint32_t hint_of(const struct isa_operand *operand)
{
   return operand->discard ? HINT_DISCARD : operand->cache ? HINT_CACHE : HINT_NONE;
}

static unsigned count_of(const struct isa_field *field)
{
   return field->constant == 0 ? 1 : (unsigned)field->constant;
}

/* ---- ISA_FIELD_DST ---- */

static bool decode_dst(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *dst = isa_operand_at(insn, field->target);
   uint32_t value = isa_value(field, code);
   bool wide = isa_bits(code, field->aux[0]) != 0;
   bool whole = wide && !(field->rule & ISA_RULE_NARROW);

   dst->kind = ISA_REG;
   dst->count = (uint8_t)count_of(field);
   dst->cache = isa_bits(code, field->aux[1]) != 0;
   dst->wide = wide && !whole;
   if (whole && value % 2 != 0 && (field->rule & ISA_RULE_WIDE)) {
      dst->size = 64; /* an odd number in a 32-bit destination means the register pair */
      value--;
   } else {
      dst->size = whole ? 32 : 16;
      dst->odd = whole && value % 2 != 0 && field->constant == 0;
      value -= dst->odd;
   }
   dst->value = (int32_t)value;
   return isa_operand_fits(dst);
}

static const char *encode_dst(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *dst = isa_operand_in(insn, field->target);
   bool legal_size = dst->size == 16 || (dst->size == 32 && !(field->rule & ISA_RULE_NARROW)) ||
                     (dst->size == 64 && (field->rule & ISA_RULE_WIDE));

   bool spare = (!dst->wide || (field->rule & ISA_RULE_NARROW)) &&
                (!dst->odd || (dst->size == 32 && !(field->rule & ISA_RULE_WIDE) && field->constant == 0));

   if (dst->kind != ISA_REG || !legal_size || !spare || dst->count != count_of(field) || !isa_operand_fits(dst) ||
       dst->abs || dst->neg || dst->sx || dst->discard) {
      return field->rule & ISA_RULE_WIDE     ? "a 16-, 32- or 64-bit register: r0l..r127h, r0..r127, dr0..dr126"
             : field->rule & ISA_RULE_NARROW ? "a 16-bit register, r0l..r127h"
             : field->constant == 2          ? "a pair of 16- or 32-bit registers: r0l_r0h, r0_r1"
                                             : "a 16- or 32-bit register: r0l..r127h, r0..r127";
   }
   isa_put_value(field, code, (uint32_t)dst->value + (dst->size == 64 || dst->odd));
   isa_put(code, field->aux[0], dst->size != 16 || dst->wide);
   isa_put(code, field->aux[1], dst->cache);
   return NULL;
}

const struct isa_kind isa_kind_dst = {"destination", decode_dst, encode_dst, isa_print_operand};

/* ---- ISA_FIELD_SRC ---- */

/* The 4-bit type: 0000 immediate, 01sh uniform (s 32-bit, h bit 8 of the index), else ss and the hint. */
enum { TYPE_UNIFORM = 4, TYPE_UNIFORM_32 = 2, TYPE_REG_32 = 8, TYPE_REG_64 = 12 };

/* A register or uniform of 32 bits and up whose number has its lowest bit set: the hardware ignores that bit. */
static void set_odd(struct isa_operand *operand)
{
   operand->odd = operand->size > 16 && operand->value % 2 != 0;
   operand->value -= operand->odd;
}

/* Type 11 means 64 bits in sources of additions (rule WIDE), elsewhere the same as type 10: spec/isa.md 2.0. */
static bool decode_src_type(const struct isa_field *field, uint32_t type, struct isa_operand *src)
{
   bool pair = field->constant != 0;
   if (type == 0) {
      src->kind = field->rule & ISA_RULE_FLOAT ? ISA_FLOAT_IMM : ISA_IMM;
      src->size = 32;
      return field->constant == 0;
   }
   if ((type & 0xc) == TYPE_UNIFORM) {
      src->kind = ISA_UNIFORM;
      src->size = type & TYPE_UNIFORM_32 ? 32 : 16;
      src->value |= (int32_t)(type & 1) << 8;
      set_odd(src);
      return !pair;
   }
   src->kind = ISA_REG;
   src->wide = type >= TYPE_REG_64 && !(field->rule & ISA_RULE_WIDE);
   src->size = type < TYPE_UNIFORM ? 16 : type < TYPE_REG_64 || src->wide ? 32 : 64;
   if (!pair) {
      set_odd(src);
   }
   return set_hint(src, type & 3) && !(src->wide && pair) && isa_operand_fits(src);
}

static bool decode_src(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *src = isa_operand_at(insn, field->target);
   uint32_t modifiers = isa_bits(code, field->aux[1]);

   src->value = (int32_t)isa_value(field, code);
   src->count = (uint8_t)count_of(field);
   if (field->aux[1].width == 2) {
      src->abs = modifiers & 1;
      src->neg = modifiers >> 1 & 1;
   } else {
      src->sx = modifiers & 1;
   }
   if (field->rule & ISA_RULE_NEGATE) {
      insn->mod[ISA_MOD_NEGATE] = (int32_t)isa_bits(code, field->aux[2]);
   }
   return decode_src_type(field, isa_bits(code, field->aux[0]), src);
}

/* The modifiers that the field has room for; false when the operand has others. */
static bool put_modifiers(const struct isa_field *field, const struct isa_operand *src, struct isa_code *code)
{
   switch (field->aux[1].width) {
   case 2:
      isa_put(code, field->aux[1], (uint32_t)(src->abs | src->neg << 1));
      return !src->sx;
   case 1:
      isa_put(code, field->aux[1], src->sx);
      return !src->abs && !src->neg;
   default:
      return !src->abs && !src->neg && !src->sx;
   }
}

static const char *src_legal(const struct isa_field *field)
{
   return field->constant == 2           ? "a pair of registers: r0l_r0h, r0_r1"
          : field->rule & ISA_RULE_FLOAT ? "a 16- or 32-bit register or uniform, or an 8-bit float immediate"
          : field->rule & ISA_RULE_WIDE  ? "a 16-, 32- or 64-bit register, a 16- or 32-bit uniform, or 0..255"
                                         : "a 16- or 32-bit register or uniform, or 0..255";
}

static const char *encode_src(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *src = isa_operand_in(insn, field->target);
   uint32_t value = (uint32_t)src->value;
   uint32_t type;
   bool in_register = src->kind == ISA_REG && src->size >= 32 && field->constant == 0;

   if ((src->wide && (!in_register || src->size != 32 || (field->rule & ISA_RULE_WIDE))) ||
       (src->odd && !in_register && (src->kind != ISA_UNIFORM || src->size != 32))) {
      return "no .wide or .odd here";
   }
   if (src->kind == ISA_IMM || src->kind == ISA_FLOAT_IMM) {
      bool is_float = src->kind == ISA_FLOAT_IMM;
      if (value > 255 || is_float != ((field->rule & ISA_RULE_FLOAT) != 0) || field->constant != 0) {
         return src_legal(field);
      }
      type = 0;
   } else if (src->kind == ISA_UNIFORM && src->size != 64 && isa_operand_fits(src) && field->constant == 0) {
      type = TYPE_UNIFORM | (src->size == 32 ? TYPE_UNIFORM_32 : 0) | value >> 8;
      value &= 255;
   } else if (src->kind == ISA_REG && isa_operand_fits(src) && (src->size != 64 || (field->rule & ISA_RULE_WIDE))) {
      type = (src->size == 16 ? 0 : src->size == 32 && !src->wide ? TYPE_REG_32 : TYPE_REG_64) | hint_of(src);
   } else {
      return src_legal(field);
   }
   if (src->count != count_of(field)) {
      return src_legal(field);
   }
   if (!put_modifiers(field, src, code)) {
      return field->aux[1].width == 2   ? "no modifiers but .abs and .neg"
             : field->aux[1].width == 1 ? "no modifiers but .sx"
                                        : "no modifiers";
   }
   if (field->rule & ISA_RULE_NEGATE) {
      isa_put(code, field->aux[2], insn->mod[ISA_MOD_NEGATE] != 0);
   }
   isa_put_value(field, code, value | src->odd);
   isa_put(code, field->aux[0], type);
   return NULL;
}

static void print_src(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   isa_print_operand(field, insn, out);
   if ((field->rule & ISA_RULE_NEGATE) && insn->mod[ISA_MOD_NEGATE] != 0 && out->syntax == ISA_SYNTAX_MESA) {
      isa_write(out, ".neg");
   }
}

const struct isa_kind isa_kind_src = {"source", decode_src, encode_src, print_src};

/* ---- ISA_FIELD_SRC16 ---- */

/* The 3-bit type: 000 immediate, 10h uniform, 0hh register with its hint. */
static bool decode_src16(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *src = isa_operand_at(insn, field->target);
   uint32_t type = isa_bits(code, field->aux[0]);
   uint32_t modifiers = isa_bits(code, field->aux[1]);

   src->value = (int32_t)isa_value(field, code);
   src->size = 16;
   src->count = 1;
   src->abs = modifiers & 1;
   src->neg = modifiers >> 1 & 1;
   if (type == 0) {
      src->kind = ISA_FLOAT_IMM;
      return true;
   }
   if (type >= 4) {
      src->kind = ISA_UNIFORM;
      src->value |= (int32_t)(type & 1) << 8;
      return (type & 2) == 0;
   }
   src->kind = ISA_REG;
   return set_hint(src, type);
}

static const char *encode_src16(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *src = isa_operand_in(insn, field->target);
   const char *legal = "a 16-bit register or uniform, or an 8-bit float immediate";
   uint32_t value = (uint32_t)src->value;
   uint32_t type;

   if (src->kind == ISA_FLOAT_IMM && value <= 255) {
      type = 0;
   } else if (src->size != 16 || src->count != 1 || src->wide || src->odd || !isa_operand_fits(src)) {
      return legal;
   } else if (src->kind == ISA_UNIFORM) {
      type = 4 | value >> 8;
      value &= 255;
   } else if (src->kind == ISA_REG) {
      type = hint_of(src);
   } else {
      return legal;
   }
   if (!put_modifiers(field, src, code)) {
      return "no modifiers but .abs and .neg";
   }
   isa_put_value(field, code, value);
   isa_put(code, field->aux[0], type);
   return NULL;
}

const struct isa_kind isa_kind_src16 = {"source", decode_src16, encode_src16, isa_print_operand};

/* ---- ISA_FIELD_SELECT ---- */

/* The 3-bit type: 100 immediate, 11h uniform, 0hh register with its hint. */
static bool decode_select(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *src = isa_operand_at(insn, field->target);
   uint32_t type = isa_bits(code, field->aux[0]);

   src->value = (int32_t)isa_value(field, code);
   src->size = isa_bits(code, field->aux[1]) ? 32 : 16;
   src->count = 1;
   if (type == 4) {
      src->kind = ISA_IMM;
      src->size = 32;
      return true;
   }
   if (type > 4) {
      src->kind = ISA_UNIFORM;
      src->value |= (int32_t)(type & 1) << 8;
      set_odd(src);
      return type != 5;
   }
   src->kind = ISA_REG;
   set_odd(src);
   return set_hint(src, type);
}

static const char *encode_select(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *src = isa_operand_in(insn, field->target);
   const char *legal = "a register or uniform as wide as the destination, or 0..255";
   uint32_t value = (uint32_t)src->value;
   uint32_t type;

   if (src->abs || src->neg || src->sx || src->wide || (src->odd && (src->kind == ISA_IMM || src->size != 32))) {
      return "no modifiers but .odd on 32 bits";
   }
   if (src->kind == ISA_IMM && value <= 255) {
      type = 4;
   } else if (src->size != insn->dst.size || src->count != 1 || !isa_operand_fits(src)) {
      return legal;
   } else if (src->kind == ISA_UNIFORM) {
      type = 6 | value >> 8;
      value &= 255;
   } else if (src->kind == ISA_REG) {
      type = hint_of(src);
   } else {
      return legal;
   }
   isa_put_value(field, code, value | src->odd);
   isa_put(code, field->aux[0], type);
   return NULL;
}

const struct isa_kind isa_kind_select = {"source", decode_select, encode_select, isa_print_operand};

/* ---- ISA_FIELD_FIXED ---- */

static bool decode_fixed(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   (void)code;
   struct isa_operand *operand = isa_operand_at(insn, field->target);
   operand->kind = field->rule & ISA_RULE_FLOAT ? ISA_FLOAT_IMM : ISA_IMM;
   operand->size = 32;
   operand->count = 1;
   operand->value = field->constant;
   return true;
}

static const char *encode_fixed(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   (void)code;
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   uint8_t kind = field->rule & ISA_RULE_FLOAT ? ISA_FLOAT_IMM : ISA_IMM;
   if (operand->kind != kind || operand->value != field->constant || operand->abs || operand->neg || operand->sx) {
      return "the constant that the mnemonic implies";
   }
   return NULL;
}

static void print_nothing(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   (void)field, (void)insn, (void)out;
}

const struct isa_kind isa_kind_fixed = {"implied source", decode_fixed, encode_fixed, print_nothing};
