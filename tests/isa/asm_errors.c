/* SPDX-License-Identifier: MIT
 *
 * What is wrong with a text: each error and warning, at its very place.
 */
#include "isa/assembler/asm.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES4(text) text text text text
#define SIXTEEN "0123456789abcdef"

struct expected {
   enum isa_severity severity;
   unsigned line, column;
   const char *message; /* a part of it */
};

static const struct {
   const char *text;
   struct expected expected[4]; /* all of them; closed by one without a message */
} cases[] = {
    /* Statements. */
    {"stop\n  foo r0\n", {{ISA_ERROR, 2, 3, "expected an instruction, a directive or a label, found 'foo'"}}},
    {"stop\n.foo 1\n", {{ISA_ERROR, 2, 1, "expected a directive: .kernel, .workgroup, .registers, "}}},
    {"stop stop\n", {{ISA_ERROR, 1, 6, "one operand too many for stop"}}},
    {"stop\n\001\n", {{ISA_ERROR, 2, 1, "found '\\x01'"}}},
    {"fadd r0, r1\n",
     {{ISA_ERROR, 1, 12,
       "expected a 16- or 32-bit register or uniform, or an 8-bit float immediate, "
       "found the end of the line"}}},
    {"fadd r0, r1,\n", {{ISA_ERROR, 1, 13, "found the end of the line"}}},
    {"fadd r0, r1, r2,\n", {{ISA_ERROR, 1, 17, "expected another operand, found the end of the line"}}},
    {"fadd r0, r1, r2, r3\n", {{ISA_ERROR, 1, 18, "one operand too many for fadd"}}},
    {"fadd r0 r1, r2\n", {{ISA_ERROR, 1, 9, "expected ',' or the end of the line, found 'r1'"}}},
    {"fadd.wide r0, r1, r2\n", {{ISA_ERROR, 1, 5, "a mnemonic takes .long or .short and nothing else"}}},
    {"iadd.long r0, r1, r2\n", {{ISA_ERROR, 1, 1, "iadd has one form only"}}},
    {"fadd.short r64, r1, r2\n", {{ISA_ERROR, 1, 1, "fadd with these operands does not fit 4 bytes"}}},
    {"Fadd r0, r1, r2\n", {{ISA_ERROR, 1, 1, "found 'Fadd'"}}},

    /* All errors of a text, not the first alone. */
    {"fadd r0\nstop\nfmul r0\n",
     {{ISA_ERROR, 1, 8, "found the end of the line"}, {ISA_ERROR, 3, 8, "found the end of the line"}}},

    /* Operands: what there is, and what fits. */
    {"fadd r0, r1, r128\n", {{ISA_ERROR, 1, 14, "there is no 'r128': registers are r0..r127"}}},
    {"fadd r0, r1, dr127\n", {{ISA_ERROR, 1, 14, "there is no 'dr127'"}}},
    {"fadd r0, r1, u256\n", {{ISA_ERROR, 1, 14, "there is no 'u256': uniforms are u0..u255"}}},
    {"fadd r0, r1, u99999999999h\n", {{ISA_ERROR, 1, 14, "there is no 'u99999999999h'"}}},
    {"iadd r0, r1, du4\n",
     {{ISA_ERROR, 1, 14,
       "du4 does not fit: the source of iadd takes a 16-, 32- or 64-bit "
       "register, a 16- or 32-bit uniform, or 0..255"}}},
    {"load r0, du128, 0, i32, x, a\n",
     {{ISA_ERROR, 1, 10,
       "du128 does not fit: the base address of load takes a "
       "64-bit register or uniform: dr0..dr126, du0..du127"}}},
    {"hadd r0, r1l, r2l\n", {{ISA_ERROR, 1, 6, "r0 does not fit: the destination of hadd takes a 16-bit register"}}},
    {"hadd r0l, r1, r2l\n",
     {{ISA_ERROR, 1, 11,
       "r1 does not fit: the source of hadd takes a 16-bit register or "
       "uniform, or an 8-bit float immediate"}}},
    {"csel r0, r1, r2, r3l, r4, ieq\n", {{ISA_ERROR, 1, 18, "as wide as the destination"}}},
    {"fadd r0, r1.sx, r2\n", {{ISA_ERROR, 1, 10, "no modifiers but .abs and .neg"}}},
    {"fadd r0, r1.abs.abs, r2\n", {{ISA_ERROR, 1, 16, "expected a modifier, once each"}}},
    {"iadd r0, r1, 256\n", {{ISA_ERROR, 1, 14, "256 does not fit: legal are 0..255"}}},
    {"iadd r0, r1, -1\n", {{ISA_ERROR, 1, 14, "-1 does not fit: legal are 0..255"}}},
    {"iadd r0, r1, 1.5\n", {{ISA_ERROR, 1, 14, "expected an integer, found a float"}}},
    {"iadd r0, r1, r2, lsl 8\n", {{ISA_ERROR, 1, 22, "8 does not fit: legal are 0..7"}}},
    {"fadd r0, r1, 0.3\n", {{ISA_ERROR, 1, 14, "0.3 is not an 8-bit float"}}},
    {"fadd r0, r1, 32.0\n", {{ISA_ERROR, 1, 14, "32 is not an 8-bit float"}}},
    {"ldimm r0l, 65536\n", {{ISA_ERROR, 1, 12, "65536 does not fit 16 bits: legal are -32768..65535"}}},
    {"ldimm r0, 0x100000000\n", {{ISA_ERROR, 1, 11, "4294967296 does not fit 32 bits"}}},
    {"ldimm r0, 99999999999999999999\n", {{ISA_ERROR, 1, 11, "the number does not fit 64 bits"}}},
    {"load r0_r1, du0, 0, i32, x, a\n",
     {{ISA_ERROR, 1, 6,
       "as many consecutive 16- or 32-bit registers as the mask "
       "has letters"}}},
    {"load r0_r2, du0, 0, i32, xy, a\n", {{ISA_ERROR, 1, 9, "the registers of a list must follow each other"}}},
    {"load r0, du0, 65536, i32, x, a\n", {{ISA_ERROR, 1, 15, "65536 does not fit: legal are -32768..65535"}}},
    {"load r0, du0, 40000, i32, x, a\n", {{ISA_ERROR, 1, 15, "-32768..32767, or 0.zx..65535.zx"}}},
    {"load r0, du0, 0, i33, x, a\n", {{ISA_ERROR, 1, 18, "expected one of i8, i16, i32, f16, u8norm"}}},
    {"load r0, du0, 0, i32, yx, a\n", {{ISA_ERROR, 1, 23, "a mask: letters of xyzw in that order"}}},
    {"load r0, du0, 0, i32, x, c\n", {{ISA_ERROR, 1, 26, "a, b"}}},
    {"mov r0, sr\n", {{ISA_ERROR, 1, 9, "expected a special register: its name, or sr0..sr255; or a 16- or 32-bit"}}},
    {"mov r0, sr1234\n", {{ISA_ERROR, 1, 9, "special register"}}},
    {"mov r0, nosuch\n", {{ISA_ERROR, 1, 9, "found 'nosuch'"}}},
    {"mov u0, 1\n", {{ISA_ERROR, 1, 5, "u0 does not fit: the destination of mov takes a 16- or 32-bit register"}}},
    {"csel r0, r1, r2, r3, r4, foo\n", {{ISA_ERROR, 1, 26, "or a condition: ieq, ult, ugt"}}},
    {"simd r0, r1, foo\n", {{ISA_ERROR, 1, 14, "found 'foo'"}}},
    {"atomic _, r0, du0, 0, addd, a\n", {{ISA_ERROR, 1, 23, "add, sub, xchg, cmpxchg"}}},

    /* Branches and labels. */
    {"jmp_any nowhere\n", {{ISA_ERROR, 1, 9, "label 'nowhere' is not defined"}}},
    {"here: stop\nhere: stop\n", {{ISA_ERROR, 2, 1, "'here' is already defined in line 1"}}},
    {"r0: stop\n", {{ISA_ERROR, 1, 1, "'r0' is a register and can name nothing else"}}},
    {"jmp_any 100\n", {{ISA_ERROR, 1, 1, "the branch goes to byte 100, outside the program's 6 bytes of code"}}},
    {"jmp_any -2\n", {{ISA_ERROR, 1, 1, "the branch goes to byte -2, outside"}}},
    {"jmp_any end\nend:\n", {{ISA_ERROR, 1, 9, "the branch goes to byte 6, outside the program's 6 bytes"}}},
    {"jmp_any 0x80000000\n", {{ISA_ERROR, 1, 9, "2147483648 does not fit: legal are -2147483648..2147483647"}}},
    {"jmp_if_skipping_doorbell far\n.rept 100\nstop\n.endr\nfar: stop\n",
     {{ISA_ERROR, 1, 26, "'far' is 204 bytes away"}}},
    {".constants\nlabel: .byte 1\n.code\nstop\n", {{ISA_ERROR, 2, 1, "a label names a place in the code"}}},
    {".constants\nstop\n", {{ISA_ERROR, 2, 1, "no instruction can stand among the constants"}}},

    /* Expressions. */
    {"ldimm r0, 1 / 0\n", {{ISA_ERROR, 1, 13, "division by zero"}}},
    {"ldimm r0, 1 % 0\n", {{ISA_ERROR, 1, 13, "division by zero"}}},
    {"ldimm r0, 1.0 / 0\n", {{ISA_ERROR, 1, 15, "division by zero"}}},
    {"ldimm r0, 1 << 64\n", {{ISA_ERROR, 1, 13, "a shift must be within 0..63"}}},
    {"ldimm r0, 0x7fffffffffffffff + 1\n", {{ISA_ERROR, 1, 30, "the expression does not fit 64 bits"}}},
    {"ldimm r0, (1 << 63) / -1\n", {{ISA_ERROR, 1, 21, "the expression does not fit 64 bits"}}},
    {"ldimm r0, 1.5 & 1\n", {{ISA_ERROR, 1, 15, "this operator takes integers, not floats"}}},
    {"ldimm r0, ~1.5\n", {{ISA_ERROR, 1, 11, "'~' takes an integer, not a float"}}},
    {"ldimm r0, (1\n", {{ISA_ERROR, 1, 13, "expected ')', found the end of the line"}}},
    {"ldimm r0, 1 + nosuch\n",
     {{ISA_ERROR, 1, 15,
       "expected a number, or a constant that is already defined, found "
       "'nosuch'"}}},
    {"ldimm r0, 0x\n", {{ISA_ERROR, 1, 11, "expected a number: decimal, 0x and hexadecimal"}}},
    {"ldimm r0, 12ab\n", {{ISA_ERROR, 1, 11, "expected a number: decimal"}}},
    {"ldimm r0, 1e999\n", {{ISA_ERROR, 1, 11, "past the range of 64 bits"}}},
    {"ldimm r0, 'ab'\n", {{ISA_ERROR, 1, 11, "expected one character in single quotes"}}},
    {"ldimm r0, '\\q'\n", {{ISA_ERROR, 1, 12, "unknown escape"}}},
    {"fadd r[128], r0, r0\n", {{ISA_ERROR, 1, 6, "there is no 'r[128]'"}}},
    {"fadd r[1, r0, r0\n", {{ISA_ERROR, 1, 9, "expected ']'"}}},

    /* Constants and repetition. */
    {".equ n, 1\n.equ n, 2\nstop\n", {{ISA_ERROR, 2, 6, "'n' is already defined in line 1"}}},
    {".equ r5, 1\nstop\n", {{ISA_ERROR, 1, 6, "'r5' is a register and can name nothing else"}}},
    {".equ 5, 1\nstop\n", {{ISA_ERROR, 1, 6, "expected a name"}}},
    {".equ n\nstop\n", {{ISA_ERROR, 1, 7, "expected ','"}}},
    {"stop\n.rept 2\nstop\n", {{ISA_ERROR, 2, 1, ".rept without .endr"}}},
    {"stop\n.rept 0\nstop\n", {{ISA_ERROR, 2, 1, ".rept without .endr"}}},
    {"stop\n.endr\n", {{ISA_ERROR, 2, 1, ".endr without .rept"}}},
    {"stop\n.rept -1\nfoo\n.endr\n", {{ISA_ERROR, 2, 7, "-1 does not fit: legal are 0..4294967295"}}},
    {"stop\n.rept 2, i\n.rept 2, i\n.endr\n.endr\n", {{ISA_ERROR, 3, 10, "'i' is already defined"}}},
    {"stop\n.rept 1000\nfoo\n.endr\n", {{ISA_ERROR, 3, 1, "found 'foo'"}}},
    {".rept 4000000000\n.rept 4000000000\n.endr\n.endr\nstop\n", {{ISA_ERROR, 1, 1, "this .rept comes to more than"}}},
    {".rept 4000000\n.rept 4000000\n.quad 1, 2, 3, 4, 5, 6, 7, 8\n.endr\n.endr\n",
     {{ISA_ERROR, 3, 1, "more than 16777216 bytes of code"}}},
    {".rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n"
     ".rept 1\n.rept 1\n.rept 1\n.rept 1\n.rept 1\n.endr\n.endr\n.endr\n.endr\n.endr\n.endr\n.endr\n.endr\n.endr\n"
     ".endr\n.endr\n.endr\n.endr\n.endr\n.endr\n.endr\n.endr\nstop\n",
     {{ISA_ERROR, 17, 1, ".rept nested more than 16 deep"}}},

    /* Data. */
    {".byte 256\nstop\n", {{ISA_ERROR, 1, 7, "256 does not fit 8 bits: legal are -128..255"}}},
    {".byte 1.5\nstop\n", {{ISA_ERROR, 1, 7, "a float does not fit 8 bits"}}},
    {".byte\nstop\n", {{ISA_ERROR, 1, 6, "expected a number"}}},
    {".byte 1,\nstop\n", {{ISA_ERROR, 1, 9, "expected a number"}}},
    {".byte 1 2\nstop\n", {{ISA_ERROR, 1, 9, "expected the end of the line, found '2'"}}},

    /* The program's fields. */
    {".registers 257\nstop\n", {{ISA_ERROR, 1, 12, "257 does not fit: legal are 1..256"}}},
    {".registers 4\n.registers 4\nstop\n", {{ISA_ERROR, 2, 1, ".registers is already given in line 1"}}},
    {".workgroup 32, 64\nstop\n", {{ISA_ERROR, 1, 1, "a workgroup of 2048 threads: at most 1024"}}},
    {".workgroup 0\nstop\n", {{ISA_ERROR, 1, 12, "0 does not fit: legal are 1..1024"}}},
    {".kernel name\nstop\n", {{ISA_ERROR, 1, 9, "expected a string in double quotes, found 'name'"}}},
    {".kernel \"name\nstop\n", {{ISA_ERROR, 1, 9, "the string has no closing quote"}}},
    {".kernel \"\\x00\"\nstop\n", {{ISA_ERROR, 1, 9, "a string cannot hold a zero byte"}}},
    {".kernel \"" TIMES4(TIMES4(SIXTEEN)) "\"\nstop\n",
     {{ISA_ERROR, 1, 9, "the string is too long: at most 255 bytes"}}},
    {".uniform 1, 2, arguments\n.argument_bytes 8\nstop\n",
     {{ISA_ERROR, 1, 1, "a uniform range starts at an odd half uniform"}}},
    {".uniform 510, 4, arguments\nstop\n", {{ISA_ERROR, 1, 15, "4 does not fit: legal are 1..2"}}},
    {".uniform 0, 2, nowhere\nstop\n", {{ISA_ERROR, 1, 16, "expected where the uniforms come from"}}},
    {"stop\n.uniform 0, 4, arguments\n", {{ISA_ERROR, 2, 1, "reads past the end of the argument block"}}},
    {".argument_bytes 16\n.uniform 0, 4, arguments\n.uniform 2, 4, arguments\nstop\n",
     {{ISA_ERROR, 3, 1, "two uniform ranges overlap"}}},
    {".argument pointer, \"p\"\nstop\n",
     {{ISA_ERROR, 1, 11, "a kind of argument: buffer, local, value, image, sampler"}}},
    {".argument buffer, \"p\", size=4\nstop\n", {{ISA_ERROR, 1, 1, "a buffer argument is not 8 bytes long"}}},
    {".argument buffer, \"p\", offset=0, offset=8\nstop\n", {{ISA_ERROR, 1, 34, "this is given twice"}}},
    {".argument buffer, \"p\", width=4\nstop\n",
     {{ISA_ERROR, 1, 24, "expected \"type\", offset=, size= or read_only"}}},
    {"stop\n.main\nstop\n.main\nstop\n", {{ISA_ERROR, 4, 1, ".main is already given in line 2"}}},
    {".preamble\nstop\n", {{ISA_ERROR, 1, 1, "a program with a .preamble needs a .main too"}}},
    {".argument_bytes 8\n.argument value, \"a\"\n.argument value, \"b\"\n.argument value, \"c\"\nstop\n",
     {{ISA_ERROR, 4, 1, "an argument does not lie within the argument block"}}},
    {".end main\nstop\n", {{ISA_ERROR, 1, 1, "no .main is open here"}}},
    {".end code\nstop\n", {{ISA_ERROR, 1, 6, "what ends: main or preamble"}}},
    {"", {{ISA_ERROR, 0, 0, "the program has no code"}}},

    /* Warnings. */
    {"load r4, du0, 0, i32, x, a\niadd r5, r4, 1\nstop\n",
     {{ISA_WARNING, 2, 10, "r4 is read before 'wait a': the result of line 1 may still be on its way"}}},
    {"load r4_r5, du0, 0, i32, xy, b\n ldimm r5, 1\nstop\n",
     {{ISA_WARNING, 2, 8, "r5 is overwritten before 'wait b'"}}},
    {"load r4, du0, 0, i32, x, a\nwait b\niadd r5, r4, 1\nstop\n", {{ISA_WARNING, 3, 10, "before 'wait a'"}}},
    {"load r4, du0, 0, i32, x, a\nwait a\niadd r5, r4, 1\nstop\n", {{0}}},
    {"load r4, du0, 0, i32, x, a\nlabel: iadd r5, r4, 1\nstop\n", {{0}}}, /* another basic block */
    {"load r4, du0, 0, i32, x, a\nstop\niadd r5, r4, 1\n", {{0}}},        /* not reached from there */
    {"load r4, du0, 0, i32, x, a\ntrap\niadd r5, r4, 1\n", {{0}}},
    {"load r4, du0, 0, i32, x, a\nret r1\niadd r5, r4, 1\n", {{0}}},
    {"load r4, du0, 0, i32, x, a\njmp_none 14\niadd r5, r4, 1\nstop\n", {{0}}},
    {"load r4l, du0, 0, i16, x, a\niadd r5h, r4h, 1\nstop\n", {{0}}}, /* the other half */
    {"atomic r4, r5, du0, 0, add, a\niadd r5, r5, 1\nstore r4, du0, 0, i32, x, a\nstop\n",
     {{ISA_WARNING, 3, 7, "r4 is read before 'wait a': the result of line 1"}}},
    {"stack_load r4, 0, i32, x, b\nstore r6, dr4, 0, i32, x, a\nstop\n", {{ISA_WARNING, 2, 11, "dr4 is read before"}}},
    {"load r4, du0, 0, i32, x, a\n.rept 3\niadd r5, r4, 1\n.endr\nstop\n", {{ISA_WARNING, 3, 10, "r4 is read"}}},
    {"simd_matrix_fmadd32 r4_r5, r4_r5, r6_r7, r8_r9\nstop\n",
     {{ISA_WARNING, 1, 28, "the matrix destination lies over this source"}}},
    {"simd_matrix_fmadd32 r4_r5, r6_r7, r5_r6, r4_r5\nstop\n",
     {{ISA_WARNING, 1, 35, "the matrix destination lies over this source"}}},
    {"simd_matrix_fmadd32 r4_r5, r6_r7, r8_r9, r5_r6\nstop\n",
     {{ISA_WARNING, 1, 42, "the matrix destination lies over this source"}}},
    {"simd_matrix_fmadd32 r4_r5, r6_r7, r8_r9, r4_r5\nstop\n", {{0}}},
    {"iadd dr3, dr4, 1\nstop\n", {{ISA_WARNING, 1, 6, "dr3 is a register pair at an odd register"}}},
    {"load r0, dr5, 0, i32, x, a\nstop\n", {{ISA_WARNING, 1, 10, "dr5 is a register pair at an odd register"}}},
    {".threadgroup 32768\nstop\n", {{0}}},
    {".threadgroup 32769\nstop\n", {{ISA_WARNING, 1, 1, "32769 bytes of threadgroup memory"}}},
    {".threadgroup 65537\nstop\n", {{ISA_ERROR, 1, 14, "65537 does not fit: legal are 0..65536"}}},
    {"lload r4, 8192, i32, x\nstop\n", {{ISA_WARNING, 1, 11, "byte 32768 is not within the 32768 bytes"}}},
    {"lload r4, 8191, i32, x\nlload r4, r1l, -1, i32, x\nstop\n", {{0}}},
    {".registers 4\niadd r2, r0, r1\nstop\n",
     {{ISA_WARNING, 1, 1,
       "the code uses 6 half registers, .registers gives "
       "it 4"}}},
    {".uniforms 2\nmov r0, u1\nstop\n", {{ISA_WARNING, 1, 1, "the code uses 4 half uniforms"}}},
};

