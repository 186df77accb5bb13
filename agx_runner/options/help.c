/* SPDX-License-Identifier: MIT
 *
 * What --help prints, from the tables of the commands.
 */
#include "agx_runner/options/options.h"

#include <string.h>

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

void options_help_program(const struct command *const *commands, size_t count, FILE *file)
{
   fputs("Usage: agx-runner COMMAND [OPTION...] [ARGUMENT...]\n"
         "Measures and tests Apple AGX GPUs at driver level, real ones and a virtual one.\n\nCommands\n",
         file);
   for (size_t i = 0; i < count; i++) {
      const int length = fprintf(file, "  %s %s", commands[i]->name, commands[i]->operands);
      print_entry(file, commands[i]->summary, (size_t)length);
   }
   fputs("\nagx-runner COMMAND --help shows a command's options; agx-runner --version the version.\n", file);
}

/* "text, csv (a row for each result) or json" */
static void list_formats(const struct output_formats *formats, char *text, size_t size)
{
   const struct output_offer *offer;
   size_t length = 0;

   for (size_t i = 0; (offer = output_offer_at(formats, i)) != NULL && length < size; i++) {
      const char *before = i == 0 ? "" : output_offer_at(formats, i + 1) == NULL ? " or " : ", ";
      const bool remark = offer->remark != NULL;

      length += (size_t)snprintf(text + length, size - length, "%s%s%s%s%s", before, output_format_names[offer->format],
                                 remark ? " (" : "", remark ? offer->remark : "", remark ? ")" : "");
   }
}

const char *option_help(const struct option_info *option, char text[OPTION_FORMATS_TEXT])
{
   if (option->help != NULL) {
      return option->help;
   }
   list_formats(option->formats, text, OPTION_FORMATS_TEXT);
   return text;
}

static void print_option(const struct option_info *option, FILE *file)
{
   char left[64], formats[OPTION_FORMATS_TEXT], text[640];
   const int length = snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", option->letter ? '-' : ' ',
                               option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
                               option->metavar ? " " : "", option->metavar ? option->metavar : "");

   fputs(left, file);
   snprintf(text, sizeof(text), option->initial != NULL ? "%s [default: %s]" : "%s", option_help(option, formats),
            option->initial);
   print_entry(file, text, (size_t)length);
}

void options_help(const struct command *command, FILE *file)
{
   struct option_list list;

   options_list(command, &list);
   fprintf(file, "Usage: agx-runner %s [OPTION...]%s%s\n", command->name, *command->operands ? " " : "",
           command->operands);
   const int name = fprintf(file, "%s: ", command->name);
   print_wrapped(file, command->summary, (size_t)name);
   fputs("\nOptions\n", file);
   for (size_t i = 0; i < list.count; i++) {
      print_option(list.rows[i].option, file);
   }
   fputs("\nExit codes: 0 success, 77 skipped, 79 invalid use, 98 failure, 112 aborted, 113 device lost.\n", file);
}
