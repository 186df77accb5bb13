/* SPDX-License-Identifier: MIT
 *
 * What the language means: expressions against C's own, floats against all values there are, and the program that each
 * directive makes.
 */
#include "isa/assembler/asm.h"
#include "tests/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL, with all diagnostics printed, when it does not assemble. */
static struct agx_program *assemble_with(const struct isa_asm_options *options, const char *text)
{
   struct isa_asm *assembler = isa_asm_create(options);
   struct isa_asm_result result = {0};
   if (assembler != NULL) {
      isa_asm_program(assembler, text, strlen(text), &result);
   }
   for (size_t i = 0; i < result.diagnostic_count && result.program == NULL; i++) {
      char line[400];
      isa_diagnostic_print(&result.diagnostics[i], "text", line, sizeof(line));
      printf("%s\n", line);
   }
   struct agx_program *program = result.program;
   result.program = NULL;
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
   return program;
}

static struct agx_program *assemble(const char *text)
{
   struct agx_program *program = assemble_with(NULL, text);
   if (program == NULL) {
      printf("does not assemble:\n%s\n", text);
      check_failures++;
      exit(1);
   }
   return program;
}

/* ---- Data: numbers and expressions ---- */

/* The text's data, as constants: code has an even number of bytes. */
static void check_bytes(const char *text, const void *bytes, size_t size)
{
   char whole[512];
   snprintf(whole, sizeof(whole), ".constants\n%s\n.code\nstop\n", text);
   struct agx_program *program = assemble(whole);
   if (program->constants_size != size || memcmp(program->constants, bytes, size) != 0) {
      printf("%s: got", text);
      for (size_t i = 0; i < program->constants_size && i < 64; i++) {
         printf(" %02x", program->constants[i]);
      }
      printf("\n");
      check_failures++;
   }
   agx_program_destroy(program);
}

/* As C writes them, without the parentheses that make them plain. */
#pragma GCC diagnostic ignored "-Wparentheses"
static void check_expressions(void)
{
#define C(expression)                                                                                                  \
   {                                                                                                                   \
#expression, (int64_t)(expression)                                                                               \
   }
   static const struct {
      const char *text;
      int64_t value;
   } expressions[] = {
       C(1 + 2 * 3),
       C((1 + 2) * 3),
       C(10 - 4 - 3),
       C(10 - (4 - 3)),
       C(10 - 4 + 3),
       C(100 / 7 / 2),
       C(100 / 7 * 2),
       C(-100 / 7),
       C(-100 % 7),
       C(7 - -3),
       C(1 << 4 + 1),
       C(0xff00 >> 4 & 0xff),
       C(1 | 2 ^ 3 & 6),
       C(1 < 2 == 2 > 1),
       C(3 <= 3 && 4 >= 5 || 1 != 1),
       C(!0 + !5),
       C(~0x0f & 0xff),
       C(+5 - +5),
       C('a' + '\n' - '\0'),
       C('\x41' + '\\' - '\''),
       C(1.5 < 2),
       C(2.0 == 2),
       C(0x7fffffffffffffff),
       C(1 && 2 | 0),
       C(5 > 4 > 3),
       C(10 - 2 * 3),
       C(2 * 3 - 1),
       C(64 - 2 >> 1),
       C(8 | 1 && 0),
       C(1 == 3 & 2),
       C(0xFaAf09 + 0xfF),
       C(5 << 0),
       C('\xAf' - '\xF0'),
   };
   char text[256];
   for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
      snprintf(text, sizeof(text), ".quad %s", expressions[i].text);
      check_bytes(text, &expressions[i].value, 8);
   }
   check_bytes(".quad 0b1011, 0xffffffffffffffff, 18446744073709551615", (const uint64_t[]){11, UINT64_MAX, UINT64_MAX},
               24);
   check_bytes(".byte 1;2", (const uint8_t[]){1}, 1);
   check_bytes(".byte -128, 255, 'z'\n.half -32768, 65535\n.word -1",
               (const uint8_t[]){0x80, 0xff, 'z', 0, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 11);
}

