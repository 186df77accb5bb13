/* SPDX-License-Identifier: MIT
 *
 * .agx is the one file form of a program: random programs -> text -> the same fields and bytes, and the same text
 * again. Their code is instructions of all rows, branches that go to instructions, into them and out of the program,
 * and bytes that are no instruction.
 */
#include "isa/assembler/asm.h"
#include "isa/table.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 3000

static uint64_t state = UINT64_C(0x2545f4914f6cdd1d);

static uint32_t pick(uint32_t count)
{
   state ^= state << 13; /* xorshift64 */
   state ^= state >> 7;
   state ^= state << 17;
   return (uint32_t)(state >> 32) % count;
}

static void fill_random(void *data, size_t size)
{
   for (size_t i = 0; i < size; i++) {
      ((uint8_t *)data)[i] = (uint8_t)pick(256);
   }
}

/* Any bytes but the zero that ends it. */
static void make_name(char *name, size_t size)
{
   size_t length = pick((uint32_t)size);
   for (size_t i = 0; i < length; i++) {
      name[i] = (char)(pick(4) != 0 ? 'a' + pick(26) : 1 + pick(255));
   }
   name[length] = '\0';
}

/* ---- Code ---- */

static const struct isa_opcode *rows[512];
static uint32_t row_count;

static size_t put_instruction(uint8_t *code, size_t room)
{
   const struct isa_opcode *row = rows[pick(row_count)];
   struct isa_code covered =
       isa_covered(isa_set_default(), row, row->long_length != 0 ? row->long_length : row->length);
   uint8_t bytes[ISA_MAX_LENGTH], noise[ISA_MAX_LENGTH];
   struct isa_insn insn;

   fill_random(noise, sizeof(noise));
   for (unsigned i = 0; i < ISA_MAX_LENGTH; i++) {
      uint8_t mask = (uint8_t)(i < 8 ? row->mask >> (8 * i) : 0);
      uint8_t match = (uint8_t)(i < 8 ? row->match >> (8 * i) : 0);
      uint8_t free_bits = (uint8_t)(i < 8 ? covered.low >> (8 * i) : covered.high >> (8 * (i - 8)));
      bytes[i] = (uint8_t)((match & ~(free_bits & ~mask)) | (noise[i] & free_bits & ~mask));
   }
   isa_decode(isa_set_default(), bytes, sizeof(bytes), &insn);
   if (isa_is_branch(&insn)) {
      char why[160];
      insn.mod[ISA_MOD_TARGET] = (int32_t)pick(200) - 100;
      isa_encode(&insn, bytes, why, sizeof(why));
   }
   size_t length = insn.length < room ? insn.length : room; /* perhaps cut short */
   memcpy(code, bytes, length);
   return length;
}

static void make_code(uint8_t *code, size_t size)
{
   for (size_t at = 0; at < size;) {
      if (pick(16) == 0) {
         code[at++] = (uint8_t)pick(256);
      } else {
         at += put_instruction(code + at, size - at);
      }
   }
}

/* ---- Programs ---- */

static void make_sections(struct agx_program *program)
{
   uint32_t size = 2 * (1 + pick(300));
   uint32_t other = 2 * (1 + pick(300));
   uint32_t gap = (size + 127) / 128 * 128 + 128 * pick(2);
   bool first = pick(2) != 0;

   program->has_preamble = pick(2) != 0;
   program->main_offset = program->has_preamble && !first ? gap : 128 * (pick(4) == 0);
   program->main_size = program->has_preamble && !first ? other : size;
   if (program->has_preamble) {
      program->main_offset = first ? 0 : gap;
      program->preamble_offset = first ? gap : 0;
      program->preamble_size = first ? other : size;
      program->preamble_half_registers = (uint16_t)(1 + pick(256));
   }
   uint32_t end = program->main_offset + program->main_size;
   uint32_t preamble_end = program->preamble_offset + program->preamble_size;
   end = preamble_end > end ? preamble_end : end;
   program->code_size = end + (pick(2) == 0 ? pick(100) : 0);
}

