/* SPDX-License-Identifier: MIT
 *
 * completion: scripts with which bash and zsh complete a command line, from the tables of --help.
 */
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/terminal/runner.h"

static void each_option(const struct command *command, void (*visit)(void *data, const struct option_info *option),
                        void *data)
{
   struct option_list list;

   options_list(command, &list);
   for (size_t i = 0; i < list.count; i++) {
      visit(data, list.rows[i].option);
   }
}

/* "json csv ..." */
static void write_choices(const struct option_info *option, FILE *file)
{
   for (size_t i = 0; option_choice(option, i) != NULL; i++) {
      fprintf(file, "%s%s", i > 0 ? " " : "", option_choice(option, i));
   }
}

/* Does the value name a file? */
static bool takes_file(const struct option_info *option)
{
   return option->metavar != NULL &&
          (strstr(option->metavar, "FILE") != NULL || strstr(option->metavar, "DIR") != NULL ||
           strstr(option->metavar, "PROGRAM") != NULL);
}

static void bash_name(void *data, const struct option_info *option)
{
   FILE *file = data;

   fprintf(file, " --%s", option->name);
   if (option->letter != 0) {
      fprintf(file, " -%c", option->letter);
   }
}

static void bash_value(void *data, const struct option_info *option)
{
   FILE *file = data;

   if (option->metavar == NULL) {
      return;
   }
   fputs("      ", file);
   if (option->letter != 0) {
      fprintf(file, "-%c|", option->letter);
   }
   fprintf(file, "--%s) ", option->name);
   if (option_choice(option, 0) != NULL) {
      fputs("COMPREPLY=($(compgen -W '", file);
      write_choices(option, file);
      fputs("' -- \"$cur\"))", file);
   } else {
      fputs(takes_file(option) ? "COMPREPLY=($(compgen -f -- \"$cur\"))" : "COMPREPLY=()", file);
   }
   fputs("; return ;;\n", file);
}

static int write_bash(FILE *file)
{
   fputs("# bash completion of agx-runner; made by `agx-runner completion bash`.\n_agx_runner()\n{\n"
         "   local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
         "   if [ \"$COMP_CWORD\" = 1 ]; then\n      COMPREPLY=($(compgen -W '",
         file);
   for (unsigned i = 0; i < command_count; i++) {
      fprintf(file, "%s ", commands[i]->name);
   }
   fputs("--help --version' -- \"$cur\"))\n      return\n   fi\n   case ${COMP_WORDS[1]} in\n", file);
   for (unsigned i = 0; i < command_count; i++) {
      fprintf(file, "   %s)\n      case $prev in\n", commands[i]->name);
      each_option(commands[i], bash_value, file);
      fputs("      esac\n      options='", file);
      each_option(commands[i], bash_name, file);
      fputs("' ;;\n", file);
   }
   fputs(
       "   esac\n   case $cur in\n   -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
       "   *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n   esac\n}\ncomplete -o filenames -F _agx_runner agx-runner\n",
       file);
   return EXIT_OK;
}

/* Writes text within single quotes, in which the `extra` characters get a backslash. */
static void zsh_text(const char *text, const char *extra, FILE *file)
{
   for (; *text != '\0'; text++) {
      if (*text == '\'') {
         fputs("'\\''", file);
      } else {
         fprintf(file, "%s%c", strchr(extra, *text) != NULL ? "\\" : "", *text);
      }
   }
}

static void zsh_option(void *data, const struct option_info *option)
{
   FILE *file = data;
   const char *forms[2] = {NULL, NULL};
   char letter[4] = "", name[64], formats[OPTION_FORMATS_TEXT];

   snprintf(letter, sizeof(letter), "-%c", option->letter);
   snprintf(name, sizeof(name), "--%s", option->name);
   forms[0] = option->letter != 0 ? letter : NULL;
   forms[1] = name;
   for (unsigned i = 0; i < 2; i++) {
      if (forms[i] == NULL) {
         continue;
      }
      fprintf(file, " \\\n         '*%s%s[", forms[i], option->metavar == NULL ? "" : i == 0 ? "+" : "=");
      zsh_text(option_help(option, formats), "[]\\", file);
      fputc(']', file);
      if (option->metavar != NULL) {
         fputc(':', file);
         zsh_text(option->metavar, ":\\", file);
         fputc(':', file);
         if (option_choice(option, 0) != NULL) {
            fputc('(', file);
            write_choices(option, file);
            fputc(')', file);
         } else {
            fputs(takes_file(option) ? "_files" : " ", file);
         }
      }
      fputc('\'', file);
   }
}

static int write_zsh(FILE *file)
{
   fputs("#compdef agx-runner\n# zsh completion of agx-runner; made by `agx-runner completion zsh`.\n"
         "_agx_runner() {\n   local -a commands=(\n",
         file);
   for (unsigned i = 0; i < command_count; i++) {
      fprintf(file, "      '%s:", commands[i]->name);
      zsh_text(commands[i]->summary, ":\\", file);
      fputs("'\n", file);
   }
   fputs("   )\n   if (( CURRENT == 2 )); then\n      _describe command commands\n      return\n   fi\n"
         "   local command=$words[2]\n   shift words\n   (( CURRENT-- ))\n   case $command in\n",
         file);
   for (unsigned i = 0; i < command_count; i++) {
      fprintf(file, "   %s)\n      _arguments", commands[i]->name);
      each_option(commands[i], zsh_option, file);
      fputs(" \\\n         '*:argument:_files' ;;\n", file);
   }
   fputs("   esac\n}\n_agx_runner \"$@\"\n", file);
   return EXIT_OK;
}

static int cmd_completion(const void *data)
{
   const struct command_line *line = data;
   const char *shell = line->operands.items[0];

   return !strcmp(shell, "bash")  ? write_bash(stdout)
          : !strcmp(shell, "zsh") ? write_zsh(stdout)
                                  : complain(EXIT_INVALID, "completion writes for bash or zsh, not for '%s'", shell);
}

static const struct option_row rows[] = {{0}};

const struct command command_completion = {
    .name = "completion",
    .operands = "bash|zsh",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "print the completion script of a shell",
    .rows = rows,
    .size = sizeof(struct command_line),
    .run = cmd_completion,
};
