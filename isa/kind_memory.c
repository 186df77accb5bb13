/* SPDX-License-Identifier: MIT
 *
 * Fields of memory instructions, and plain registers and immediates: spec/isa.md 2.11.
 */
#include "isa/table.h"

/* An immediate that the field's number can hold. */
static bool is_imm(const struct isa_field *field, const struct isa_operand *operand, bool is_signed)
{
   int64_t limit = INT64_C(1) << (isa_value_width(field) - is_signed);
   return operand->kind == ISA_IMM && operand->value < limit && operand->value >= (is_signed ? -limit : 0);
}

static int32_t sign_extend(const struct isa_field *field, uint32_t value)
{
   unsigned unused = 32 - isa_value_width(field);
   return (int32_t)(value << unused) >> unused;
}

static unsigned mask_count(uint32_t mask)
{
   unsigned count = (unsigned)__builtin_popcount(mask);
   return count == 0 ? 1 : count; /* the effect of mask 0 is unknown (spec/isa.md 2.12); one register is printed */
}

/* ---- ISA_FIELD_REG ---- */

static bool decode_reg(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *operand = isa_operand_at(insn, field->target);
   operand->discard = isa_bits(code, field->aux[1]) != 0;
   return isa_operand_set(operand, ISA_REG, (unsigned)field->constant, 1, isa_value(field, code));
}

static const char *reg_legal(const struct isa_field *field)
{
   return field->constant == 16   ? "a 16-bit register, r0l..r127h"
          : field->constant == 32 ? "a 32-bit register, r0..r127"
                                  : "a 64-bit register, dr0..dr126";
}

static const char *encode_reg(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   if (!isa_operand_is_reg(operand, (unsigned)field->constant, 1) || operand->abs || operand->neg || operand->sx ||
       operand->cache || (operand->discard && field->aux[1].width == 0)) {
      return reg_legal(field);
   }
   isa_put_value(field, code, (uint32_t)operand->value);
   isa_put(code, field->aux[1], operand->discard);
   return NULL;
}

const struct isa_kind isa_kind_reg = {"register", decode_reg, encode_reg, isa_print_operand};

/* ---- ISA_FIELD_REG_OR_IMM ---- */

static bool decode_reg_or_imm(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool imm = (isa_bits(code, field->aux[0]) != 0) != ((field->rule & ISA_RULE_INVERSE) != 0);
   return isa_operand_set(isa_operand_at(insn, field->target), imm ? ISA_IMM : ISA_REG, (unsigned)field->constant, 1,
                          isa_value(field, code));
}

static const char *encode_reg_or_imm(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   bool imm = is_imm(field, operand, false);
   if ((!imm && !isa_operand_is_reg(operand, (unsigned)field->constant, 1)) || !isa_operand_is_plain(operand)) {
      return field->constant == 16 ? "a 16-bit register or a number" : "a 32-bit register or a number";
   }
   isa_put(code, field->aux[0], imm != ((field->rule & ISA_RULE_INVERSE) != 0));
   isa_put_value(field, code, (uint32_t)operand->value);
   return NULL;
}

const struct isa_kind isa_kind_reg_or_imm = {"register or number", decode_reg_or_imm, encode_reg_or_imm,
                                             isa_print_operand};

/* ---- ISA_FIELD_ATOMIC_DATA ---- */

static bool decode_atomic_data(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   unsigned count = isa_bits(code, field->aux[0]) == ISA_ATOMIC_CMPXCHG ? 2 : 1;
   return isa_operand_set(isa_operand_at(insn, field->target), ISA_REG, 32, count, isa_value(field, code));
}

static const char *encode_atomic_data(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *data = isa_operand_in(insn, field->target);
   bool exchanges = insn->mod[ISA_MOD_ATOMIC] == ISA_ATOMIC_CMPXCHG;
   if (!isa_operand_is_reg(data, 32, exchanges ? 2 : 1) || !isa_operand_is_plain(data)) {
      return "a 32-bit register, or for cmpxchg two, r6_r7: the new value, then the expected one";
   }
   isa_put_value(field, code, (uint32_t)data->value);
   return NULL;
}