static bool matches(const struct isa_diagnostic *diagnostic, const struct expected *expected)
{
   return diagnostic->severity == expected->severity && diagnostic->line == expected->line &&
          diagnostic->column == expected->column && strstr(diagnostic->message, expected->message) != NULL;
}

static void check_case(const struct isa_asm *assembler, size_t number)
{
   const struct expected *expected = cases[number].expected;
   struct isa_asm_result result;
   bool has_error = false, good = true;
   size_t count = 0;
   int code = isa_asm_program(assembler, cases[number].text, strlen(cases[number].text), &result);

   for (; count < 4 && expected[count].message != NULL; count++) {
      has_error |= expected[count].severity == ISA_ERROR;
      good &= count < result.diagnostic_count && matches(&result.diagnostics[count], &expected[count]);
   }
   good &= count == result.diagnostic_count && (code != 0) == has_error && (result.program == NULL) == has_error;
   if (!good) {
      printf("case %zu:\n%s\n", number, cases[number].text);
      for (size_t i = 0; i < result.diagnostic_count; i++) {
         char text[400];
         isa_diagnostic_print(&result.diagnostics[i], "text", text, sizeof(text));
         printf("   got %s\n", text);
      }
      for (size_t i = 0; i < count; i++) {
         printf("   expected %s %u:%u: %s\n", expected[i].severity == ISA_ERROR ? "error" : "warning", expected[i].line,
                expected[i].column, expected[i].message);
      }
      check_failures++;
   }
   isa_asm_result_finish(&result);
}

