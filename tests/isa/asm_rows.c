/* SPDX-License-Identifier: MIT
 *
 * Every row of the table through the assembler: random bits that the row accepts -> text -> the same bytes, in the
 * text's own spacing and in another, in both syntaxes.
 */
#include "isa/assembler/asm.h"
#include "isa/table.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#define TRIES 60000
#define WANTED 2000

static uint64_t next_random(uint64_t *state)
{
   *state ^= *state << 13; /* xorshift64 */
   *state ^= *state >> 7;
   *state ^= *state << 17;
   return *state;
}

/* The text with other spacing and a comment. */
static size_t respace(const char *text, char *other, size_t size)
{
   size_t length = 0;
   other[length++] = '\t';
   for (; *text != '\0' && length + 8 < size; text++) {
      if (*text == ',') {
         memcpy(other + length, "\t ,  ", 5);
         length += 5;
      } else {
         other[length++] = *text;
      }
   }
   memcpy(other + length, "// x", 4);
   return length + 4;
}

static bool check_text(const struct isa_asm *assembler, const struct isa_insn *insn, const char *text, size_t length)
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong = {.message = "other bytes"};
   int size = isa_asm_line(assembler, text, length, bytes, &wrong);

   if (size == insn->length && memcmp(bytes, insn->bytes, insn->length) == 0) {
      return true;
   }
   printf("%.*s: %s\n  want", (int)length, text, wrong.message);
   for (unsigned i = 0; i < insn->length; i++) {
      printf(" %02x", insn->bytes[i]);
   }
   printf("\n  got ");
   for (int i = 0; i < size; i++) {
      printf(" %02x", bytes[i]);
   }
   printf("\n");
   check_failures++;
   return false;
}

/* Random bits in the row's fields, few of them set in some tries, so that narrow fields meet their legal values. */
static void make_bytes(const struct isa_opcode *row, uint64_t *state, uint8_t bytes[ISA_MAX_LENGTH])
{
   struct isa_code covered =
       isa_covered(isa_set_default(), row, row->long_length != 0 ? row->long_length : row->length);
   uint64_t low = next_random(state), high = next_random(state);
   if (next_random(state) & 1) {
      low &= next_random(state) & next_random(state);
      high &= next_random(state) & next_random(state);
   }
   low = (row->match & ~(covered.low & ~row->mask)) | (low & covered.low & ~row->mask);
   high &= covered.high;
   for (unsigned i = 0; i < ISA_MAX_LENGTH; i++) {
      bytes[i] = (uint8_t)(i < 8 ? low >> (8 * i) : high >> (8 * (i - 8)));
   }
}

struct dialect {
   enum isa_syntax syntax;
   struct isa_asm *assembler;
};

static unsigned check_row(const struct dialect *dialect, const struct isa_opcode *row, uint64_t *state)
{
   unsigned done = 0;
   for (unsigned i = 0; i < TRIES && done < WANTED; i++) {
      uint8_t bytes[ISA_MAX_LENGTH];
      struct isa_insn insn;
      char text[256], other[512];

      make_bytes(row, state, bytes);
      isa_decode(isa_set_default(), bytes, sizeof(bytes), &insn);
      if (insn.row != row) {
         continue;
      }
      size_t length = (size_t)isa_print(&insn, dialect->syntax, text, sizeof(text));
      size_t other_length = respace(text, other, sizeof(other));
      if (!check_text(dialect->assembler, &insn, text, length) ||
          !check_text(dialect->assembler, &insn, other, other_length)) {
         return done;
      }
      done++;
   }
   return done;
}

static void check_syntax(enum isa_syntax syntax)
{
   struct isa_asm_options options = {.syntax = syntax};
   struct dialect dialect = {syntax, isa_asm_create(&options)};
   uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
   unsigned rows = 0, instructions = 0;

   if (dialect.assembler == NULL) {
      printf("no memory\n");
      check_failures++;
      return;
   }
   for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row != NULL;
        row = isa_next_row(isa_set_default(), row)) {
      unsigned done = check_row(&dialect, row, &state);
      if (done == 0) {
         printf("%s: no bits were accepted\n", row->name);
         check_failures++;
      }
      rows++;
      instructions += done;
   }
   isa_asm_destroy(dialect.assembler);
   printf("%s: %u rows, %u instructions, %u failures\n", syntax == ISA_SYNTAX_MESA ? "mesa" : "applegpu", rows,
          instructions, check_failures);
}

int main(void)
{
   check_syntax(ISA_SYNTAX_MESA);
   check_syntax(ISA_SYNTAX_APPLEGPU);
   return check_failures != 0;
}
