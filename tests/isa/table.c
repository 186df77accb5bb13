/* SPDX-License-Identifier: MIT
 *
 * The table agrees with itself: masks, lengths, bit positions, the order of rows, and that every row says where
 * it comes from: a section that there is.
 *
 * table docs/spec/isa.md
 */
#include "isa/table.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

static char spec[1 << 17];

static void expect(bool ok, const struct isa_opcode *row, const char *what)
{
   if (!ok) {
      printf("%s (match %llx): %s\n", row->name, (unsigned long long)row->match, what);
      check_failures++;
   }
}

static bool piece_lies_within(struct isa_piece piece, unsigned bits)
{
   bool crosses = piece.at < 64 && piece.at + piece.width > 64;
   return piece.width <= 32 && piece.at + piece.width <= bits && !crosses;
}

static void check_field(const struct isa_opcode *row, const struct isa_field *field, unsigned bits)
{
   unsigned width = 0;
   expect(field->kind < ISA_FIELD_KINDS && isa_kinds[field->kind] != NULL, row, "field of no kind");
   for (size_t i = 0; i < sizeof(field->value) / sizeof(field->value[0]); i++) {
      width += field->value[i].width;
      expect(piece_lies_within(field->value[i], bits), row, "a field's bits lie outside");
   }
   for (size_t i = 0; i < sizeof(field->aux) / sizeof(field->aux[0]); i++) {
      expect(piece_lies_within(field->aux[i], bits), row, "a field's other bits lie outside");
   }
   expect(width <= 32, row, "a number of more than 32 bits");
   expect(field->kind != ISA_FIELD_NAME || field->names != NULL, row, "a name field without names");
   expect(field->kind != ISA_FIELD_FLAG || field->word != NULL, row, "a flag without a word");
}

static struct isa_code add_piece(struct isa_code covered, struct isa_piece piece)
{
   for (unsigned at = piece.at; at < piece.at + (unsigned)piece.width; at++) {
      isa_put(&covered, (struct isa_piece){(uint8_t)at, 1}, 1);
   }
   return covered;
}

/* derive.py reads the rows as text: the bits that it finds are those of the compiled rows. */
static void check_covered(const struct isa_opcode *row, unsigned length)
{
   struct isa_code wanted = {0, 0}, covered = isa_covered(isa_set_default(), row, length);
   for (const struct isa_field *field = row->fields; field->kind != ISA_FIELD_END; field++) {
      for (size_t i = 0; i < sizeof(field->value) / sizeof(field->value[0]); i++) {
         wanted = add_piece(wanted, field->value[i]);
      }
      for (size_t i = 0; i < sizeof(field->aux) / sizeof(field->aux[0]); i++) {
         wanted = add_piece(wanted, field->aux[i]);
      }
   }
   wanted = add_piece(wanted, (struct isa_piece){row->length_bit, row->long_length != 0});
   for (unsigned at = 0; at < 96; at++) {
      struct isa_piece bit = {(uint8_t)at, 1};
      expect(isa_bits(&covered, bit) == (at < 8 * length ? isa_bits(&wanted, bit) : 0), row,
             "row_bits.h has other bits than the row's fields");
   }
}

static void check_lengths(const struct isa_opcode *row)
{
   unsigned longest = row->long_length != 0 ? row->long_length : row->length;
   expect(row->length >= 2 && row->length % 2 == 0, row, "odd length");
   expect(longest % 2 == 0 && longest <= ISA_MAX_LENGTH, row, "odd or too long form");
   if (row->long_length != 0) {
      expect(row->long_length > row->length, row, "the long form is not longer");
      expect(row->length_bit < 8 * row->length, row, "the length bit is not in the short form");
      expect((row->mask >> row->length_bit & 1) == 0, row, "the length bit is part of the opcode");
   }
   expect(row->length >= 8 || row->mask >> (8 * row->length) == 0 || row->long_length != 0, row,
          "the mask reaches past the instruction");
   for (const struct isa_field *field = row->fields; field->kind != ISA_FIELD_END; field++) {
      check_field(row, field, 8 * longest);
   }
   check_covered(row, row->length);
   check_covered(row, longest);
}

/* "spec/isa.md 2.6, 3.3": each number heads a section. */
static void check_source(const struct isa_opcode *row)
{
   const char *at = row->source + strlen("spec/isa.md");
   char heading[32];
   int length;

   expect(strncmp(row->source, "spec/isa.md ", strlen("spec/isa.md ")) == 0, row, "no source");
   for (char number[16]; sscanf(at, " %15[0-9.a-z]%n", number, &length) == 1; at += *at == ',') {
      snprintf(heading, sizeof(heading), "\n### %s ", number);
      expect(strstr(spec, heading) != NULL, row, "its source has no such section");
      at += length;
   }
   expect(*at == '\0', row, "sections are numbers with commas between them");
}