/* Many errors end it; many warnings do not, and hide no error. */
static void check_limits(const struct isa_asm *assembler)
{
   struct isa_asm_result result;
   size_t size = 0;
   char *text = malloc(1 << 20);

   CHECK(text != NULL, "out of memory");
   for (unsigned i = 0; i < 10000 && text != NULL; i++) {
      size += (size_t)sprintf(text + size, "foo%u\n", i);
   }
   CHECK(isa_asm_program(assembler, text, size, &result) != 0, "10000 errors assemble");
   CHECK(result.errors == ISA_ASM_DIAGNOSTICS_MAX && result.diagnostic_count == ISA_ASM_DIAGNOSTICS_MAX &&
             result.diagnostics[result.diagnostic_count - 1].line == ISA_ASM_DIAGNOSTICS_MAX &&
             strstr(result.diagnostics[result.diagnostic_count - 1].message, "too many errors") != NULL,
         "10000 errors do not end at the limit");
   isa_asm_result_finish(&result);

   size = 0;
   for (unsigned i = 0; i < 10000 && text != NULL; i++) {
      size += (size_t)sprintf(text + size, "iadd dr3, dr4, 1\n");
   }
   size += (size_t)sprintf(text + size, "foo\n");
   CHECK(isa_asm_program(assembler, text, size, &result) != 0, "an error after many warnings is lost");
   CHECK(result.warnings == 10000 && result.errors == 1 && result.diagnostic_count == ISA_ASM_DIAGNOSTICS_MAX + 1 &&
             result.diagnostics[ISA_ASM_DIAGNOSTICS_MAX].line == 10001,
         "warnings and errors are not counted apart");
   isa_asm_result_finish(&result);
   free(text);
}

