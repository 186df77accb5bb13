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

#endif