static void check_floats(void)
{
   static const double values[] = {0.1, 3.14159, 1e-3, 2.5e7, 16777217.0, 0.3333333333333333, 123456.789, 1e-40};
   char text[64];
   for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
      float single = (float)values[i];
      snprintf(text, sizeof(text), ".word %.17e", values[i]);
      check_bytes(text, &single, 4);
      snprintf(text, sizeof(text), ".quad -%.17e", values[i]);
      double negative = -values[i];
      check_bytes(text, &negative, 8);
   }
}

static double half_value(unsigned half)
{
   unsigned exponent = half >> 10 & 31, mantissa = half & 0x3ff;
   return exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, (int)exponent - 25);
}

/* Every binary16 from its decimal digits, and the middle to the next one, which goes to the even one. */
static void check_halves(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   for (unsigned half = 0; half < 0x7c00 && assembler != NULL; half++) {
      double middle = (half_value(half) + (half == 0x7bff ? 65536.0 : half_value(half + 1))) / 2;
      unsigned even = half % 2 == 0 ? half : half + 1;
      uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
      struct isa_diagnostic wrong;
      char text[96];
      int length = snprintf(text, sizeof(text), ".half %.17e, %.17e", half_value(half), middle);
      int size = isa_asm_line(assembler, text, (size_t)length, bytes, &wrong);
      if (size != 4 || (bytes[0] | bytes[1] << 8) != (int)half || (bytes[2] | bytes[3] << 8) != (int)even) {
         printf("%s: not 0x%04x, 0x%04x\n", text, half, even);
         check_failures++;
      }
   }
   isa_asm_destroy(assembler);
   check_bytes(".half -1.5, -0.0, 1e9", (const uint16_t[]){0xbe00, 0x8000, 0x7c00}, 6);
}

/* All 256 immediates of float operations by their decimal digits: spec/isa.md 3.1. */
static void check_minifloats(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   for (unsigned bits = 0; bits < 256 && assembler != NULL; bits++) {
      char text[64];
      uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
      struct isa_diagnostic wrong;
      struct isa_insn insn;
      int length = snprintf(text, sizeof(text), "fadd r0, r1, %.10f", (double)isa_minifloat((uint8_t)bits));
      int size = isa_asm_line(assembler, text, (size_t)length, bytes, &wrong);
      if (size > 0) {
         isa_decode(isa_set_default(), bytes, (size_t)size, &insn);
      }
      if (size <= 0 || insn.src[1].kind != ISA_FLOAT_IMM || insn.src[1].value != (int)bits) {
         printf("%s: not immediate 0x%02x\n", text, bits);
         check_failures++;
      }
   }
   isa_asm_destroy(assembler);
}

/* ---- Constants, repetition, labels ---- */

static void check_repetition(void)
{
   check_bytes(".equ n, 3\n.rept n, i\n.byte i\n.rept i, k\n.byte 0x10 * i + k\n.endr\n.endr",
               (const uint8_t[]){0, 1, 0x10, 2, 0x20, 0x21}, 6);
   check_bytes(".rept 0\n.rept 5\n.byte 1\n.endr\nanything goes\n.endr\n.byte 2", (const uint8_t[]){2}, 1);
   check_bytes(".rept 2 == 2\n.byte 3\n.endr // x\n", (const uint8_t[]){3}, 1);
   check_bytes(".equ a, 1\n.equ a, 1\n.equ b, a + 0.5\n.byte a, b == 1.5", (const uint8_t[]){1, 1}, 2);
   check_bytes("\r\n.byte 1 // one\r\n; nothing\r\n\t# nothing\r\n.byte 2", (const uint8_t[]){1, 2}, 2);
}

static void check_defines(void)
{
   const struct isa_asm_define defines[] = {{"N", 7}, {"M", -1}};
   const struct isa_asm_options options = {.defines = defines, .define_count = 2};
   struct agx_program *program = assemble_with(&options, ".equ N, 1\n.equ K, N + 1\n.byte N, M, K, 0");
   CHECK(program != NULL && program->code_size == 4 && memcmp(program->code, "\x07\xff\x08", 4) == 0,
         "a constant from outside does not win");
   agx_program_destroy(program);
}

