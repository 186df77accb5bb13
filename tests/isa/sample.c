/* SPDX-License-Identifier: MIT
 *
 * Mesa's disassembler test data (mesa_disasm_sample.txt: hex, text), both ways: every line decodes to exactly its
 * text, and encodes back to exactly its bytes when the encoder chooses the form.
 */
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"

struct counts {
   unsigned lines, decoded, encoded;
};

static size_t parse_hex(const char *hex, uint8_t *bytes, size_t limit)
{
   size_t count = 0;
   unsigned byte;
   while (count < limit && sscanf(hex + 2 * count, "%2x", &byte) == 1) {
      bytes[count++] = (uint8_t)byte;
   }
   return count;
}

static void check_line(const char *hex, const char *text, struct counts *counts)
{
   uint8_t bytes[2 * ISA_MAX_LENGTH], encoded[ISA_MAX_LENGTH];
   char printed[256], why[160] = "wrong bytes";
   struct isa_insn insn;
   size_t size = parse_hex(hex, bytes, ISA_MAX_LENGTH);

   counts->lines++;
   memset(bytes + size, 0xff, sizeof(bytes) - size); /* what comes after it must not count */
   isa_decode(isa_set_default(), bytes, sizeof(bytes), &insn);
   isa_print(&insn, ISA_SYNTAX_MESA, printed, sizeof(printed));
   if (insn.length == size && strcmp(printed, text) == 0) {
      counts->decoded++;
   } else {
      printf("%s\n  expected %s\n  decoded  %s (%u bytes)\n", hex, text, printed, insn.length);
   }

   insn.length = 0;
   if (isa_encode(&insn, encoded, why, sizeof(why)) == (int)size && memcmp(encoded, bytes, size) == 0) {
      counts->encoded++;
   } else {
      printf("%s  %s\n  does not encode back: %s\n", hex, text, why);
   }
}

int main(int argc, char **argv)
{
   struct counts counts = {0};
   char line[256], hex[32];
   int text;
   FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

   if (file == NULL) {
      fprintf(stderr, "usage: sample mesa_disasm_sample.txt\n");
      return 1;
   }
   while (fgets(line, sizeof(line), file) != NULL) {
      line[strcspn(line, "\n")] = '\0';
      if (sscanf(line, "%31s %n", hex, &text) == 1) {
         check_line(hex, line + text, &counts);
      }
   }
   fclose(file);
   printf("%u lines: %u decoded, %u encoded back\n", counts.lines, counts.decoded, counts.encoded);
   return counts.lines == 301 && counts.decoded == counts.lines && counts.encoded == counts.lines ? 0 : 1;
}
