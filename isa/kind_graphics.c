/* SPDX-License-Identifier: MIT
 *
 * Fields of texture and fragment instructions. Sources: Mesa's packing code (agx_pack.c, facts only) and the
 * sample of its disassembler's test data.
 */
#include "isa/table.h"

/* ---- ISA_FIELD_TEXTURE ---- */

/* The 2-bit type: 0 a texture state register, 1 its number in a 16-bit register, 3 bindless: a 32-bit register
 * as index into the descriptors at a 64-bit uniform (aux[1], in units of four halves). */
enum { TEXTURE_STATE = 0, TEXTURE_REGISTER = 1, TEXTURE_BINDLESS = 3 };

static bool decode_texture(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *texture = isa_operand_at(insn, field->target);
   uint32_t value = isa_value(field, code);
   uint32_t base = isa_bits(code, field->aux[1]);
   switch (isa_bits(code, field->aux[0])) {
   case TEXTURE_STATE:
      return isa_operand_set(texture, ISA_TEXTURE_STATE, 32, 1, value) && base == 0;
   case TEXTURE_REGISTER:
      return isa_operand_set(texture, ISA_REG, 16, 1, value) && base == 0;
   case TEXTURE_BINDLESS:
      return isa_operand_set(texture, ISA_REG, 32, 1, value) &&
             isa_operand_set(&insn->src[5], ISA_UNIFORM, 64, 1, base * 4);
   default:
      return false;
   }
}

static const char *encode_texture(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *texture = isa_operand_in(insn, field->target);
   const struct isa_operand *base = &insn->src[5];
   uint32_t type;

   bool based = base->kind == ISA_UNIFORM && base->size == 64 && base->value % 4 == 0 && (uint32_t)base->value < 128;
   if (based && isa_operand_is_reg(texture, 32, 1)) {
      type = TEXTURE_BINDLESS;
      isa_put(code, field->aux[1], (uint32_t)base->value / 4);
   } else if (base->kind == ISA_NONE && texture->kind == ISA_TEXTURE_STATE && (uint32_t)texture->value < 256) {
      type = TEXTURE_STATE;
   } else if (base->kind == ISA_NONE && isa_operand_is_reg(texture, 16, 1)) {
      type = TEXTURE_REGISTER;
   } else {
      return "ts0..ts255, a 16-bit register, or an even du0..du62 and a 32-bit register";
   }
   isa_put_value(field, code, (uint32_t)texture->value);
   isa_put(code, field->aux[0], type);
   return NULL;
}

static void print_texture(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   const struct isa_operand *texture = isa_operand_in(insn, field->target);
   if (texture->kind == ISA_REG && texture->size == 32) {
      isa_write_separator(out);
      isa_write_operand(out, &insn->src[5]);
   }
   isa_print_operand(field, insn, out);
}

const struct isa_kind isa_kind_texture = {"texture", decode_texture, encode_texture, print_texture};

/* ---- ISA_FIELD_LOD ---- */

/* The 4-bit mode: bit 2 says registers, else uniforms; bit 3 a second number; low bits what the number is. */
enum { LOD_AUTO = 0, LOD_REGISTERS = 4, LOD_GRAD = 4, LOD_GRAD_MIN = 12 };

static unsigned coordinates(uint32_t dim)
{
   static const uint8_t count[] = {1, 1, 2, 2, 2, 3, 3, 3, 2}; /* isa_names_dim, without layers */
   return dim < sizeof(count) ? count[dim] : 1;
}

/* The operand that a mode wants, at half index or immediate `value`. */
static bool lod_operand(uint32_t mode, uint32_t dim, uint32_t value, struct isa_operand *lod)
{
   unsigned numbers = mode & 8 ? 2 : 1;
   if (mode == LOD_AUTO) {
      return isa_operand_set(lod, ISA_IMM, 16, 1, value);
   }
   if (mode == LOD_GRAD || mode == LOD_GRAD_MIN) {
      return isa_operand_set(lod, ISA_REG, 32, 2 * coordinates(dim) + numbers - 1, value);
   }
   return isa_operand_set(lod, mode & LOD_REGISTERS ? ISA_REG : ISA_UNIFORM, 16, numbers, value);
}

static bool decode_lod(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   uint32_t dim = isa_bits(code, field->aux[1]) | isa_bits(code, field->aux[2]) << field->aux[1].width;
   return lod_operand(isa_bits(code, field->aux[0]), dim, isa_value(field, code), isa_operand_at(insn, field->target));
}

static const char *encode_lod(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *lod = isa_operand_in(insn, field->target);
   uint32_t value = (uint32_t)lod->value;
   struct isa_operand wanted = {0};
   if (value > 255 ||
       !lod_operand((uint32_t)insn->mod[ISA_MOD_LOD_MODE], (uint32_t)insn->mod[ISA_MOD_DIM], value, &wanted) ||
       lod->kind != wanted.kind || lod->size != wanted.size || lod->count != wanted.count) {
      return "0, half registers, half uniforms or gradients, as the lod mode says";
   }
   isa_put_value(field, code, value);
   return NULL;
}

const struct isa_kind isa_kind_lod = {"level of detail", decode_lod, encode_lod, isa_print_operand};

/* ---- ISA_FIELD_COMPARE ---- */

static bool decode_compare(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   uint32_t value = isa_value(field, code);
   if (isa_bits(code, field->aux[0]) == 0 && isa_bits(code, field->aux[1]) == 0) {
      return value == 0;
   }
   unsigned size = isa_bits(code, field->aux[0]) != 0 ? 32 : 16; /* an offset alone has 16 bits */
   return isa_operand_set(isa_operand_at(insn, field->target), ISA_REG, size, 1, value);
}

