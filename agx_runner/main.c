/* SPDX-License-Identifier: MIT
 *
 * agx-runner: finds the command and runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/command.h"
#include "agx_runner/options.h"
#include "agx_runner/runner.h"

int main(int argc, char **argv)
{
   if (argc < 2) {
      options_help(NULL, stderr);
      return EXIT_INVALID;
   }
   if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
      options_help(argc > 2 ? command_find(argv[2]) : NULL, stdout);
      return EXIT_OK;
   }
   if (!strcmp(argv[1], "--version")) {
      return command_version(stdout);
   }
   const struct command *command = command_find(argv[1]);
   if (command == NULL) {
      return complain(EXIT_INVALID, "unknown command '%s' (agx-runner --help lists them)", argv[1]);
   }

   struct options options;
   int code = options_parse(command, argc - 1, argv + 1, &options);
   if (code == OPTIONS_RUN) {
      code = command->run(&options);
      /* What stdout still holds may not fit: a full disk is an error, not an empty file. */
      if (fflush(stdout) != 0 || ferror(stdout)) {
         code = complain(EXIT_FAILED, "stdout: the output could not be written");
      }
   }
   options_finish(&options);
   return code;
}
