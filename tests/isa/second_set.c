/* SPDX-License-Identifier: MIT
 *
 * Two instruction sets side by side (second_set.h): decoder, encoder, listing, counts, assembler and program text
 * follow the set that they are given, and leave the other one alone. Bytes and texts are written out by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/assembler/asm.h"
#include "isa/listing.h"
#include "tests/isa/second_set.h"
#include "tests/check.h"

/* ret r5 and halt of the second set, with an instruction between them that both sets have. */
static const uint8_t code[] = {0x94, 0x00, 0x00, 0x0a, 0x38, 0x00, 0x88, 0x5a};
static const char listed[] = "   ret      r5\n   wait     a\n   halt\n";

static void check_decoding(void)
{
   struct isa_insn insn;
   uint8_t bytes[ISA_MAX_LENGTH];
   char why[160];

   isa_decode(&second_set, code, sizeof(code), &insn);
   CHECK(insn.row == second_ret && insn.length == 4 && insn.src[0].value == 10, "ret is not decoded");
   CHECK(isa_encode(&insn, bytes, why, sizeof(why)) == 4 && memcmp(bytes, code, 4) == 0, "ret is not encoded");
   isa_decode(isa_set_default(), code, sizeof(code), &insn);
   CHECK(insn.row != second_ret && insn.length == 2, "the default set has the other one's ret");
   isa_decode(&second_set, code + 6, 2, &insn);
   CHECK(isa_flow(&insn) == ISA_FLOW_STOP && !strcmp(isa_name(&insn), "halt"), "halt is not decoded");
   isa_decode(isa_set_default(), code + 6, 2, &insn);
   CHECK(insn.row == NULL, "the default set has the other one's halt");
   isa_decode(&second_set, (const uint8_t[]){0x88, 0x00}, 2, &insn);
   CHECK(insn.row == NULL, "the second set has the default's stop");
}

static void check_listing(void)
{
   const struct isa_listing_options options = {.plain = true};
   struct isa_stats stats;
   char *text = NULL, line[64];
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   CHECK(file != NULL && isa_list(&second_set, code, sizeof(code), &options, file) == 0, "no listing");
   fclose(file);
   if (strcmp(text, listed) != 0) {
      printf("%s", text);
      CHECK(false, "another listing");
   }
   free(text);
   CHECK(isa_count(&second_set, code, sizeof(code), &stats) == 0 && stats.instructions == 3, "counted");
   CHECK(isa_count(isa_set_default(), code, sizeof(code), &stats) == 0 && stats.unknown_bytes > 0, "counted as AGX2");
   isa_print_exact(&second_set, code + 6, 2, ISA_SYNTAX_MESA, line, sizeof(line));
   CHECK(!strcmp(line, "halt"), "halt is not printed");
}

static void check_assembling(void)
{
   const struct isa_asm_options options = {.set = &second_set};
   struct isa_asm *second = isa_asm_create(&options), *first = isa_asm_create(NULL);
   struct isa_asm_result result;
   struct isa_diagnostic wrong;
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   size_t size;

   CHECK(isa_asm_line(second, "halt", 4, bytes, &wrong) == 2 && bytes[1] == 0x5a, "halt is not assembled");
   CHECK(isa_asm_line(second, "stop", 4, bytes, &wrong) < 0, "the second set's assembler takes stop");
   CHECK(isa_asm_line(first, "halt", 4, bytes, &wrong) < 0, "the default's assembler takes halt");
   CHECK(isa_asm_program(second, listed, strlen(listed), &result) == 0, "no program");
   if (result.program != NULL) {
      CHECK(result.program->set == &second_set, "the program does not name its set");
      CHECK(memcmp(result.program->code, code, sizeof(code)) == 0, "other bytes");
      struct agx_program *copy = agx_program_copy(result.program);
      char *text = copy != NULL ? isa_program_text(second, copy, &size) : NULL;
      CHECK(text != NULL && strstr(text, "halt") != NULL && strstr(text, ".byte") == NULL, "the program's text");
      free(text);
      agx_program_destroy(copy);
   }
   isa_asm_result_finish(&result);
   isa_asm_destroy(first);
   isa_asm_destroy(second);
}

/* Each row once, in both sets. */
static void check_rows(void)
{
   unsigned first = 0, second = 0, changed = 0;

   for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row != NULL;
        row = isa_next_row(isa_set_default(), row)) {
      first++;
   }
   for (const struct isa_opcode *row = isa_next_row(&second_set, NULL); row != NULL;
        row = isa_next_row(&second_set, row)) {
      second++;
      changed += row == &second_stop[0] || row == &second_stop[1] || row == second_ret;
   }
   CHECK(first == second && changed == 3, "the rows of the second set");
   CHECK(isa_set_find("agx2") == isa_set_default() && isa_set_find("agx9") == NULL, "sets by name");
}

int main(void)
{
   second_set_init();
   check_decoding();
   check_listing();
   check_assembling();
   check_rows();
   return check_result();
}