static const char *encode_compare(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *operand = isa_operand_in(insn, field->target);
   bool shadow = insn->mod[ISA_MOD_SHADOW] != 0;
   bool wanted = shadow || insn->mod[ISA_MOD_OFFSET] != 0;
   if (!wanted && operand->kind == ISA_NONE) {
      return NULL;
   }
   if (!wanted || !isa_operand_is_reg(operand, shadow ? 32 : 16, 1)) {
      return "a 32-bit register with shadow, a 16-bit one with offset alone, else nothing";
   }
   isa_put_value(field, code, (uint32_t)operand->value);
   return NULL;
}

static void print_compare(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   if (isa_operand_in(insn, field->target)->kind != ISA_NONE) {
      isa_print_operand(field, insn, out);
   }
}

const struct isa_kind isa_kind_compare = {"reference and offset", decode_compare, encode_compare, print_compare};

/* ---- ISA_FIELD_COORDS ---- */

static bool decode_coords(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *coords = isa_operand_at(insn, field->target);
   uint32_t value = isa_value(field, code);
   if (isa_bits(code, field->aux[0]) == 0) {
      return isa_operand_set(coords, ISA_IMM, 16, 1, value) && value == 0;
   }
   return isa_operand_set(coords, ISA_REG, 16, 2, value);
}

static const char *encode_coords(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *coords = isa_operand_in(insn, field->target);
   bool none = coords->kind == ISA_IMM && coords->value == 0;
   if ((!none && !isa_operand_is_reg(coords, 16, 2)) || none == (insn->mod[ISA_MOD_EXPLICIT_COORDS] != 0)) {
      return "two consecutive half registers with explicit_coords, else 0";
   }
   isa_put_value(field, code, none ? 0 : (uint32_t)coords->value);
   isa_put(code, field->aux[0], !none);
   return NULL;
}

const struct isa_kind isa_kind_coords = {"coordinates", decode_coords, encode_coords, isa_print_operand};

/* ---- ISA_FIELD_SAMPLE ---- */

/* 0 centre, 1 the sample of an immediate number, 2 centroid, 3 the sample whose number a half register holds. */
enum { SAMPLE_CENTER, SAMPLE_IMMEDIATE, SAMPLE_CENTROID, SAMPLE_REGISTER };

static bool decode_sample(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   struct isa_operand *sample = isa_operand_at(insn, field->target);
   uint32_t mode = isa_bits(code, field->aux[0]);
   uint32_t value = isa_value(field, code);
   insn->mod[ISA_MOD_INTERPOLATION] = (int32_t)mode;
   if (mode == SAMPLE_CENTER || mode == SAMPLE_CENTROID) {
      return value == 0;
   }
   return isa_operand_set(sample, mode == SAMPLE_REGISTER ? ISA_REG : ISA_IMM, 16, 1, value);
}

static const char *encode_sample(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *sample = isa_operand_in(insn, field->target);
   uint32_t mode = (uint32_t)insn->mod[ISA_MOD_INTERPOLATION];
   bool legal = mode == SAMPLE_REGISTER    ? isa_operand_is_reg(sample, 16, 1)
                : mode == SAMPLE_IMMEDIATE ? sample->kind == ISA_IMM && (uint32_t)sample->value < 256
                                           : mode <= SAMPLE_CENTROID && sample->kind == ISA_NONE;
   if (!legal) {
      return "nothing, centroid, or a sample number and the word sample";
   }
   isa_put(code, field->aux[0], mode);
   isa_put_value(field, code, sample->kind == ISA_NONE ? 0 : (uint32_t)sample->value);
   return NULL;
}

static void print_sample(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   int32_t mode = insn->mod[ISA_MOD_INTERPOLATION];
   if (mode == SAMPLE_IMMEDIATE || mode == SAMPLE_REGISTER) {
      isa_print_operand(field, insn, out);
      isa_write(out, ", sample");
   } else if (mode == SAMPLE_CENTROID) {
      isa_write_separator(out);
      isa_write(out, "centroid");
   }
}

const struct isa_kind isa_kind_sample = {"interpolation", decode_sample, encode_sample, print_sample};

/* ---- ISA_FIELD_VARYING ---- */

static bool decode_varying(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn)
{
   bool wide = isa_bits(code, field->aux[0]) != 0;
   uint32_t channels = isa_bits(code, field->aux[1]);
   unsigned count = (channels == 0 ? 4 : channels) * (unsigned)field->constant;
   return isa_operand_set(isa_operand_at(insn, field->target), ISA_REG, wide ? 32 : 16, count, isa_value(field, code));
}

static const char *encode_varying(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code)
{
   const struct isa_operand *dst = isa_operand_in(insn, field->target);
   unsigned unit = (unsigned)field->constant;
   if (dst->kind != ISA_REG || dst->size == 64 || dst->count == 0 || dst->count % unit != 0 || dst->count / unit > 4 ||
       !isa_operand_fits(dst)) {
      return "consecutive 16- or 32-bit registers, one set for each of 1 to 4 channels";
   }
   isa_put_value(field, code, (uint32_t)dst->value);
   isa_put(code, field->aux[0], dst->size == 32);
   isa_put(code, field->aux[1], dst->count / unit & 3);
   return NULL;
}

const struct isa_kind isa_kind_varying = {"registers", decode_varying, encode_varying, isa_print_operand};