const struct isa_kind isa_kind_atomic_data = {"data register", decode_atomic_data, encode_atomic_data,
                                              isa_print_operand};

/* ---- ISA_FIELD_RESULT ---- */

static bool decode_result(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *dst = isa_operand_at(insn, field->target);
   uint32_t value = isa_value(field, code);
   bool wide = field->aux[1].width == 0 || isa_bits(code, field->aux[1]) != 0;

   if (isa_bits(code, field->aux[0]) == 0) {
      return value == 0 && (field->aux[1].width == 0 || !wide);
   }
   return isa_operand_set(dst, ISA_REG, wide ? 32 : 16, 1, value);
}

static const char *encode_result(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *dst = isa_operand_in(insn, field->target);
   if (dst->kind == ISA_NONE) {
      return NULL;
   }
   if (!(isa_operand_is_reg(dst, 32, 1) || (isa_operand_is_reg(dst, 16, 1) && field->aux[1].width != 0)) ||
       !isa_operand_is_plain(dst)) {
      return "a 32-bit register, or _ for no result";
   }
   isa_put_value(field, code, (uint32_t)dst->value);
   isa_put(code, field->aux[0], 1);
   isa_put(code, field->aux[1], dst->size == 32);
   return NULL;
}

const struct isa_kind isa_kind_result = {"result", decode_result, encode_result, isa_print_operand};

/* ---- ISA_FIELD_VECTOR ---- */

static unsigned vector_count(const struct isa_field *field, uint32_t mask)
{
   return field->constant != 0 ? (unsigned)field->constant : mask_count(mask);
}

static bool decode_vector(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool wide = isa_bits(code, field->aux[0]) != 0;
   unsigned count = vector_count(field, isa_bits(code, field->aux[1]));
   return isa_operand_set(isa_operand_at(insn, field->target), ISA_REG, wide ? 32 : 16, count, isa_value(field, code));
}

static const char *encode_vector(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   unsigned count = vector_count(field, (uint32_t)insn->mod[ISA_MOD_MASK]);
   if (!(isa_operand_is_reg(operand, 16, count) || isa_operand_is_reg(operand, 32, count)) ||
       !isa_operand_is_plain(operand)) {
      return "as many consecutive 16- or 32-bit registers as the mask has letters";
   }
   isa_put_value(field, code, (uint32_t)operand->value);
   isa_put(code, field->aux[0], operand->size == 32);
   return NULL;
}

const struct isa_kind isa_kind_vector = {"registers", decode_vector, encode_vector, isa_print_operand};

/* ---- ISA_FIELD_BASE ---- */

static bool decode_base(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool uniform = field->aux[0].width == 0 || isa_bits(code, field->aux[0]) != 0;
   return isa_operand_set(isa_operand_at(insn, field->target), uniform ? ISA_UNIFORM : ISA_REG, 64, 1,
                          isa_value(field, code) << field->constant);
}

static const char *encode_base(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *base = isa_operand_in(insn, field->target);
   bool uniform = base->kind == ISA_UNIFORM;
   uint32_t value = (uint32_t)base->value;

   if ((!uniform && (base->kind != ISA_REG || field->aux[0].width == 0)) || base->size != 64 || base->count != 1 ||
       !isa_operand_fits(base) || !isa_operand_is_plain(base) || value % (1u << field->constant) != 0 ||
       value >> field->constant >> isa_value_width(field) != 0) {
      return field->aux[0].width != 0 ? "a 64-bit register or uniform: dr0..dr126, du0..du127"
                                      : "an even 64-bit uniform: du0..du62";
   }
   isa_put_value(field, code, value >> field->constant);
   isa_put(code, field->aux[0], uniform);
   return NULL;
}

