/* SPDX-License-Identifier: MIT
 *
 * What main() of agx-runner and agx-fuzz does: finds the command and runs it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/terminal/interrupt.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/suggest.h"
#include "compiler/compiler.h"
#include "compiler/cache/cache.h"

const struct command *command_find(const char *name)
{
   for (unsigned i = 0; i < command_count; i++) {
      if (!strcmp(commands[i].name, name)) {
         return &commands[i];
      }
   }
   return NULL;
}

int command_version(FILE *file)
{
   fprintf(file, "agx-runner %s (Mesa %s)\n", AGX_RUNNER_VERSION, compiler_mesa_version());
   return EXIT_OK;
}

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

static int unknown_command(const char *name)
{
   struct suggestion meant = {.word = name};
   char text[SUGGEST_TEXT];

   for (unsigned i = 0; i < command_count; i++) {
      suggest_offer(&meant, commands[i].name, strlen(commands[i].name));
   }
   suggest_print(&meant, text);
   return complain(EXIT_INVALID, "unknown command '%s'%s (agx-runner --help lists them)", name, text);
}

static int help(const char *name)
{
   const struct command *command = name != NULL ? command_find(name) : NULL;

   if (name != NULL && command == NULL) {
      return unknown_command(name);
   }
   options_help(command, stdout);
   return EXIT_OK;
}

/* A value that cannot be meant must not pass for the default. */
static int check_environment(void)
{
   const char *limit = compiler_cache_wrong_limit();

   return limit == NULL
              ? EXIT_OK
              : complain(EXIT_INVALID,
                         COMPILER_CACHE_VARIABLE "=%s: expected a whole number of MiB, 0 for no compilation cache",
                         limit);
}

static int run_command(int argc, char **argv)
{
   const struct command *command = command_find(argv[0]);
   struct options options;

   if (command == NULL) {
      return unknown_command(argv[0]);
   }
   int code = options_parse(command, argc, argv, &options);
   if (code == OPTIONS_RUN) {
      code = check_environment();
      if (code == EXIT_OK) {
         compiler_set_cache((command->bit & CACHED_COMMANDS) && !options.no_cache && !options.program.in_process);
         interrupt_listen();
         code = command->run(&options);
         code = interrupt_requested() && code != EXIT_LOST ? EXIT_ABORTED : code;
      }
   }
   options_finish(&options);
   return code;
}

int command_main(int argc, char **argv)
{
   int code;

   if (!open_standard_streams()) {
      return EXIT_FAILED;
   }
   if (argc < 2) {
      options_help(NULL, stderr);
      return EXIT_INVALID;
   }
   if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
      code = help(argv[2]);
   } else if (!strcmp(argv[1], "--version")) {
      code = command_version(stdout);
   } else {
      code = run_command(argc - 1, argv + 1);
   }
   /* What stdout still holds may not fit: a full disk is an error, not an empty file. */
   if (fflush(stdout) != 0 || ferror(stdout)) {
      code = complain(EXIT_FAILED, "stdout: the output could not be written");
   }
   return code;
}