static void check_labels(void)
{
   struct agx_program *program = assemble("a: b: stop\n jmp_any a\n jmp_none c\nc: call b\nstop\n");
   static const struct {
      size_t at;
      int32_t distance;
   } branches[] = {{2, -2}, {8, 6}, {14, -14}};
   for (size_t i = 0; i < 3; i++) {
      struct isa_insn insn;
      isa_decode(program->set, program->code + branches[i].at, program->code_size - branches[i].at, &insn);
      CHECK(isa_is_branch(&insn) && insn.mod[ISA_MOD_TARGET] == branches[i].distance, "a branch goes elsewhere");
   }
   agx_program_destroy(program);
}

static void check_forms(void)
{
   const struct isa_asm_options options = {.long_forms = true};
   struct agx_program *program = assemble("ldimm r0, 1\nldimm.long r0, 1\nldimm.short r0, 1\nstop");
   CHECK(program->code_size == 6 + 8 + 6 + 2, "lengths of the forms");
   agx_program_destroy(program);
   program = assemble_with(&options, "ldimm r0, 1\nldimm.long r0, 1\nldimm.short r0, 1\nstop");
   CHECK(program != NULL && program->code_size == 8 + 8 + 6 + 2, "lengths with long forms");
   agx_program_destroy(program);
}

/* ---- The program ---- */

static void check_defaults(void)
{
   struct agx_program *program = assemble(".argument value, \"a\"\n.argument buffer, \"b\", \"int *\"\n"
                                          ".argument value, \"c\", size=2\n.argument value, \"d\", size=12\n"
                                          ".uniform 8, 2, dispatch, 32\n"
                                          "atomic _, r10, du0, 0, cmpxchg, a\nmov r3h, u6l\nstop");
   CHECK(program->half_registers == 24, "a compare-and-exchange reads two registers");
   CHECK(program->uniform_halves == 13, "uniforms that are named");
   CHECK(program->uses_atomics, "device atomics");
   CHECK(program->argument_count == 4 && program->arguments[1].offset == 8 && program->arguments[2].offset == 16 &&
             program->arguments[3].offset == 20 && program->argument_bytes == 32,
         "where arguments go");
   CHECK(program->main_offset == 0 && program->main_size == program->code_size && !program->has_preamble,
         "all code is the main program");
   agx_program_destroy(program);

   program = assemble("call 6\nstop\n");
   CHECK(program->half_registers == 4, "a call writes r1");
   agx_program_destroy(program);

   program = assemble(".uniform 8, 4, dispatch, 32\nstop");
   CHECK(program->uniform_halves == 12 && program->half_registers == 1 && !program->uses_atomics,
         "uniforms that are filled");
   agx_program_destroy(program);
}

static void check_sections(void)
{
   static const uint8_t filled[] = {0x88, 0x00, 0x08, 0x00, 0x08, 0x00};
   struct agx_program *program =
       assemble(".preamble\nldimm r7, 1\nmov u20, r7\nstop\n.end preamble\n.main\nmov r2, u1\n"
                "stop\n.end main\ntrap");
   CHECK(program->has_preamble && program->preamble_offset == 0 && program->preamble_size == 16 &&
             program->preamble_half_registers == 16,
         "the preamble");
   CHECK(program->main_offset == 128 && program->main_size == 8 && program->code_size == 138 &&
             program->half_registers == 6 && program->uniform_halves == 42,
         "the main program");
   CHECK(memcmp(program->code + 14, filled, sizeof(filled)) == 0, "what fills the gap");
   agx_program_destroy(program);

   program = assemble(".main\nstop\n.preamble\nstop\nstop\n");
   CHECK(program->main_size == 128 && program->preamble_offset == 128 && program->preamble_size == 4,
         "a section without .end");
   agx_program_destroy(program);
}

int main(void)
{
   check_expressions();
   check_floats();
   check_halves();
   check_minifloats();
   check_repetition();
   check_defines();
   check_labels();
   check_forms();
   check_defaults();
   check_sections();
   printf("%u failures\n", check_failures);
   return check_result();
}
