/* SPDX-License-Identifier: MIT
 *
 * For each row of the table: random legal operands -> encode -> decode -> the same operands, 10,000 times; and for
 * random bytes: what decodes encodes back to the same bytes, whatever the bytes are. Argument: N, to do an N-th of
 * that.
 */
#include "isa/table.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 20000000 };

static unsigned times = 10000, random_inputs = 2000000;
static uint64_t next_random(uint64_t *state) /* xorshift64*: the same numbers on every machine */
{
   *state ^= *state >> 12;
   *state ^= *state << 25;
   *state ^= *state >> 27;
   return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static void report(const struct isa_insn *insn, const char *what)
{
   char text[256];
   isa_print(insn, ISA_SYNTAX_MESA, text, sizeof(text));
   if (check_failures++ < 20) {
      printf("%s: %s\n", text, what);
   }
}

static bool same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
   return a->kind == b->kind && a->size == b->size && a->count == b->count && a->value == b->value &&
          a->abs == b->abs && a->neg == b->neg && a->sx == b->sx && a->cache == b->cache && a->discard == b->discard &&
          a->wide == b->wide && a->odd == b->odd;
}

static bool same_meaning(const struct isa_insn *a, const struct isa_insn *b)
{
   if (a->op != b->op || memcmp(a->mod, b->mod, sizeof(a->mod)) != 0) {
      return false;
   }
   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      if (!same_operand(isa_operand_in(a, target), isa_operand_in(b, target))) {
         return false;
      }
   }
   return true;
}

/* Random values in the row's fields, its own bits elsewhere; after the instruction, anything. */
static unsigned random_bytes(const struct isa_opcode *row, uint64_t *random, uint8_t *bytes)
{
   bool is_long = row->long_length != 0 && next_random(random) >> 63;
   unsigned length = is_long ? row->long_length : row->length;
   struct isa_code covered = isa_covered(isa_set_default(), row, length);
   struct isa_code code = {(next_random(random) & covered.low & ~row->mask) | row->match,
                           (uint32_t)next_random(random) & covered.high};
   if (row->long_length != 0) {
      code.low &= ~(UINT64_C(1) << row->length_bit);
      code.low |= (uint64_t)is_long << row->length_bit;
   }
   for (unsigned i = 0; i < length; i++) {
      bytes[i] = (uint8_t)(i < 8 ? code.low >> (8 * i) : code.high >> (8 * (i - 8)));
   }
   for (unsigned i = length; i < 2 * ISA_MAX_LENGTH; i++) {
      bytes[i] = (uint8_t)next_random(random);
   }
   return length;
}

/* Operands taken from two instructions of one row: legal ones, in combinations that no bytes suggested. */
static struct isa_insn mix(const struct isa_insn *a, const struct isa_insn *b, uint64_t choice)
{
   struct isa_insn mixed = *a;
   mixed.length = 0;
   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      if (choice >> target & 1) {
         *isa_operand_at(&mixed, target) = *isa_operand_in(b, target);
      }
   }
   for (unsigned mod = 0; mod < ISA_MOD_COUNT; mod++) {
      if (choice >> (8 + mod) & 1) {
         mixed.mod[mod] = b->mod[mod];
      }
   }
   return mixed;
}

static bool check_same_bytes(const struct isa_insn *insn, const uint8_t *bytes)
{
   uint8_t encoded[ISA_MAX_LENGTH];
   char why[160];
   if (isa_encode(insn, encoded, why, sizeof(why)) != insn->length || memcmp(encoded, bytes, insn->length) != 0) {
      report(insn, "does not encode back to its bytes");
      return false;
   }
   return true;
}

/* Returns whether the operands were legal. */
static bool check_mixed(const struct isa_insn *mixed)
{
   uint8_t encoded[ISA_MAX_LENGTH];
   char why[160];
   struct isa_insn again;
   int length = isa_encode(mixed, encoded, why, sizeof(why));
   if (length < 0) {
      return false;
   }
   isa_decode(isa_set_default(), encoded, (size_t)length, &again);
   if (again.row != NULL && again.row != mixed->row && again.op == mixed->op) {
      return check_same_bytes(&again, encoded); /* these operands make a special case with a row of its own */
   }
   if (again.length != length || !same_meaning(mixed, &again)) {
      report(mixed, "decodes to something else");
      report(&again, "namely this");
   }
   return true;
}

static void check_row(const struct isa_opcode *row, uint64_t *random)
{
   struct isa_insn insn, previous = {0};
   uint8_t bytes[2 * ISA_MAX_LENGTH];
   unsigned done = 0, mixed = 0;

   for (unsigned tries = 0; done < times && tries < TRIES; tries++) {
      unsigned length = random_bytes(row, random, bytes);
      struct isa_insn alone;
      isa_decode(isa_set_default(), bytes, sizeof(bytes), &insn);
      isa_decode(isa_set_default(), bytes, length, &alone);
      if (insn.row != alone.row || (insn.row != NULL && insn.length != length)) {
         report(&insn, "depends on what comes after it");
         report(&alone, "else is");
      }
      if (insn.row == NULL) {
         continue; /* operands that the row does not take */
      }
      if (!check_same_bytes(&insn, bytes) || insn.row != row) {
         continue; /* a special case with a row of its own */
      }
      struct isa_insn wish = insn;
      wish.length = 0;
      if (!check_mixed(&wish)) {
         report(&insn, "cannot be encoded without a form asked for");
      }
      if (done++ != 0) {
         wish = mix(&previous, &insn, next_random(random));
         mixed += check_mixed(&wish);
      }
      previous = insn;
   }
   if (done < times &&
       isa_covered(isa_set_default(), row, row->long_length != 0 ? row->long_length : row->length).low != 0) {
      printf("%s: only %u legal operand sets found\n", row->name, done);
      check_failures++;
   }
   if (mixed == 0 && done > 1) {
      printf("%s: no mixed operands were legal\n", row->name);
      check_failures++;
   }
}

static unsigned check_random_bytes(uint64_t *random)
{
   unsigned instructions = 0;
   for (unsigned i = 0; i < random_inputs; i++) {
      uint64_t words[2] = {next_random(random), next_random(random)};
      uint8_t bytes[ISA_MAX_LENGTH];
      size_t size = 1 + next_random(random) % ISA_MAX_LENGTH;
      struct isa_insn insn;

      memcpy(bytes, words, sizeof(bytes));
      isa_decode(isa_set_default(), bytes, size, &insn);
      if (insn.length < 1 || insn.length > size) {
         report(&insn, "takes more bytes than there are");
      }
      check_same_bytes(&insn, bytes);
      instructions += insn.row != NULL;
   }
   return instructions;
}

int main(int argc, char **argv)
{
   const unsigned long part = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
   if (part < 1 || part > times) {
      printf("roundtrip: the argument is a number from 1 to %u\n", times);
      return 1;
   }
   times /= (unsigned)part;
   random_inputs /= (unsigned)part;
   uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
   unsigned rows = 0;
   for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row != NULL;
        row = isa_next_row(isa_set_default(), row)) {
      check_row(row, &random);
      rows++;
   }
   unsigned instructions = check_random_bytes(&random);
   printf("%u rows, %u random operand sets each; %u of %u random inputs were instructions; %u failures\n", rows, times,
          instructions, random_inputs, check_failures);
   return check_failures != 0;
}
