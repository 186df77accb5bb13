/* SPDX-License-Identifier: MIT
 *
 * Marks instructions in a listing: a line is identified by its address, or by the text of its instruction.
 */
#include "fuzz/slice/marks.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *marks_text(enum marks_kind kind)
{
   static const char *const texts[] = {
       [MARKS_NONE] = "",
       [MARKS_PASS] = ">: not without that pass",
       [MARKS_ONE] = ">: the wrong instruction",
       [MARKS_SOME] = ">: one of these is the wrong instruction",
       [MARKS_REPORTED] = ">: the instruction of the report",
       [MARKS_UNKNOWN] = "which instruction is wrong is not known",
   };

   return texts[kind];
}

/* Returns an instruction without its address and bytes: the text behind the last run of two spaces. */
static const char *instruction_of(const char *line)
{
   const char *at = line;

   for (const char *gap = strstr(line, "  "); gap != NULL; gap = strstr(gap + 1, "  ")) {
      at = gap + 2;
   }
   return at;
}

static bool is_at(const char *line, const struct marks *marks)
{
   if (strncmp(line, MARKS_PREAMBLE, strlen(MARKS_PREAMBLE)) == 0) {
      return false;
   }
   for (uint32_t i = 0; i < marks->count; i++) {
      if (strtoul(line, NULL, 16) == marks->offsets[i]) {
         return true;
      }
   }
   return false;
}

static bool is_in(const char *line, size_t length, const char *code)
{
   char copy[512];

   snprintf(copy, sizeof(copy), "%.*s", (int)length, line);
   return strstr(code, instruction_of(copy)) != NULL;
}

void marks_choose(struct marks *marks, const char *listing)
{
   bool agree = marks->count != 0;

   if (marks->right_code == NULL || marks->right_code[0] == '\0') {
      return;
   }
   for (const char *line = listing, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      agree &= !is_at(line, marks) || !is_in(line, (size_t)(end - line), marks->right_code);
   }
   if (!agree) {
      marks->kind = MARKS_PASS;
      marks->count = 0;
   }
}

static bool is_marked(const struct marks *marks, const char *line)
{
   if (strcmp(line, MARKS_PREAMBLE) == 0) {
      return false;
   }
   if (marks->kind == MARKS_PASS) {
      return strstr(marks->right_code, instruction_of(line)) == NULL;
   }
   return is_at(line, marks);
}

void marks_print(const struct marks *marks, char *listing, char *text, size_t size)
{
   size_t used = 0;
   char *rest = NULL;

   for (char *line = strtok_r(listing, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
      if (strcmp(instruction_of(line), "trap") == 0) {
         continue; /* fills the block behind the end */
      }
      const int length = snprintf(text + used, size - used, "%s %s\n", is_marked(marks, line) ? ">" : " ", line);
      if (length < 0 || (size_t)length >= size - used) {
         text[used] = '\0';
         return;
      }
      used += (size_t)length;
   }
}
