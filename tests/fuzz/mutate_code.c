/* SPDX-License-Identifier: MIT
 *
 * How fuzz_code's inputs are varied: as libFuzzer does with any bytes, and every other time by an instruction of the
 * table with random operands, put between those of the input. Linked into the fuzzer only.
 */
#include "isa/table.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static uint32_t next_random(uint32_t *state)
{
   *state = *state * 1664525u + 1013904223u;
   return *state >> 8;
}

/* Random values in the fields of a random row. */
static size_t random_instruction(uint32_t *state, uint8_t *bytes)
{
   static const struct isa_opcode *rows[512];
   static size_t count;
   for (const struct isa_opcode *row = NULL; count == 0 || row;) {
      row = isa_next_row(isa_set_default(), row);
      if (row && count < sizeof(rows) / sizeof(rows[0])) {
         rows[count++] = row;
      }
   }
   const struct isa_opcode *row = rows[next_random(state) % count];
   bool is_long = row->long_length && next_random(state) & 1;
   size_t length = is_long ? row->long_length : row->length;
   struct isa_code covered = isa_covered(isa_set_default(), row, (unsigned)length);
   uint64_t low = (uint64_t)next_random(state) << 48 ^ (uint64_t)next_random(state) << 24 ^ next_random(state);
   uint32_t high = next_random(state) ^ next_random(state) << 8;
   struct isa_code code = {(low & covered.low & ~row->mask) | row->match, high & covered.high};
   if (row->long_length) {
      code.low &= ~(UINT64_C(1) << row->length_bit);
      code.low |= (uint64_t)is_long << row->length_bit;
   }
   for (size_t i = 0; i < length; i++) {
      bytes[i] = (uint8_t)(i < 8 ? code.low >> (8 * i) : code.high >> (8 * (i - 8)));
   }
   return length;
}

/* Before an instruction of the code, so that what follows stays what it was. */
static size_t insert_instruction(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
   enum { HEAD = 8 };
   uint8_t bytes[16];
   struct isa_insn insn;
   size_t length = random_instruction(state, bytes), at = HEAD, count = 0;
   if (size < HEAD || size + length > max_size) {
      return 0;
   }
   for (size_t i = HEAD; i < size; i += insn.length, count++) { /* one of the places, each as likely */
      isa_decode(isa_set_default(), data + i, size - i, &insn);
      at = next_random(state) % (count + 1) == 0 ? i : at;
   }
   memmove(data + at + length, data + at, size - at);
   memcpy(data + at, bytes, length);
   return size + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
   uint32_t state = seed;
   size_t made = 0;
   if (next_random(&state) % 2) {
      made = insert_instruction(data, size, max_size, &state);
   }
   return made ? made : LLVMFuzzerMutate(data, size, max_size);
}
