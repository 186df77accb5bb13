/* SPDX-License-Identifier: MIT
 *
 * Parses a command line with getopt_long(). The command's table says what there is: nothing here names an option.
 */
#include "agx_runner/options/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/suggest.h"

/* ---- The rows of a command ---- */

static const struct option_info help_option = {
    .letter = 'h', .name = "help", .kind = KIND_HELP, .help = "show this and stop"};
static const struct option_info version_option = {
    .name = "version", .kind = KIND_VERSION, .help = "show the version and stop"};

static void list_rows(const struct option_row *rows, size_t base, struct option_list *list)
{
   for (; rows->option != NULL || rows->group != NULL; rows++) {
      if (rows->group != NULL) {
         list_rows(rows->group, base + rows->field, list);
      } else if (list->count < OPTIONS_MAX) {
         list->rows[list->count++] = (struct option_row){rows->option, base + rows->field, NULL};
      }
   }
}

void options_list(const struct command *command, struct option_list *list)
{
   static const struct option_row last[] = {{&help_option, 0, NULL}, {&version_option, 0, NULL}, {NULL, 0, NULL}};

   list->count = 0;
   list_rows(command->rows, 0, list);
   list_rows(last, 0, list);
}

const char *option_choice(const struct option_info *option, size_t index)
{
   if (option->kind == KIND_FORMAT) {
      const struct output_offer *offer = output_offer_at(option->formats, index);

      return offer != NULL ? output_format_names[offer->format] : NULL;
   }
   return option->kind == KIND_CHOICE ? option->choices[index] : NULL;
}

/* ---- The command line ---- */

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
   char letters[2 * OPTIONS_MAX + 3];
   struct option options[OPTIONS_MAX + 1];
};
#define ROW_BASE 256

static void make_tables(const struct command *command, const struct option_list *list, struct getopt_tables *tables)
{
   char *letter = tables->letters;

   if (command->starts_program) {
      *letter++ = '+'; /* getopt stops at the first operand */
   }
   *letter++ = ':';
   for (size_t i = 0; i < list->count; i++) {
      const struct option_info *option = list->rows[i].option;
      const bool takes = option->metavar != NULL;

      tables->options[i] =
          (struct option){option->name, takes ? required_argument : no_argument, NULL, ROW_BASE + (int)i};
      if (option->letter != 0) {
         *letter++ = option->letter;
         if (takes) {
            *letter++ = ':';
         }
      }
   }
   *letter = '\0';
   tables->options[list->count] = (struct option){0};
}

/* By getopt's value: a letter, or a number from ROW_BASE on. */
static const struct option_row *find_row(const struct option_list *list, int value)
{
   for (size_t i = 0; i < list->count; i++) {
      if (value == ROW_BASE + (int)i || (value != 0 && value == list->rows[i].option->letter)) {
         return &list->rows[i];
      }
   }
   return NULL;
}

/* The names that begin with a word's "--name": ", "-separated. */
static void list_meant(const struct option_list *options, const char *word, char *list, size_t size)
{
   const size_t length = strcspn(word, "=") - 2;
   unsigned left = 0;

   for (size_t i = 0; i < options->count; i++) {
      left += !strncmp(options->rows[i].option->name, word + 2, length);
   }
   *list = '\0';
   for (size_t i = 0; i < options->count && left > 0; i++) {
      const char *name = options->rows[i].option->name;
      const size_t used = strlen(list);

      if (!strncmp(name, word + 2, length)) {
         left--;
         snprintf(list + used, size - used, "--%s%s", name, left > 1 ? ", " : left == 1 ? " or " : "");
      }
   }
}

static void suggest_option(const struct option_list *list, const char *word, char text[SUGGEST_TEXT])
{
   char asked[64];
   struct suggestion meant = {.word = asked};

   text[0] = '\0';
   if (strncmp(word, "--", 2) != 0) {
      return;
   }
   snprintf(asked, sizeof(asked), "%.*s", (int)strcspn(word + 2, "="), word + 2);
   for (size_t i = 0; i < list->count; i++) {
      suggest_offer(&meant, list->rows[i].option->name, strlen(list->rows[i].option->name));
   }
   if (meant.best[0] != '\0') {
      snprintf(text, SUGGEST_TEXT, ": did you mean '--%s'?", meant.best);
   }
}