static void check_row(const struct isa_opcode *row)
{
   expect(row->applegpu != NULL && row->source != NULL && row->fields != NULL, row, "incomplete");
   expect((row->match & ~row->mask) == 0, row, "match has bits that mask has not");
   expect((row->mask & 0x3f) == 0x3f, row, "the low 6 bits are not fixed");
   expect(row->known.confidence != 0 && strchr("HEMDG", row->known.confidence) != NULL, row, "no confidence");
   check_source(row);
   expect(row->op < ISA_OP_COUNT, row, "no operation");
   expect(row->known.confidence != 'G' || row->note != NULL, row, "a guess without a word about it");
   for (unsigned i = 0; i < 3; i++) {
      expect(row->known.timing[i] < ISA_TIMING_COUNT, row, "no timing class");
   }
   /* What is never executed costs nothing, what is executed has a class; but for the tile buffer and what fills
    * registers and images from memory, whose time nobody has measured. */
   bool executed = !(row->flags & ISA_FLAG_GRAPHICS) && row->op != ISA_OP_UNKNOWN && row->op != ISA_OP_DOORBELL &&
                   row->op != ISA_OP_STACK_MAP && row->op != ISA_OP_STACK_UNMAP && row->op != ISA_OP_ASYNC_LOAD &&
                   row->op != ISA_OP_ASYNC_STORE && row->op != ISA_OP_STATE_LOAD && row->op != ISA_OP_TILE_LOAD &&
                   row->op != ISA_OP_TILE_STORE && row->op != ISA_OP_IMAGE_WRITE_BLOCK;
   expect(executed == (row->known.timing[0] != ISA_TIMING_OTHER), row, "executed, and without timing (or the reverse)");
}

/* Two rows of a bucket are told apart by bits that both look at, or the earlier one is the special case. */
static void check_order(unsigned bucket)
{
   const struct isa_opcode *rows = isa_set_default()->buckets[bucket];
   for (const struct isa_opcode *row = rows; row != NULL && row->name != NULL; row++) {
      bool here = ((row->match ^ bucket) & row->mask & 0x7f) == 0;
      bool twin =
          ((row->match ^ bucket ^ 0x40) & row->mask & 0x7f) == 0 && isa_set_default()->buckets[bucket ^ 0x40] == rows;
      expect(here || twin, row, "stands in a bucket that it cannot match");
      expect((row->mask & 0x40) || isa_set_default()->buckets[bucket ^ 0x40] == rows, row, "is missing from a bucket");
      for (const struct isa_opcode *later = row + 1; later->name != NULL; later++) {
         bool disjoint = ((row->match ^ later->match) & row->mask & later->mask) != 0;
         bool special = (later->mask & ~row->mask) == 0 && row->mask != later->mask;
         expect(disjoint || special, later, "hidden by an earlier row");
      }
   }
}

int main(int argc, char **argv)
{
   FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
   unsigned rows = 0, names = 0;
   bool seen[ISA_OP_COUNT] = {false};

   if (file == NULL) {
      fprintf(stderr, "usage: table docs/spec/isa.md\n");
      return 1;
   }
   spec[fread(spec, 1, sizeof(spec) - 1, file)] = '\0';
   fclose(file);

   for (unsigned bucket = 0; bucket < 128; bucket++) {
      check_order(bucket);
   }
   for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row != NULL;
        row = isa_next_row(isa_set_default(), row)) {
      bool first = true;
      for (const struct isa_opcode *other = isa_next_row(isa_set_default(), NULL); other != row;
           other = isa_next_row(isa_set_default(), other)) {
         first = first && strcmp(other->name, row->name) != 0;
      }
      check_row(row);
      check_lengths(row);
      seen[row->op] = true;
      rows++;
      names += first;
   }
   for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
      if (!seen[op]) {
         printf("operation %u has no row\n", op);
         check_failures++;
      }
   }
   for (unsigned timing = 0; timing < ISA_TIMING_COUNT; timing++) {
      if (isa_timing_name((enum isa_timing)timing) == NULL) {
         printf("timing class %u has no name\n", timing);
         check_failures++;
      }
   }
   printf("%u rows, %u mnemonics, %u failures\n", rows, names, check_failures);
   return check_failures != 0;
}
