/* SPDX-License-Identifier: MIT
 *
 * Bytes to struct isa_insn. Exact: an instruction belongs to a row only if the row explains every bit, so that encoding
 * it again gives the same bytes.
 */
#include "isa/table.h"

#include <string.h>

static struct isa_code read_code(const uint8_t *code, size_t size)
{
   uint8_t bytes[ISA_MAX_LENGTH] = {0};
   struct isa_code value = {0, 0};
   memcpy(bytes, code, size < ISA_MAX_LENGTH ? size : ISA_MAX_LENGTH);
   for (unsigned i = 8; i-- > 0;) {
      value.low = value.low << 8 | bytes[i];
   }
   for (unsigned i = 12; i-- > 8;) {
      value.high = value.high << 8 | bytes[i];
   }
   return value;
}

static unsigned form_length(const struct isa_opcode *row, const struct isa_code *code)
{
   if (row->long_length != 0 && (code->low >> row->length_bit & 1)) {
      return row->long_length;
   }
   return row->length;
}

static void cut(struct isa_code *code, unsigned length)
{
   if (length < 8) {
      code->low &= UINT64_MAX >> (64 - 8 * length);
   }
   code->high &= length <= 8 ? 0 : UINT32_MAX >> (96 - 8 * length);
}

static bool decode_fields(const struct isa_opcode *row, const struct isa_code *code, struct isa_insn *insn)
{
   for (const struct isa_field *field = row->fields; field->kind != ISA_FIELD_END; field++) {
      if (!isa_kinds[field->kind]->decode(field, code, insn)) {
         return false;
      }
   }
   return true;
}

static bool decode_row(const struct isa_set *set, const struct isa_opcode *row, struct isa_code code, size_t size,
                       struct isa_insn *insn)
{
   unsigned length = form_length(row, &code);
   if (length > size) {
      return false;
   }
   cut(&code, length);
   if ((code.low & row->mask) != row->match) {
      return false;
   }

   struct isa_code covered = isa_covered(set, row, length);
   if ((code.low & ~covered.low) != (row->match & ~covered.low) || (code.high & ~covered.high) != 0) {
      return false;
   }

   memset(insn, 0, sizeof(*insn));
   insn->set = set;
   insn->row = row;
   insn->op = row->op;
   insn->length = (uint8_t)length;
   if (row->implies) {
      insn->mod[row->implied_mod] = row->implied;
   }
   return decode_fields(row, &code, insn);
}

/* The bytes that a listing skips when they are no instruction: the length that the opcode has whatever its
 * other bits, else two bytes. */
static size_t unknown_length(const struct isa_opcode *bucket, const struct isa_code *code)
{
   for (const struct isa_opcode *row = bucket; row != NULL && row->name != NULL; row++) {
      if (((code->low ^ row->match) & row->mask & 0xffff) == 0) {
         return form_length(row, code);
      }
   }
   return 2;
}

static inline void decode_without(const struct isa_set *set, unsigned flags, const uint8_t *code, size_t size,
                                  struct isa_insn *insn)
{
   struct isa_code value = read_code(code, size);
   const struct isa_opcode *bucket = set->buckets[value.low & 0x7f];

   for (const struct isa_opcode *row = bucket; row != NULL && row->name != NULL; row++) {
      /* Bytes after the first ones may belong to the next instruction. decode_row() compares the whole mask. */
      if (((value.low ^ row->match) & row->mask & 0xffff) == 0 && (row->flags & flags) == 0 &&
          decode_row(set, row, value, size, insn)) {
         memcpy(insn->bytes, code, insn->length);
         return;
      }
   }

   size_t length = unknown_length(bucket, &value);
   memset(insn, 0, sizeof(*insn));
   insn->set = set;
   insn->op = ISA_OP_UNKNOWN;
   insn->length = (uint8_t)(length < size ? length : size);
   memcpy(insn->bytes, code, insn->length);
}

void isa_decode(const struct isa_set *set, const uint8_t *code, size_t size, struct isa_insn *insn)
{
   decode_without(set, 0, code, size, insn);
}

void isa_decode_plain(const struct isa_set *set, const uint8_t *code, size_t size, struct isa_insn *insn)
{
   decode_without(set, ISA_FLAG_SHORTHAND, code, size, insn);
}