static bool make_arrays(struct agx_program *program)
{
   program->argument_bytes = 4 * (1 + pick(64));
   program->argument_count = pick(8);
   program->uniform_count = pick(5);
   program->constants_size = pick(3) == 0 ? 0 : 4 + pick(70);
   program->code = malloc(program->code_size);
   program->arguments = calloc(program->argument_count + 1, sizeof(*program->arguments));
   program->uniforms = calloc(program->uniform_count + 1, sizeof(*program->uniforms));
   program->constants = malloc(program->constants_size + 1);
   return program->code != NULL && program->arguments != NULL && program->uniforms != NULL &&
          program->constants != NULL;
}

static void make_uniform(const struct agx_program *program, struct agx_uniform_range *range, unsigned index)
{
   *range = (struct agx_uniform_range){.start = (uint16_t)(index * 100), .source = pick(5)};
   switch (range->source) {
   case AGX_UNIFORM_ARGUMENTS:
      range->size = (uint16_t)(1 + pick(2));
      range->offset = 4 * pick(program->argument_bytes / 4);
      break;
   case AGX_UNIFORM_CONSTANTS:
      if (program->constants_size < 4) {
         range->source = AGX_UNIFORM_DISPATCH;
      }
      range->size = 2;
      break;
   case AGX_UNIFORM_DISPATCH:
      range->size = (uint16_t)(1 + pick(16));
      range->offset = 4 * pick(8);
      break;
   default:
      range->size = 4;
      break;
   }
}

static void make_argument(const struct agx_program *program, struct agx_argument *argument)
{
   argument->kind = pick(AGX_ARGUMENT_KINDS);
   argument->size = argument->kind == AGX_ARGUMENT_BUFFER ? 8 : 1 + pick(program->argument_bytes);
   if (argument->size > program->argument_bytes) {
      argument->kind = AGX_ARGUMENT_VALUE;
      argument->size = 1;
   }
   argument->offset = pick(program->argument_bytes - argument->size + 1);
   argument->read_only = pick(2) != 0;
   make_name(argument->name, sizeof(argument->name));
   make_name(argument->type, sizeof(argument->type));
}

static struct agx_program *make_program(void)
{
   struct agx_program *program = agx_program_create();
   if (program == NULL) {
      return NULL;
   }
   make_sections(program);
   if (!make_arrays(program)) {
      agx_program_destroy(program);
      return NULL;
   }
   make_name(program->name, sizeof(program->name));
   make_code(program->code, program->code_size);
   fill_random(program->constants, program->constants_size);
   for (unsigned i = 0; i < program->uniform_count; i++) {
      make_uniform(program, &program->uniforms[i], i);
   }
   for (unsigned i = 0; i < program->argument_count; i++) {
      make_argument(program, &program->arguments[i]);
   }
   program->half_registers = (uint16_t)(1 + pick(256));
   program->uniform_halves = (uint16_t)pick(AGX_UNIFORM_HALVES + 1);
   program->threadgroup_bytes = pick(2) == 0 ? pick(32769) : 0;
   program->scratch_bytes = pick(2) == 0 ? pick(UINT32_MAX) : 0;
   program->preamble_scratch_bytes = pick(2) == 0 ? pick(UINT32_MAX) : 0;
   if (pick(2) == 0) {
      program->workgroup_size[0] = 1 + pick(32);
      program->workgroup_size[1] = 1 + pick(8);
      program->workgroup_size[2] = 1 + pick(4);
   }
   program->uses_atomics = pick(2) != 0;
   return program;
}

/* ---- Comparison ---- */

