/* SPDX-License-Identifier: MIT
 *
 * Finds the command that the words name, and runs it.
 */
#include "agx_runner/options/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/suggest.h"
#include "process/child/interrupt.h"

/* Where a standard stream is closed, the next file opened would take its place, and messages would land in it. These
 * fail when used, as a closed one does: the wrong way open. */
static bool open_standard_streams(void)
{
   static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

   for (int fd = 0; fd < 3; fd++) {
      if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) {
         return false;
      }
   }
   return true;
}

/* NULL: none, with a message. */
static const struct command *find_command(const struct program *program, const char *name)
{
   struct suggestion meant = {.word = name};
   char text[SUGGEST_TEXT];

   for (size_t i = 0; i < program->command_count; i++) {
      const struct command *command = program->commands[i];

      if (!strcmp(command->name, name)) {
         return command;
      }
      suggest_offer(&meant, command->name, strlen(command->name));
   }
   suggest_print(&meant, text);
   (void)complain(EXIT_INVALID, "unknown command '%s'%s (agx-runner --help lists them)", name, text);
   return NULL;
}

/* name: of a command; NULL: the help of the program. */
static int help(const struct program *program, const char *name)
{
   const struct command *command = name != NULL ? find_command(program, name) : NULL;

   if (command != NULL) {
      options_help(command, stdout);
   } else if (name == NULL) {
      options_help_program(program->commands, program->command_count, stdout);
   }
   return command != NULL || name == NULL ? EXIT_OK : EXIT_INVALID;
}

/* options: memory for the command's struct. */
static int parse_and_run(const struct program *program, const struct command *command, int argc, char **argv,
                         void *options)
{
   int code = options_parse(command, argc, argv, options);

   if (code == OPTIONS_VERSION) {
      code = program->version(stdout);
   } else if (code == OPTIONS_RUN) {
      code = program->check();
      if (code == EXIT_OK) {
         interrupt_listen();
         code = command->run(options);
         code = interrupt_requested() && code != EXIT_LOST ? EXIT_ABORTED : code;
      }
   }
   options_finish(command, options);
   return code;
}

static int run_command(const struct program *program, int argc, char **argv)
{
   const struct command *command = find_command(program, argv[0]);

   if (command == NULL) {
      return EXIT_INVALID;
   }
   void *options = calloc(1, command->size);
   const int code =
       options != NULL ? parse_and_run(program, command, argc, argv, options) : complain(EXIT_FAILED, "out of memory");
   free(options);
   return code;
}

int program_main(const struct program *program, int argc, char **argv)
{
   int code;

   if (!open_standard_streams()) {
      return EXIT_FAILED;
   }
   if (argc < 2) {
      options_help_program(program->commands, program->command_count, stderr);
      return EXIT_INVALID;
   }
   if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
      code = help(program, argv[2]);
   } else if (!strcmp(argv[1], "--version")) {
      code = program->version(stdout);
   } else {
      code = run_command(program, argc - 1, argv + 1);
   }
   /* Flushes stdout: a full disk is an error, not an empty file. */
   if (fflush(stdout) != 0 || ferror(stdout)) {
      code = complain(EXIT_FAILED, "stdout: the output could not be written");
   }
   return code;
}
