/* SPDX-License-Identifier: MIT
 *
 * What main() of a program with commands does: finds the command, parses its command line, and runs it.
 */
#ifndef AGX_RUNNER_OPTIONS_PROGRAM_H
#define AGX_RUNNER_OPTIONS_PROGRAM_H

#include "agx_runner/options/options.h"

struct program {
   const struct command *const *commands; /* in the order of --help */
   size_t command_count;
   int (*version)(FILE *file); /* an enum exit_code, as check() */
   int (*check)(void);         /* checks the environment before a command runs */
};

/* argv: of main(); the first word behind the program's names the command. Returns main()'s result. */
int program_main(const struct program *program, int argc, char **argv);

#endif