const struct isa_kind isa_kind_base = {"base address", decode_base, encode_base, isa_print_operand};

/* ---- ISA_FIELD_INDEX ---- */

/* aux[1]: the index is zero-extended. For a register ".sx" is written if it is not; for an immediate, where sign
 * extension is usual, ".zx" is written if it is. */
static bool decode_index(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *index = isa_operand_at(insn, field->target);
   uint32_t value = isa_value(field, code);
   index->sx = isa_bits(code, field->aux[1]) == 0;
   if (isa_bits(code, field->aux[0]) == 0) {
      return isa_operand_set(index, ISA_REG, 32, 1, value) && value < 256;
   }
   return isa_operand_set(index, ISA_IMM, 32, 1, index->sx ? (uint32_t)sign_extend(field, value) : value);
}

static const char *encode_index(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *index = isa_operand_in(insn, field->target);
   bool imm = is_imm(field, index, index->sx);
   if ((!imm && !isa_operand_is_reg(index, 32, 1)) || index->abs || index->neg || index->cache || index->discard) {
      return "a 32-bit register (.sx: sign-extended), or -32768..32767, or 0.zx..65535.zx";
   }
   isa_put_value(field, code, (uint32_t)index->value);
   isa_put(code, field->aux[0], imm);
   isa_put(code, field->aux[1], !index->sx);
   return NULL;
}

static void print_index(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   const struct isa_operand *index = isa_operand_in(insn, field->target);
   if (index->kind == ISA_REG) {
      isa_print_operand(field, insn, out);
      return;
   }
   isa_write_separator(out);
   isa_write_signed(out, index->value);
   if (!index->sx) {
      isa_write(out, ".zx");
   }
}

const struct isa_kind isa_kind_index = {"index", decode_index, encode_index, print_index};

/* ---- ISA_FIELD_OFFSET ---- */

static bool decode_offset(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool imm = isa_bits(code, field->aux[0]) != 0;
   return isa_operand_set(isa_operand_at(insn, field->target), imm ? ISA_IMM : ISA_REG, 32, 1, isa_value(field, code));
}

static const char *encode_offset(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *offset = isa_operand_in(insn, field->target);
   bool imm = is_imm(field, offset, false);
   if ((!imm && !isa_operand_is_reg(offset, 32, 1)) || !isa_operand_is_plain(offset)) {
      return "a 32-bit register, or 0..65535";
   }
   isa_put_value(field, code, (uint32_t)offset->value);
   isa_put(code, field->aux[0], imm);
   return NULL;
}

const struct isa_kind isa_kind_offset = {"offset", decode_offset, encode_offset, isa_print_operand};

/* ---- ISA_FIELD_LOCAL_BASE ---- */

/* The 2-bit type: 00 register, 10 zero, h1 uniform with bit 8 of its index. */
static bool decode_local_base(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *base = isa_operand_at(insn, field->target);
   uint32_t type = isa_bits(code, field->aux[0]);
   uint32_t value = isa_value(field, code);
   switch (type) {
   case 0:
      return isa_operand_set(base, ISA_REG, 16, 1, value);
   case 2:
      return isa_operand_set(base, ISA_IMM, 16, 1, 0) && value == 0;
   default:
      return isa_operand_set(base, ISA_UNIFORM, 16, 1, value | (type >> 1) << 8);
   }
}

static const char *encode_local_base(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *base = isa_operand_in(insn, field->target);
   const char *legal = "a 16-bit register or uniform, or nothing";
   uint32_t value = (uint32_t)base->value;

   if (!isa_operand_is_plain(base)) {
      return legal;
   }
   if (base->kind == ISA_IMM && value == 0) {
      isa_put(code, field->aux[0], 2);
   } else if (isa_operand_is_reg(base, 16, 1)) {
      isa_put_value(field, code, value);
   } else if (base->kind == ISA_UNIFORM && base->size == 16 && base->count == 1 && isa_operand_fits(base)) {
      isa_put(code, field->aux[0], 1 | value >> 8 << 1);
      isa_put_value(field, code, value & 255);
   } else {
      return legal;
   }
   return NULL;
}

