/* SPDX-License-Identifier: MIT
 *
 * Mesa's disassembler test data, backwards: each line's text assembles to its bytes, on its own and all of them as one
 * program. Lines that only vertex and fragment programs hold are counted apart; they must assemble too.
 */
#include "isa/assembler/asm.h"
#include "isa/listing.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_line(const struct isa_asm *assembler, unsigned number, const char *text, const uint8_t *want,
                       int want_size)
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   int size = isa_asm_line(assembler, text, strlen(text), bytes, &wrong);

   if (size < 0) {
      printf("line %u: %s: column %u: %s\n", number, text, wrong.column, wrong.message);
      check_failures++;
   } else if (size != want_size || memcmp(bytes, want, (size_t)size) != 0) {
      printf("line %u: %s: got", number, text);
      for (int i = 0; i < size; i++) {
         printf(" %02x", bytes[i]);
      }
      printf("\n");
      check_failures++;
   }
}

int main(int argc, char **argv)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
   char line[512];
   unsigned lines = 0;

   if (assembler == NULL || file == NULL) {
      printf("cannot open the sample\n");
      return 1;
   }
   while (fgets(line, sizeof(line), file) != NULL) {
      uint8_t want[ISA_MAX_LENGTH];
      size_t column;
      char *text = strchr(line, ' ');
      lines++;
      line[strcspn(line, "\n")] = '\0';
      if (text == NULL) {
         printf("line %u: no text\n", lines);
         check_failures++;
         continue;
      }
      *text++ = '\0';
      int size = isa_parse_hex(line, want, sizeof(want), &column);
      if (size < 0) {
         printf("line %u: no hex\n", lines);
         check_failures++;
         continue;
      }
      check_line(assembler, lines, text, want, size);
   }
   fclose(file);
   isa_asm_destroy(assembler);
   printf("%u lines, %u failures\n", lines, check_failures);
   return check_failures != 0 || lines != 301;
}
