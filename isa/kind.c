/* SPDX-License-Identifier: MIT
 *
 * Helpers of all kinds of fields (bits, operands), and the list of kinds.
 */
#include "isa/table.h"
#include "util/array.h"

/* clang-format off */
const struct isa_kind *const isa_kinds[ISA_FIELD_KINDS] = {
   [ISA_FIELD_DST] = &isa_kind_dst,
   [ISA_FIELD_SRC] = &isa_kind_src,
   [ISA_FIELD_SRC16] = &isa_kind_src16,
   [ISA_FIELD_SELECT] = &isa_kind_select,
   [ISA_FIELD_FIXED] = &isa_kind_fixed,
   [ISA_FIELD_REG] = &isa_kind_reg,
   [ISA_FIELD_REG_OR_IMM] = &isa_kind_reg_or_imm,
   [ISA_FIELD_ATOMIC_DATA] = &isa_kind_atomic_data,
   [ISA_FIELD_RESULT] = &isa_kind_result,
   [ISA_FIELD_VECTOR] = &isa_kind_vector,
   [ISA_FIELD_BASE] = &isa_kind_base,
   [ISA_FIELD_INDEX] = &isa_kind_index,
   [ISA_FIELD_OFFSET] = &isa_kind_offset,
   [ISA_FIELD_LOCAL_BASE] = &isa_kind_local_base,
   [ISA_FIELD_LOCAL_INDEX] = &isa_kind_local_index,
   [ISA_FIELD_IMM] = &isa_kind_imm,
   [ISA_FIELD_UNIFORMS] = &isa_kind_uniforms,
   [ISA_FIELD_UNIFORM_DATA] = &isa_kind_uniform_data,
   [ISA_FIELD_TUPLE] = &isa_kind_tuple,
   [ISA_FIELD_FILE] = &isa_kind_file,
   [ISA_FIELD_TEXTURE] = &isa_kind_texture,
   [ISA_FIELD_LOD] = &isa_kind_lod,
   [ISA_FIELD_COMPARE] = &isa_kind_compare,
   [ISA_FIELD_COORDS] = &isa_kind_coords,
   [ISA_FIELD_SAMPLE] = &isa_kind_sample,
   [ISA_FIELD_VARYING] = &isa_kind_varying,
   [ISA_FIELD_NUMBER] = &isa_kind_number,
   [ISA_FIELD_BRANCH] = &isa_kind_branch,
   [ISA_FIELD_NAME] = &isa_kind_name,
   [ISA_FIELD_COND] = &isa_kind_cond,
   [ISA_FIELD_FLAG] = &isa_kind_flag,
   [ISA_FIELD_WORD] = &isa_kind_word,
   [ISA_FIELD_SHIFT] = &isa_kind_shift,
   [ISA_FIELD_MASK] = &isa_kind_mask,
   [ISA_FIELD_EXTRA] = &isa_kind_extra,
};
/* clang-format on */

uint32_t isa_value(const struct isa_field *field, const struct isa_code *code)
{
   uint32_t value = 0;
   unsigned shift = 0;
   for (size_t i = 0; i < ARRAY_COUNT(field->value) && field->value[i].width != 0; i++) {
      value |= isa_bits(code, field->value[i]) << shift;
      shift += field->value[i].width;
   }
   return value;
}

void isa_put_value(const struct isa_field *field, struct isa_code *code, uint32_t value)
{
   uint64_t rest = value;
   for (size_t i = 0; i < ARRAY_COUNT(field->value) && field->value[i].width != 0; i++) {
      isa_put(code, field->value[i], (uint32_t)rest);
      rest >>= field->value[i].width;
   }
}

unsigned isa_value_width(const struct isa_field *field)
{
   unsigned width = 0;
   for (size_t i = 0; i < ARRAY_COUNT(field->value); i++) {
      width += field->value[i].width;
   }
   return width;
}

/* The bits that an instruction of `length` bytes has. */
static struct isa_code form_bits(unsigned length)
{
   struct isa_code bits = {UINT64_MAX, 0};
   if (length < 8) {
      bits.low >>= 64 - 8 * length;
   } else if (length > 8) {
      bits.high = UINT32_MAX >> (96 - 8 * length);
   }
   return bits;
}

struct isa_code isa_covered(const struct isa_set *set, const struct isa_opcode *row, unsigned length)
{
   unsigned bucket = (unsigned)row->match & 0x7f;
   struct isa_code covered = set->row_bits[bucket][row - set->buckets[bucket]];
   struct isa_code form = form_bits(length);
   covered.low |= (uint64_t)(row->long_length != 0) << row->length_bit;
   covered.low &= form.low;
   covered.high &= form.high;
   return covered;
}

bool isa_fits_short(const struct isa_opcode *row, const struct isa_code *code)
{
   struct isa_code form = form_bits(row->length);
   struct isa_code length_bit = {0, 0};
   isa_put(&length_bit, (struct isa_piece){row->length_bit, 1}, 1);
   return (code->low & ~form.low & ~length_bit.low) == 0 && (code->high & ~form.high) == 0;
}

unsigned isa_usual_length(const struct isa_opcode *row, const struct isa_code *code)
{
   if (row->long_length == 0) {
      return row->length;
   }
   bool is_long = !isa_fits_short(row, code) || (row->flags & ISA_FLAG_LONG) ||
                  ((row->flags & ISA_FLAG_LONG_FROM_32) && (code->low ^ row->match) >> 32 != 0);
   return is_long ? row->long_length : row->length;
}

bool isa_operand_fits(const struct isa_operand *operand)
{
   unsigned halves = operand->size / 16u;
   int64_t end = (int64_t)operand->value + (int64_t)halves * operand->count; /* an immediate may be any number */
   if (operand->kind != ISA_REG && operand->kind != ISA_UNIFORM) {
      return true;
   }
   if (operand->value < 0 || operand->count == 0 || halves == 0 || (halves > 1 && operand->value % 2 != 0)) {
      return false;
   }
   return end <= (operand->kind == ISA_REG ? 256 : 512);
}

bool isa_operand_set(struct isa_operand *operand, enum isa_operand_kind kind, unsigned size, unsigned count,
                     uint32_t value)
{
   operand->kind = (uint8_t)kind;
   operand->size = (uint8_t)size;
   operand->count = (uint8_t)count;
   operand->value = (int32_t)value;
   return isa_operand_fits(operand);
}

bool isa_operand_is_reg(const struct isa_operand *operand, unsigned size, unsigned count)
{
   return operand->kind == ISA_REG && operand->size == size && operand->count == count && isa_operand_fits(operand);
}

bool isa_operand_is_plain(const struct isa_operand *operand)
{
   return !operand->abs && !operand->neg && !operand->sx && !operand->cache && !operand->discard && !operand->wide &&
          !operand->odd;
}
