/* SPDX-License-Identifier: MIT
 *
 * What each program says of the compiler that it contains, and asks of its environment before it runs a command.
 */
#ifndef AGX_RUNNER_ENVIRONMENT_H
#define AGX_RUNNER_ENVIRONMENT_H

#include <stdio.h>

/* Prints the line of --version. An enum exit_code. */
int environment_version(FILE *file);
/* A variable whose value cannot be meant must not pass for the default. An enum exit_code; the message is printed. */
int environment_check(void);

/* The program that the command line names; NULL: what was chosen before, at first the one that AGX_RUNNER_COMPILER
 * names, else that of this build or installation. Before the first compilation. `program` must live as long as the
 * process. EXIT_OK, or EXIT_INVALID with a message: it cannot be run, or is no agx-compile of this protocol. */
int compiler_choose(const char *program);

#endif