/* Why getopt_long() gave `value`. It leaves in optopt the letter, of a long option that it knows the row, else 0. */
static int misunderstood(const struct command *command, const struct option_list *list, char **argv, int value)
{
   const char *word = argv[optind - 1];
   const struct option_row *row = optopt != 0 ? find_row(list, optopt) : NULL;
   const char letter[] = {'-', (char)optopt, '\0'};
   char meant[256] = "";

   if (optopt > 0 && optopt < ROW_BASE) {
      word = letter;
   } else if (row == NULL) {
      list_meant(list, word, meant, sizeof(meant));
   }
   if (value == ':') {
      return complain(EXIT_INVALID, "%s: '%s' needs a value (agx-runner %s --help)", command->name, word,
                      command->name);
   }
   if (row != NULL || meant[0] != '\0') {
      return complain(EXIT_INVALID, "%s: '%s': it %s%s (agx-runner %s --help)", command->name, word,
                      row != NULL ? "takes no value" : "may be ", meant, command->name);
   }
   suggest_option(list, word, meant);
   return complain(EXIT_INVALID, "%s: unknown option '%s'%s (agx-runner %s --help)", command->name, word, meant,
                   command->name);
}

/* A filter without FILE reads standard input, unless somebody would have to type it. */
static int add_stdin(const struct command *command, struct string_list *operands)
{
   if (isatty(STDIN_FILENO)) {
      return complain(EXIT_INVALID, "%s: FILE is missing, and standard input is a terminal (agx-runner %s --help)",
                      command->name, command->name);
   }
   return string_list_add(operands, "-") ? OPTIONS_RUN : complain(EXIT_FAILED, "out of memory");
}

static int check_operands(const struct command *command, struct string_list *operands)
{
   if (operands->count == 0 && command->reads_input) {
      return add_stdin(command, operands);
   }
   if (operands->count < command->operands_min) {
      const char *missing = command->operands;

      for (size_t i = 0; i < operands->count; i++) {
         missing += strcspn(missing, " ");
         missing += strspn(missing, " ");
      }
      return complain(EXIT_INVALID, "%s: %.*s is missing (agx-runner %s --help)", command->name,
                      (int)strcspn(missing, " "), missing, command->name);
   }
   if (operands->count > command->operands_max) {
      return complain(EXIT_INVALID, "%s: '%s' is one argument too many (agx-runner %s --help)", command->name,
                      operands->items[command->operands_max], command->name);
   }
   return OPTIONS_RUN;
}

static int apply(const struct command *command, const struct option_row *row, const char *text, void *options)
{
   if (row->option->kind == KIND_HELP) {
      options_help(command, stdout);
      return EXIT_OK;
   }
   return row->option->kind == KIND_VERSION ? OPTIONS_VERSION : options_set(row, text, options);
}

/* Defaults: of the row, and of the environment. */
static int set_initial(const struct option_list *list, void *options)
{
   int code = OPTIONS_RUN;

   for (size_t i = 0; i < list->count && code == OPTIONS_RUN; i++) {
      const struct option_info *option = list->rows[i].option;
      const char *value = option->variable != NULL ? getenv(option->variable) : NULL;

      value = value == NULL || value[0] == '\0' ? option->initial : value;
      code = value != NULL ? options_set(&list->rows[i], value, options) : OPTIONS_RUN;
   }
   return code;
}

int options_parse(const struct command *command, int argc, char **argv, void *options)
{
   struct command_line *line = options;
   struct getopt_tables tables;
   struct option_list list;
   int value;

   memset(options, 0, command->size);
   line->argc = argc;
   line->argv = argv;
   line->text = join(argc, argv);
   if (line->text == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   options_list(command, &list);
   int code = set_initial(&list, options);
   if (code != OPTIONS_RUN) {
      return code;
   }
   optind = 0; /* getopt starts anew: a resumed run parses twice */
   make_tables(command, &list, &tables);
   opterr = 0;
   while ((value = getopt_long(argc, argv, tables.letters, tables.options, NULL)) != -1) {
      if (value == '?' || value == ':') {
         return misunderstood(command, &list, argv, value);
      }
      code = apply(command, find_row(&list, value), optarg, options);
      if (code != OPTIONS_RUN) {
         return code;
      }
   }
   for (int i = optind; i < argc; i++) {
      if (!string_list_add(&line->operands, argv[i])) {
         return complain(EXIT_FAILED, "out of memory");
      }
   }
   return check_operands(command, &line->operands);
}

void options_finish(const struct command *command, void *options)
{
   struct command_line *line = options;
   struct option_list list;

   options_list(command, &list);
   for (size_t i = 0; i < list.count; i++) {
      if (list.rows[i].option->kind == KIND_LIST) {
         string_list_finish((struct string_list *)(void *)((char *)options + list.rows[i].field));
      }
   }
   string_list_finish(&line->operands);
   free(line->text);
   memset(options, 0, command->size);
}
