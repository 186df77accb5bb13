/* SPDX-License-Identifier: MIT
 *
 * Appending pieces of text to a buffer of fixed size. By hand, because a listing prints millions of lines.
 */
#include "isa/table.h"

#include <limits.h>
#include <string.h>

void isa_write_char(struct isa_writer *out, char c)
{
   if (out->length + 1 < out->size) {
      out->text[out->length] = c;
   }
   out->length++;
}

static void write_bytes(struct isa_writer *out, const char *text, size_t length)
{
   if (out->length + length < out->size) {
      memcpy(out->text + out->length, text, length);
   } else if (out->length + 1 < out->size) {
      memcpy(out->text + out->length, text, out->size - 1 - out->length);
   }
   out->length += length;
}

void isa_write(struct isa_writer *out, const char *text)
{
   write_bytes(out, text, strlen(text));
}

void isa_write_unsigned(struct isa_writer *out, uint32_t number)
{
   char digits[10];
   size_t at = sizeof(digits);
   do {
      digits[--at] = (char)('0' + number % 10);
      number /= 10;
   } while (number != 0);
   write_bytes(out, digits + at, sizeof(digits) - at);
}

void isa_write_signed(struct isa_writer *out, int32_t number)
{
   if (number < 0) {
      isa_write_char(out, '-');
      isa_write_unsigned(out, 0u - (uint32_t)number);
   } else {
      isa_write_unsigned(out, (uint32_t)number);
   }
}

void isa_write_hex(struct isa_writer *out, uint32_t number)
{
   char digits[8];
   size_t at = sizeof(digits);
   do {
      digits[--at] = "0123456789abcdef"[number & 15];
      number >>= 4;
   } while (number != 0);
   isa_write(out, "0x");
   write_bytes(out, digits + at, sizeof(digits) - at);
}

void isa_write_separator(struct isa_writer *out)
{
   if (!out->first) {
      isa_write(out, ", ");
      return;
   }
   /* Operands start in column 9, or after the mnemonic where that is longer. */
   out->first = false;
   do {
      isa_write_char(out, ' ');
   } while (out->length < 9);
}

void isa_write_name(struct isa_writer *out, const struct isa_names *names, uint32_t value)
{
   if (value < names->count && names->words[value] != NULL) {
      isa_write(out, names->words[value]);
   } else {
      isa_write(out, names->prefix);
      isa_write_unsigned(out, value);
   }
}

/* An 8-bit float, exactly, with at least one digit after the point. */
static void write_minifloat(struct isa_writer *out, uint32_t bits)
{
   unsigned exponent = bits >> 4 & 7;
   unsigned mantissa = bits & 15;
   /* In 64ths: both branches of isa_minifloat() are whole ones. */
   unsigned sixty_fourths = exponent == 0 ? mantissa : (16 + mantissa) << (exponent - 1);

   if (bits & 0x80) {
      isa_write_char(out, '-');
   }
   isa_write_unsigned(out, sixty_fourths / 64);
   isa_write_char(out, '.');
   unsigned rest = sixty_fourths % 64;
   do {
      rest *= 10;
      isa_write_char(out, (char)('0' + rest / 64));
      rest %= 64;
   } while (rest != 0);
}

static void write_register(struct isa_writer *out, const struct isa_operand *operand, unsigned half)
{
   if (operand->size == 64) {
      isa_write_char(out, 'd');
   }
   isa_write_char(out, operand->kind == ISA_UNIFORM ? 'u' : 'r');
   isa_write_unsigned(out, half / 2);
   if (operand->size == 16) {
      isa_write_char(out, half % 2 == 0 ? 'l' : 'h');
   }
}

static void write_registers(struct isa_writer *out, const struct isa_operand *operand)
{
   unsigned half = (unsigned)operand->value;
   if (operand->cache) {
      isa_write_char(out, '$');
   } else if (operand->discard) {
      isa_write_char(out, '^');
   }
   for (unsigned i = 0; i < operand->count; i++) {
      if (i != 0) {
         isa_write_char(out, '_');
      }
      write_register(out, operand, half);
      half += operand->size / 16;
   }
}

void isa_write_operand(struct isa_writer *out, const struct isa_operand *operand)
{
   switch (operand->kind) {
   case ISA_REG:
   case ISA_UNIFORM:
      write_registers(out, operand);
      break;
   case ISA_IMM:
      isa_write_signed(out, operand->value);
      break;
   case ISA_FLOAT_IMM:
      write_minifloat(out, (uint32_t)operand->value);
      break;
   case ISA_SR:
      isa_write_name(out, &isa_names_sr, (uint32_t)operand->value);
      break;
   case ISA_TEXTURE_STATE:
      isa_write(out, "ts");
      isa_write_unsigned(out, (uint32_t)operand->value);
      break;
   case ISA_SAMPLER_STATE:
      isa_write(out, "ss");
      isa_write_unsigned(out, (uint32_t)operand->value);
      break;
   case ISA_COEFFICIENT:
      isa_write(out, "cf");
      isa_write_unsigned(out, (uint32_t)operand->value);
      break;
   default:
      isa_write_char(out, '_');
      break;
   }
   if (operand->abs) {
      isa_write(out, ".abs");
   }
   if (operand->sx) {
      isa_write(out, ".sx");
   }
   if (operand->neg) {
      isa_write(out, ".neg");
   }
   if (operand->wide) {
      isa_write(out, ".wide");
   }
   if (operand->odd) {
      isa_write(out, ".odd");
   }
}

void isa_print_operand(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out)
{
   isa_write_separator(out);
   isa_write_operand(out, isa_operand_in(insn, field->target));
}

unsigned isa_digit(char c)
{
   return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
          : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
          : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                 : UINT_MAX;
}
