/* SPDX-License-Identifier: MIT
 *
 * What --help prints, and the table for who writes completions.
 */
#include <string.h>

#include "agx_runner/options/rows.h"
#include "agx_runner/terminal/runner.h"

#define HELP_COLUMN 30
#define HELP_WIDTH 100

/* Wraps text at HELP_WIDTH. The cursor is in column `indent`, where the next lines begin, too. */
static void print_wrapped(FILE *file, const char *text, size_t indent)
{
   size_t column = indent;

   while (*text != '\0') {
      const size_t word = strcspn(text, " ");

      if (column > indent && column + 1 + word > HELP_WIDTH) {
         fprintf(file, "\n%*s", (int)indent, "");
         column = indent;
      } else if (column > indent) {
         fputc(' ', file);
         column++;
      }
      fprintf(file, "%.*s", (int)word, text);
      column += word;
      text += word + strspn(text + word, " ");
   }
   fputc('\n', file);
}

/* An entry's text, from HELP_COLUMN on: beside its name, which ends in `column`, or below it. */
static void print_entry(FILE *file, const char *text, size_t column)
{
   if (column >= HELP_COLUMN) {
      fputc('\n', file);
      column = 0;
   }
   fprintf(file, "%*s", (int)(HELP_COLUMN - column), "");
   print_wrapped(file, text, HELP_COLUMN);
}

static void help_program(FILE *file)
{
   fputs("Usage: agx-runner COMMAND [OPTION...] [ARGUMENT...]\n"
         "Measures and tests Apple AGX GPUs at driver level, real ones and a virtual one.\n\nCommands\n",
         file);
   for (unsigned i = 0; i < command_count; i++) {
      const int length = fprintf(file, "  %s %s", commands[i].name, commands[i].operands);
      print_entry(file, commands[i].summary, (size_t)length);
   }
   fputs("\nagx-runner COMMAND --help shows a command's options; agx-runner --version the version.\n", file);
}

void options_each(const struct command *command, void (*visit)(void *data, const struct option_view *option),
                  void *data)
{
   for (size_t i = 0; i < option_row_count; i++) {
      const struct option_row *row = &option_rows[i];

      if (row->commands & command->bit) {
         visit(data, &(struct option_view){row->letter, row->name, row->metavar, row->help, row->choices});
      }
   }
}

void options_help(const struct command *command, FILE *file)
{
   if (command == NULL) {
      help_program(file);
      return;
   }
   fprintf(file, "Usage: agx-runner %s [OPTION...]%s%s\n", command->name, *command->operands ? " " : "",
           command->operands);
   const int name = fprintf(file, "%s: ", command->name);
   print_wrapped(file, command->summary, (size_t)name);
   fputs("\nOptions\n", file);
   for (size_t i = 0; i < option_row_count; i++) {
      const struct option_row *row = &option_rows[i];
      char left[64];

      if (!(row->commands & command->bit)) {
         continue;
      }
      const int length =
          snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
                   row->letter ? ", " : "  ", row->name, row->metavar ? " " : "", row->metavar ? row->metavar : "");
      char text[640];

      fputs(left, file);
      snprintf(text, sizeof(text), row->initial != NULL ? "%s [default: %s]" : "%s", row->help, row->initial);
      print_entry(file, text, (size_t)length);
   }
   fputs("\nExit codes: 0 success, 77 skipped, 79 invalid use, 98 failure, 112 aborted, 113 device lost.\n", file);
}