/* A text past the limit is refused unread: there are no 4 GiB behind this pointer. */
static void check_sizes(const struct isa_asm *assembler)
{
   struct isa_asm_result result;
   char zeros[4096] = {0};

   CHECK(isa_asm_program(assembler, zeros, (size_t)4 << 30, &result) != 0 && result.errors == 1 &&
             strstr(result.diagnostics[0].message, "a text of 4294967296 bytes") != NULL,
         "a 4 GiB text is not refused");
   isa_asm_result_finish(&result);
   CHECK(isa_asm_program(assembler, zeros, sizeof(zeros), &result) != 0 && result.errors == 1 &&
             result.diagnostics[0].line == 1 && result.diagnostics[0].column == 1,
         "a text of zeros is not refused");
   isa_asm_result_finish(&result);
}

/* Neither long lines nor skipped ones make a repetition outlast its limit. */
static void check_repeated(void)
{
   const struct isa_asm_options options = {.repeated_max = 1000};
   static const char *const starts[] = {".rept 100\n#", ".rept 100\n.rept 0\n", ".rept 1\n.rept 1\n"};
   static const char *const ends[] = {"\n.endr\nstop\n", "\n.endr\n.endr\nstop\n", "\n.endr\n.endr\nstop\n"};
   static const char fills[] = {'x', '\n', ' '};
   static const bool runs_away[] = {true, true, false};
   struct isa_asm *assembler = isa_asm_create(&options);

   for (size_t i = 0; i < 3 && assembler != NULL; i++) {
      struct isa_asm_result result;
      char text[8192], middle[6400];
      memset(middle, fills[i], sizeof(middle));
      int size = snprintf(text, sizeof(text), "%s%.*s%s", starts[i], (int)sizeof(middle), middle, ends[i]);
      CHECK((isa_asm_program(assembler, text, (size_t)size, &result) != 0) == runs_away[i] &&
                (!runs_away[i] || strstr(result.diagnostics[0].message, "comes to more than 1000 lines") != NULL),
            "what a repetition comes to");
      isa_asm_result_finish(&result);
   }
   isa_asm_destroy(assembler);
}