static void print_local_base(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   if (isa_operand_in(insn, field->target)->kind != ISA_IMM) {
      isa_print_operand(field, insn, out);
   }
}

const struct isa_kind isa_kind_local_base = {"threadgroup base", decode_local_base, encode_local_base,
                                             print_local_base};

/* ---- ISA_FIELD_LOCAL_INDEX ---- */

static bool decode_local_index(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *index = isa_operand_at(insn, field->target);
   uint32_t value = isa_value(field, code);
   if (isa_bits(code, field->aux[0]) == 0) {
      return isa_operand_set(index, ISA_REG, 16, 1, value);
   }
   return isa_operand_set(index, ISA_IMM, 16, 1, (uint32_t)sign_extend(field, value));
}

static const char *encode_local_index(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *index = isa_operand_in(insn, field->target);
   bool imm = is_imm(field, index, true);
   if ((!imm && !isa_operand_is_reg(index, 16, 1)) || !isa_operand_is_plain(index)) {
      return "a 16-bit register, or -32768..32767";
   }
   isa_put_value(field, code, (uint32_t)index->value);
   isa_put(code, field->aux[0], imm);
   return NULL;
}

const struct isa_kind isa_kind_local_index = {"index", decode_local_index, encode_local_index, isa_print_operand};

/* ---- ISA_FIELD_IMM ---- */

static bool decode_imm(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   uint32_t value = isa_value(field, code);
   bool is_signed = field->rule & ISA_RULE_SIGNED;
   return isa_operand_set(isa_operand_at(insn, field->target), ISA_IMM, 32, 1,
                          is_signed ? (uint32_t)sign_extend(field, value) : value);
}

/* A 32-bit field takes any value: int32_t holds it as its bits. */
static const char *encode_imm(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   bool whole = isa_value_width(field) == 32 && operand->kind == ISA_IMM;
   if ((!whole && !is_imm(field, operand, field->rule & ISA_RULE_SIGNED)) || !isa_operand_is_plain(operand)) {
      return "a number that fits the field";
   }
   isa_put_value(field, code, (uint32_t)operand->value);
   return NULL;
}

static void print_imm(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   int32_t value = isa_operand_in(insn, field->target)->value;
   isa_write_separator(out);
   if (field->rule & ISA_RULE_SIGNED) {
      isa_write_signed(out, value);
   } else {
      isa_write_unsigned(out, (uint32_t)value);
   }
}

const struct isa_kind isa_kind_imm = {"immediate", decode_imm, encode_imm, print_imm};

/* ---- ISA_FIELD_UNIFORMS, ISA_FIELD_UNIFORM_DATA ---- */

/* Two or four halves are written as one 32- or 64-bit move where both sides are aligned for it. */
static unsigned joined(const struct isa_insn *insn)
{
   bool aligned = insn->dst.value % 2 == 0 && insn->src[0].value % 2 == 0;
   return aligned && insn->dst.count % 2 == 0 ? insn->dst.count : 1u;
}

static void print_joined(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   struct isa_operand operand = *isa_operand_in(insn, field->target);
   unsigned halves = joined(insn);
   operand.size = (uint8_t)(16 * halves);
   operand.count = (uint8_t)(operand.count / halves);
   isa_write_separator(out);
   isa_write_operand(out, &operand);
}

static bool decode_halves(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn,
                          enum isa_operand_kind kind)
{
   uint32_t mask = isa_bits(code, field->aux[1]);
   bool contiguous = mask != 0 && (mask & (mask + 1)) == 0;
   return contiguous &&
          isa_operand_set(isa_operand_at(insn, field->target), kind, 16, mask_count(mask), isa_value(field, code));
}