static const char *difference(const struct agx_program *a, const struct agx_program *b)
{
#define SAME(field)                                                                                                    \
   do {                                                                                                                \
      if (memcmp(&a->field, &b->field, sizeof(a->field)) != 0) {                                                       \
         return #field;                                                                                                \
      }                                                                                                                \
   } while (0)
#define SAME_TEXT(x, y, field)                                                                                         \
   do {                                                                                                                \
      if (strcmp((x)->field, (y)->field) != 0) {                                                                       \
         return #field;                                                                                                \
      }                                                                                                                \
   } while (0)
   SAME(code_size);
   SAME(main_offset);
   SAME(main_size);
   SAME(has_preamble);
   SAME(preamble_offset);
   SAME(preamble_size);
   SAME(half_registers);
   SAME(preamble_half_registers);
   SAME(uniform_halves);
   SAME(uniform_count);
   SAME(constants_size);
   SAME(argument_bytes);
   SAME(argument_count);
   SAME(threadgroup_bytes);
   SAME(scratch_bytes);
   SAME(preamble_scratch_bytes);
   SAME(workgroup_size);
   SAME(uses_atomics);
   SAME_TEXT(a, b, name);
   if (memcmp(a->code, b->code, a->code_size) != 0) {
      return "code";
   }
   if (a->constants_size != 0 && memcmp(a->constants, b->constants, a->constants_size) != 0) {
      return "constants";
   }
   for (size_t i = 0; i < a->uniform_count; i++) {
      SAME(uniforms[i].start);
      SAME(uniforms[i].size);
      SAME(uniforms[i].source);
      SAME(uniforms[i].offset);
   }
   for (size_t i = 0; i < a->argument_count; i++) {
      SAME(arguments[i].kind);
      SAME(arguments[i].offset);
      SAME(arguments[i].size);
      SAME(arguments[i].read_only);
      SAME_TEXT(&a->arguments[i], &b->arguments[i], name);
      SAME_TEXT(&a->arguments[i], &b->arguments[i], type);
   }
   return agx_program_hash(a) == agx_program_hash(b) ? NULL : "hash";
}

static void fail(const char *what, const char *detail, const char *text)
{
   printf("%s: %s\n%s\n", what, detail, text);
   check_failures++;
}

static void check_again(const struct isa_asm *assembler, const struct agx_program *program, const char *text)
{
   size_t size;
   char *again = isa_program_text(assembler, program, &size);
   if (again == NULL || strcmp(again, text) != 0) {
      fail("the text is not a fixpoint", again == NULL ? "no memory" : again, text);
   }
   free(again);
}

static void check_program(const struct isa_asm *assembler, const struct agx_program *program)
{
   struct isa_asm_result result;
   size_t size;
   char *text = isa_program_text(assembler, program, &size);

   if (text == NULL) {
      fail("no text", "no memory", "");
      return;
   }
   if (isa_asm_program(assembler, text, size, &result) != 0) {
      const struct isa_diagnostic *first = result.diagnostics;
      char message[400];
      while (first->severity != ISA_ERROR) {
         first++;
      }
      isa_diagnostic_print(first, "text", message, sizeof(message));
      fail("the text does not assemble", message, text);
   } else {
      const char *field = difference(program, result.program);
      if (field != NULL) {
         fail("another program", field, text);
      }
      check_again(assembler, result.program, text);
   }
   isa_asm_result_finish(&result);
   free(text);
}

int main(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   size_t bytes = 0;

   for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row != NULL && row_count < 512;
        row = isa_next_row(isa_set_default(), row)) {
      rows[row_count++] = row;
   }
   for (unsigned i = 0; i < PROGRAMS && assembler != NULL && check_failures < 3; i++) {
      struct agx_program *program = make_program();
      const char *wrong = program == NULL ? "no memory" : agx_program_check(program);
      if (wrong != NULL) {
         fail("program", wrong, "the test makes programs that are none");
      } else {
         check_program(assembler, program);
         bytes += program->code_size;
      }
      agx_program_destroy(program);
   }
   isa_asm_destroy(assembler);
   printf("%d programs, %zu bytes of code, %u failures\n", PROGRAMS, bytes, check_failures);
   return check_failures != 0 || bytes == 0;
}