/* Constants from outside: what cannot be a name, and a label of the same name. */
static void check_defines(void)
{
   const struct isa_asm_define defines[] = {{"r5", 1}, {"N", 2}, {"5", 3}};
   const struct isa_asm_options options = {.defines = defines, .define_count = 3};
   const char *text = "N: stop\n";
   struct isa_asm *assembler = isa_asm_create(&options);
   struct isa_asm_result result = {0};

   CHECK(assembler != NULL && isa_asm_program(assembler, text, strlen(text), &result) != 0 && result.errors == 3,
         "bad names from outside are taken");
   if (result.diagnostic_count == 3) {
      CHECK(strcmp(result.diagnostics[0].message, "'r5' cannot name a constant") == 0 &&
                strcmp(result.diagnostics[1].message, "'5' cannot name a constant") == 0 &&
                strcmp(result.diagnostics[2].message, "'N' is a constant given from outside") == 0 &&
                result.diagnostics[2].line == 1 && result.diagnostics[2].column == 1,
            "what is said of names from outside");
   }
   isa_asm_result_finish(&result);
   isa_asm_destroy(assembler);
}

/* Lines by themselves. */
static void check_lines(const struct isa_asm *assembler)
{
   static const struct {
      const char *text;
      unsigned column;
      const char *message;
   } lines[] = {
       {"jmp_any label", 9, "a line by itself has no labels"},
       {"label: stop", 1, "expected an instruction"},
       {".rept 2", 1, "expected an instruction or .byte"},
       {".byte 1 2", 9, "expected the end of the line"},
       {".byte "
        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,1,2,3,4,5,6,7,8,9,10,11,12,"
        "13,14,15,16,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
        1, "more than 64 bytes in one line"},
       {"stop 5", 6, "one operand too many"},
   };
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;

   for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
      int size = isa_asm_line(assembler, lines[i].text, strlen(lines[i].text), bytes, &wrong);
      if (size >= 0 || wrong.line != 1 || wrong.column != lines[i].column ||
          strstr(wrong.message, lines[i].message) == NULL) {
         printf("%s: %d, column %u: %s\n", lines[i].text, size, wrong.column, size < 0 ? wrong.message : "");
         check_failures++;
      }
   }
   CHECK(isa_asm_line(assembler, "  // nothing", 12, bytes, &wrong) == 0, "an empty line has bytes");
   CHECK(isa_asm_line(assembler, "stop", 4, bytes, &wrong) == 2 && bytes[0] == 0x88 && bytes[1] == 0, "stop");
   CHECK(isa_asm_line(assembler, ".byte 1, 0xff", 13, bytes, &wrong) == 2 && bytes[0] == 1 && bytes[1] == 0xff,
         ".byte 1, 0xff");
}

int main(void)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   size_t count = sizeof(cases) / sizeof(cases[0]);

   if (assembler == NULL) {
      printf("no memory\n");
      return 1;
   }
   for (size_t i = 0; i < count; i++) {
      check_case(assembler, i);
   }
   check_limits(assembler);
   check_sizes(assembler);
   check_repeated();
   check_defines();
   check_lines(assembler);
   isa_asm_destroy(assembler);
   printf("%zu texts, %u failures\n", count, check_failures);
   return check_result();
}
