/* SPDX-License-Identifier: MIT
 *
 * agx-fuzz: the fuzzer as a program of its own. `agx-runner fuzz` becomes this program. It has that one command, so its
 * command line is what follows `fuzz`.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/terminal/runner.h"

const struct command commands[] = {COMMAND_FUZZ_ROW(cmd_fuzz)};
const unsigned command_count = 1;

int main(int argc, char **argv)
{
   char **words = calloc((size_t)argc + 2, sizeof(*words));

   if (words == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   words[0] = argv[0];
   words[1] = strdup(commands[0].name);
   for (int i = 1; i < argc; i++) {
      words[i + 1] = argv[i];
   }
   const int code = command_main(words[1] != NULL ? argc + 1 : 1, words);
   free(words[1]);
   free(words);
   return code;
}
