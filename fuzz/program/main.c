/* SPDX-License-Identifier: MIT
 *
 * agx-fuzz: the fuzzer as a program of its own. `agx-runner fuzz` becomes this program. It has that one command, so its
 * command line is what follows `fuzz`.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/options/program.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/terminal/runner.h"
#include "fuzz/program/command.h"
#include "util/array.h"

static const struct command *const commands[] = {&command_fuzz};

int main(int argc, char **argv)
{
   const struct program program = {commands, ARRAY_COUNT(commands), environment_version, environment_check};
   char **words = calloc((size_t)argc + 2, sizeof(*words));

   if (words == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   words[0] = argv[0];
   words[1] = strdup(command_fuzz.name);
   for (int i = 1; i < argc; i++) {
      words[i + 1] = argv[i];
   }
   const int code = program_main(&program, words[1] != NULL ? argc + 1 : 1, words);
   free(words[1]);
   free(words);
   return code;
}
