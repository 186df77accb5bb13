/* SPDX-License-Identifier: MIT
 *
 * Any bytes as assembly text: no crash, no hang, bounded memory; and what assembles is the same program after
 * disassembling and assembling again. Each line is assembled by itself too.
 */
#include "isa/assembler/asm.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_again(const struct isa_asm *assembler, const struct agx_program *program)
{
   struct isa_asm_result again;
   size_t size;
   char *text = isa_program_text(assembler, program, &size);

   FUZZ_REQUIRE(text != NULL);
   FUZZ_REQUIRE(isa_asm_program(assembler, text, size, &again) == 0);
   FUZZ_REQUIRE(again.program->code_size == program->code_size &&
                memcmp(again.program->code, program->code, program->code_size) == 0);
   FUZZ_REQUIRE(agx_program_hash(again.program) == agx_program_hash(program));
   FUZZ_REQUIRE(strcmp(again.program->name, program->name) == 0);
   isa_asm_result_finish(&again);
   free(text);
}

static void check_lines(const struct isa_asm *assembler, const char *text, size_t size)
{
   while (size != 0) {
      const char *newline = memchr(text, '\n', size);
      size_t length = newline == NULL ? size : (size_t)(newline - text);
      uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
      struct isa_diagnostic wrong;
      int result = isa_asm_line(assembler, text, length, bytes, &wrong);
      FUZZ_REQUIRE(result <= ISA_ASM_LINE_BYTES_MAX);
      FUZZ_REQUIRE(result >= 0 || (wrong.column >= 1 && wrong.column <= length + 1));
      size -= newline == NULL ? size : length + 1;
      text += length + 1;
   }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct isa_asm *assembler; /* made once: no input changes it */
   const struct isa_asm_options options = {.code_max = 4096, .repeated_max = 256, .diagnostics_max = 8};
   struct isa_asm_result result;

   if (assembler == NULL) {
      assembler = isa_asm_create(&options);
   }
   FUZZ_REQUIRE(assembler != NULL);
   int code = isa_asm_program(assembler, (const char *)data, size, &result);
   FUZZ_REQUIRE((code == 0) == (result.program != NULL) && (code == 0) == (result.errors == 0));
   FUZZ_REQUIRE(result.diagnostic_count <= 16);
   if (result.program != NULL && agx_program_check(result.program) == NULL) {
      check_again(assembler, result.program);
   }
   isa_asm_result_finish(&result);
   if (size != 0) {
      check_lines(assembler, (const char *)data, size);
   }
   return 0;
}
