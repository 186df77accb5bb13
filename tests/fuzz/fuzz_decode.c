/* SPDX-License-Identifier: MIT
 *
 * Any bytes as machine code: the walk ends, each instruction's text assembles to its bytes and its operands encode to
 * them.
 */
#include "isa/assembler/asm.h"
#include "isa/isa.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_instruction(const struct isa_asm *assembler, const struct isa_insn *insn)
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   char text[256], why[160];
   struct isa_diagnostic wrong;

   int encoded = isa_encode(insn, bytes, why, sizeof(why));
   FUZZ_REQUIRE(encoded == insn->length && memcmp(bytes, insn->bytes, insn->length) == 0);

   int length = isa_print(insn, ISA_SYNTAX_APPLEGPU, text, sizeof(text));
   FUZZ_REQUIRE(length > 0 && length < (int)sizeof(text));
   length = isa_print(insn, ISA_SYNTAX_MESA, text, sizeof(text));
   FUZZ_REQUIRE(length > 0 && length < (int)sizeof(text));
   int assembled = isa_asm_line(assembler, text, (size_t)length, bytes, &wrong);
   FUZZ_REQUIRE(assembled == insn->length && memcmp(bytes, insn->bytes, insn->length) == 0);
   FUZZ_REQUIRE(isa_timing_class(insn) < ISA_TIMING_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct isa_asm *assembler; /* made once: no input changes it */
   struct isa_insn insn;

   if (assembler == NULL) {
      assembler = isa_asm_create(NULL);
   }
   FUZZ_REQUIRE(assembler != NULL);
   for (size_t at = 0; at < size; at += insn.length) {
      isa_decode(isa_set_default(), data + at, size - at, &insn);
      FUZZ_REQUIRE(insn.length >= 1 && insn.length <= size - at && insn.length <= ISA_MAX_LENGTH);
      check_instruction(assembler, &insn);
   }
   return 0;
}
