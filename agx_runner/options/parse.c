/* SPDX-License-Identifier: MIT
 *
 * Parses a command line with getopt_long(). The option table says what there is: nothing here names an option.
 */
#include "agx_runner/cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/options/rows.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/suggest.h"

/* Words joined by spaces, for the record. */
static char *join(int argc, char **argv)
{
   size_t size = sizeof("agx-runner");

   for (int i = 0; i < argc; i++) {
      size += strlen(argv[i]) + 1;
   }
   char *line = malloc(size);
   if (line == NULL) {
      return NULL;
   }
   char *end = stpcpy(line, "agx-runner");
   for (int i = 0; i < argc; i++) {
      *end++ = ' ';
      end = stpcpy(end, argv[i]);
   }
   return line;
}

/* getopt's tables for one command. A row's number is its `val`, above all letters. */
struct getopt_tables {
   char letters[2 * OPTION_ROWS_MAX + 3];
   struct option options[OPTION_ROWS_MAX + 1];
};
#define ROW_BASE 256

static void make_tables(const struct command *command, struct getopt_tables *tables)
{
   char *letter = tables->letters;
   size_t count = 0;

   if (command->bit & COMMAND_WITH_DEVICE) {
      *letter++ = '+'; /* what follows the first operand belongs to the program that is started */
   }
   *letter++ = ':';
   for (size_t i = 0; i < option_row_count; i++) {
      const bool takes = option_rows[i].metavar != NULL;

      if (!(option_rows[i].commands & command->bit)) {
         continue;
      }
      tables->options[count++] =
          (struct option){option_rows[i].name, takes ? required_argument : no_argument, NULL, ROW_BASE + (int)i};
      if (option_rows[i].letter != 0) {
         *letter++ = option_rows[i].letter;
         if (takes) {
            *letter++ = ':';
         }
      }
   }
   *letter = '\0';
   tables->options[count] = (struct option){0};
}

/* Commands may give a letter, or a long name, a meaning of their own. */
static const struct option_row *find_row(const struct command *command, int value)
{
   for (size_t i = 0; i < option_row_count; i++) {
      const bool ours = option_rows[i].commands & command->bit;

      if (value == ROW_BASE + (int)i || (ours && value == option_rows[i].letter && value != 0)) {
         return &option_rows[i];
      }
   }
   return NULL;
}

/* The names that begin with a word's "--name": ", "-separated. */
static void list_meant(const struct command *command, const char *word, char *list, size_t size)
{
   const size_t length = strcspn(word, "=") - 2;
   unsigned left = 0;

   for (size_t i = 0; i < option_row_count; i++) {
      left += (option_rows[i].commands & command->bit) && !strncmp(option_rows[i].name, word + 2, length);
   }
   *list = '\0';
   for (size_t i = 0; i < option_row_count && left > 0; i++) {
      const size_t used = strlen(list);

      if ((option_rows[i].commands & command->bit) && !strncmp(option_rows[i].name, word + 2, length)) {
         left--;
         snprintf(list + used, size - used, "--%s%s", option_rows[i].name, left > 1 ? ", " : left == 1 ? " or " : "");
      }
   }
}

static void suggest_option(const struct command *command, const char *word, char text[SUGGEST_TEXT])
{
   char asked[64];
   struct suggestion meant = {.word = asked};

   text[0] = '\0';
   if (strncmp(word, "--", 2) != 0) {
      return;
   }
   snprintf(asked, sizeof(asked), "%.*s", (int)strcspn(word + 2, "="), word + 2);
   for (size_t i = 0; i < option_row_count; i++) {
      if (option_rows[i].commands & command->bit) {
         suggest_offer(&meant, option_rows[i].name, strlen(option_rows[i].name));
      }
   }
   if (meant.best[0] != '\0') {
      snprintf(text, SUGGEST_TEXT, ": did you mean '--%s'?", meant.best);
   }
}

/* Why getopt_long() gave `value`. It leaves in optopt the letter, of a long option that it knows the row, else 0. */
static int misunderstood(const struct command *command, char **argv, int value)
{
   const char *word = argv[optind - 1];
   const struct option_row *row = optopt != 0 ? find_row(command, optopt) : NULL;
   const char letter[] = {'-', (char)optopt, '\0'};
   char meant[256] = "";

   if (optopt > 0 && optopt < ROW_BASE) {
      word = letter;
   } else if (row == NULL) {
      list_meant(command, word, meant, sizeof(meant));
   }
   if (value == ':') {
      return complain(EXIT_INVALID, "%s: '%s' needs a value (agx-runner %s --help)", command->name, word,
                      command->name);
   }
   if (row != NULL || meant[0] != '\0') {
      return complain(EXIT_INVALID, "%s: '%s': it %s%s (agx-runner %s --help)", command->name, word,
                      row != NULL ? "takes no value" : "may be ", meant, command->name);
   }
   suggest_option(command, word, meant);
   return complain(EXIT_INVALID, "%s: unknown option '%s'%s (agx-runner %s --help)", command->name, word, meant,
                   command->name);
}