static const char *encode_halves(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code,
                                 enum isa_operand_kind kind)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   unsigned count = operand->count;
   if (operand->kind != kind || operand->size != 16 || count < 1 || count > 4 || count != insn->dst.count ||
       !isa_operand_fits(operand) || !isa_operand_is_plain(operand)) {
      return kind == ISA_UNIFORM ? "1 to 4 half uniforms: u0l, u0, du0, u0l_u0h_u1l"
                                 : "as many half registers as there are half uniforms";
   }
   isa_put_value(field, code, (uint32_t)operand->value);
   if (kind == ISA_UNIFORM) {
      isa_put(code, field->aux[1], (1u << count) - 1);
   }
   return NULL;
}

static bool decode_uniforms(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   return decode_halves(field, code, insn, ISA_UNIFORM);
}

static const char *encode_uniforms(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   return encode_halves(field, insn, code, ISA_UNIFORM);
}

const struct isa_kind isa_kind_uniforms = {"uniforms", decode_uniforms, encode_uniforms, print_joined};

static bool decode_uniform_data(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   return decode_halves(field, code, insn, ISA_REG);
}

static const char *encode_uniform_data(const struct isa_field *field, const struct isa_insn *insn,
                                       struct isa_code *code)
{
   return encode_halves(field, insn, code, ISA_REG);
}

const struct isa_kind isa_kind_uniform_data = {"registers", decode_uniform_data, encode_uniform_data, print_joined};

/* ---- ISA_FIELD_TUPLE ---- */

static bool decode_tuple(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool uniform = isa_bits(code, field->aux[0]) != 0;
   return isa_operand_set(isa_operand_at(insn, field->target), uniform ? ISA_UNIFORM : ISA_REG, 32,
                          (unsigned)field->constant, isa_value(field, code));
}

static const char *encode_tuple(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   uint32_t value = (uint32_t)operand->value;
   if ((operand->kind != ISA_REG && operand->kind != ISA_UNIFORM) || operand->size != 32 ||
       operand->count != field->constant || !isa_operand_fits(operand) || !isa_operand_is_plain(operand) ||
       value >> isa_value_width(field) != 0) {
      return field->constant == 1   ? "a 32-bit register or uniform"
             : field->constant == 3 ? "3 consecutive 32-bit registers or uniforms"
                                    : "5 consecutive 32-bit registers or uniforms";
   }
   isa_put_value(field, code, value);
   isa_put(code, field->aux[0], operand->kind == ISA_UNIFORM);
   return NULL;
}

const struct isa_kind isa_kind_tuple = {"registers", decode_tuple, encode_tuple, isa_print_operand};

/* ---- ISA_FIELD_FILE ---- */

static bool decode_file(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool in_register = isa_bits(code, field->aux[0]) != 0;
   enum isa_operand_kind kind = in_register ? ISA_REG : (enum isa_operand_kind)field->constant;
   return isa_operand_set(isa_operand_at(insn, field->target), kind, in_register ? 16 : 32, 1, isa_value(field, code));
}

static const char *encode_file(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   bool in_register = field->aux[0].width != 0 && isa_operand_is_reg(operand, 16, 1);
   bool in_file = operand->kind == field->constant && operand->value >= 0 &&
                  (uint64_t)(uint32_t)operand->value >> isa_value_width(field) == 0;
   if ((!in_register && !in_file) || !isa_operand_is_plain(operand)) {
      return field->constant == ISA_SR              ? "a special register: its name, or sr0..sr255"
             : field->constant == ISA_TEXTURE_STATE ? "a texture state register, ts0 and up"
             : field->constant == ISA_SAMPLER_STATE ? "a sampler state register, ss0 and up"
                                                    : "a coefficient register, cf0 and up";
   }
   isa_put_value(field, code, (uint32_t)operand->value);
   isa_put(code, field->aux[0], in_register);
   return NULL;
}

const struct isa_kind isa_kind_file = {"state register", decode_file, encode_file, isa_print_operand};
