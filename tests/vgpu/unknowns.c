/* SPDX-License-Identifier: MIT
 *
 * docs/unknowns.md and the instruction table name the same doubts: an instruction that the document lists has a note in
 * its row, and what a row's note calls unknown is listed there.
 *
 *   unknowns docs/unknowns.md
 */
#include "isa/table.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 256u

struct names {
   char list[MAX_NAMES][64];
   unsigned count;
};

/* Names in backticks of the first column of each table row. */
static void read_names(FILE *file, struct names *names)
{
   char line[2048];
   while (fgets(line, sizeof(line), file)) {
      char *end = line[0] == '|' ? strchr(line + 1, '|') : NULL;
      for (char *at = line; end && (at = strchr(at, '`')) && at < end;) {
         size_t length = strcspn(at + 1, "`");
         if (names->count < MAX_NAMES && length < sizeof(names->list[0])) {
            memcpy(names->list[names->count], at + 1, length);
            names->list[names->count++][length] = 0;
         }
         at += length + 2;
      }
   }
}

static bool matches(const struct isa_opcode *row, const char *name)
{
   return fnmatch(name, row->name, 0) == 0 || (row->applegpu && fnmatch(name, row->applegpu, 0) == 0);
}

/* A listed name needs a row with a note. */
static unsigned check_listed(const struct names *names)
{
   unsigned wrong = 0;
   for (unsigned i = 0; i < names->count; i++) {
      bool noted = false;
      for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row;
           row = isa_next_row(isa_set_default(), row)) {
         noted |= matches(row, names->list[i]) && row->note;
      }
      if (!noted) {
         printf("%s: listed, but no row of that name has a note\n", names->list[i]);
         wrong++;
      }
   }
   return wrong;
}

/* A row that can run in a compute program and has a note must be listed. */
static unsigned check_noted(const struct names *names)
{
   unsigned wrong = 0;
   for (const struct isa_opcode *row = isa_next_row(isa_set_default(), NULL); row;
        row = isa_next_row(isa_set_default(), row)) {
      bool listed = !row->note || row->flags & ISA_FLAG_GRAPHICS || strstr(row->note, "helper program");
      for (unsigned i = 0; i < names->count && !listed; i++) {
         listed = matches(row, names->list[i]);
      }
      if (!listed) {
         printf("%s (%s): \"%s\", and not listed\n", row->name, row->applegpu ? row->applegpu : "", row->note);
         wrong++;
      }
   }
   return wrong;
}

int main(int argc, char **argv)
{
   static struct names names;
   FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
   if (!file) {
      fprintf(stderr, "usage: unknowns docs/unknowns.md\n");
      return 1;
   }
   read_names(file, &names);
   fclose(file);
   printf("%u names\n", names.count);
   return names.count < 20 || check_listed(&names) + check_noted(&names) > 0;
}