/* A filter without FILE reads standard input, unless somebody would have to type it. */
static int add_stdin(const struct command *command, struct options *options)
{
   if (isatty(STDIN_FILENO)) {
      return complain(EXIT_INVALID, "%s: FILE is missing, and standard input is a terminal (agx-runner %s --help)",
                      command->name, command->name);
   }
   return string_list_add(&options->operands, "-") ? OPTIONS_RUN : complain(EXIT_FAILED, "out of memory");
}

static int check_operands(const struct command *command, struct options *options)
{
   if (options->operands.count == 0 && (command->bit & (COMMAND_ASM | COMMAND_DISASM))) {
      return add_stdin(command, options);
   }
   if (options->operands.count < command->operands_min) {
      const char *missing = command->operands;

      for (size_t i = 0; i < options->operands.count; i++) {
         missing += strcspn(missing, " ");
         missing += strspn(missing, " ");
      }
      return complain(EXIT_INVALID, "%s: %.*s is missing (agx-runner %s --help)", command->name,
                      (int)strcspn(missing, " "), missing, command->name);
   }
   if (options->operands.count > command->operands_max) {
      return complain(EXIT_INVALID, "%s: '%s' is one argument too many (agx-runner %s --help)", command->name,
                      options->operands.items[command->operands_max], command->name);
   }
   return OPTIONS_RUN;
}

static int apply(const struct command *command, const struct option_row *row, const char *text, struct options *options)
{
   if (row->kind == KIND_HELP) {
      options_help(command, stdout);
      return EXIT_OK;
   }
   return row->kind == KIND_VERSION ? command_version(stdout) : options_set(row, text, options);
}

int options_parse(const struct command *command, int argc, char **argv, struct options *options)
{
   struct getopt_tables tables;
   int value;

   *options = (struct options){.argc = argc, .argv = argv};
   for (size_t i = 0; i < option_row_count; i++) {
      const struct option_row *row = &option_rows[i];
      const int code = row->initial != NULL ? options_set(row, row->initial, options) : OPTIONS_RUN;

      if (code != OPTIONS_RUN) {
         return code;
      }
   }
   const char *device = getenv("AGX_RUNNER_DEVICE");
   if (device != NULL && device[0] != '\0') {
      options->run.device = device;
   }
   optind = 0; /* getopt starts anew: a resumed run parses twice */
   options->command_line = join(argc, argv);
   if (options->command_line == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   make_tables(command, &tables);
   opterr = 0;
   while ((value = getopt_long(argc, argv, tables.letters, tables.options, NULL)) != -1) {
      if (value == '?' || value == ':') {
         return misunderstood(command, argv, value);
      }
      int code = apply(command, find_row(command, value), optarg, options);
      if (code != OPTIONS_RUN) {
         return code;
      }
   }
   for (int i = optind; i < argc; i++) {
      if (!string_list_add(&options->operands, argv[i])) {
         return complain(EXIT_FAILED, "out of memory");
      }
   }
   return check_operands(command, options);
}

void options_finish(struct options *options)
{
   for (size_t i = 0; i < option_row_count; i++) {
      if (option_rows[i].kind == KIND_LIST) {
         string_list_finish((struct string_list *)(void *)((char *)options + option_rows[i].field));
      }
   }
   string_list_finish(&options->operands);
   free((void *)options->command_line);
   *options = (struct options){0};
}

int options_forward(const struct command *command, const struct options *options, struct string_list *words)
{
   for (size_t i = 0; i < option_row_count; i++) {
      const struct option_row *row = &option_rows[i];

      if ((row->commands & command->bit) && !row->stays && !options_words(row, options, words)) {
         return complain(EXIT_FAILED, "out of memory");
      }
   }
   return EXIT_OK;
}

void options_forward_finish(struct string_list *words)
{
   for (size_t i = 0; i < words->count; i++) {
      free((void *)words->items[i]);
   }
   string_list_finish(words);
}
