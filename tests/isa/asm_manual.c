/* SPDX-License-Identifier: MIT
 *
 * docs/agx-assembly.5.scd: each example (a block between lines of ```) assembles without a warning, and each directive
 * has its place in an example and a paragraph of its own.
 */
#include "isa/assembler/asm.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FENCE "```"

static char *read_file(const char *path)
{
   FILE *file = fopen(path, "r");
   char *text = calloc(1, 1 << 20);
   if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0) {
      free(text);
      text = NULL;
   }
   if (file != NULL) {
      fclose(file);
   }
   return text;
}

static void check_example(const struct isa_asm *assembler, const char *text, size_t size)
{
   struct isa_asm_result result;
   isa_asm_program(assembler, text, size, &result);
   if (result.diagnostic_count != 0) {
      printf("%.*s", (int)size, text);
      check_failures++;
   }
   for (size_t i = 0; i < result.diagnostic_count; i++) {
      char line[400];
      isa_diagnostic_print(&result.diagnostics[i], "example", line, sizeof(line));
      printf("%s\n", line);
   }
   isa_asm_result_finish(&result);
}

/* Returns how many there are; what they hold is added to `all`. */
static unsigned check_examples(const struct isa_asm *assembler, const char *page, char *all)
{
   unsigned count = 0;
   for (const char *start = strstr(page, FENCE "\n"); start != NULL; start = strstr(start, FENCE "\n")) {
      start += strlen(FENCE "\n");
      const char *end = strstr(start, FENCE "\n");
      if (end == NULL) {
         printf("an example has no end\n");
         check_failures++;
         break;
      }
      check_example(assembler, start, (size_t)(end - start));
      strncat(all, start, (size_t)(end - start));
      start = end + strlen(FENCE "\n");
      count++;
   }
   return count;
}

/* The assembler itself says which directives there are. */
static unsigned check_directives(const struct isa_asm *assembler, const char *page, const char *examples)
{
   struct isa_asm_result result;
   unsigned count = 0;

   isa_asm_program(assembler, ".\n", 2, &result);
   char *names = result.errors == 1 ? strchr(result.diagnostics[0].message, '.') : NULL;
   for (char *name = names == NULL ? NULL : strtok(names, ", "); name != NULL && *name == '.';
        name = strtok(NULL, ", ")) {
      char heading[64], use[64];
      snprintf(heading, sizeof(heading), "*%s*", name);
      snprintf(use, sizeof(use), "%s", name);
      if (strstr(page, heading) == NULL || strstr(examples, use) == NULL) {
         printf("%s is not explained, or has no example\n", name);
         check_failures++;
      }
      count++;
   }
   isa_asm_result_finish(&result);
   return count;
}

int main(int argc, char **argv)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   char *page = argc == 2 ? read_file(argv[1]) : NULL;
   char *examples = calloc(1, 1 << 20);

   if (assembler == NULL || page == NULL || examples == NULL) {
      printf("cannot read the page\n");
      return 1;
   }
   unsigned count = check_examples(assembler, page, examples);
   unsigned directives = check_directives(assembler, page, examples);
   free(page);
   free(examples);
   isa_asm_destroy(assembler);
   printf("%u examples, %u directives, %u failures\n", count, directives, check_failures);
   return check_failures != 0 || count < 10 || directives < 20;
}
