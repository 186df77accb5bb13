/* SPDX-License-Identifier: MIT
 *
 * The front end's warnings. Mesa's clang library hands over its messages when a compilation fails and drops them when
 * it succeeds; but clang can write them to a file as well.
 */
#ifndef COMPILER_WARNINGS_H
#define COMPILER_WARNINGS_H

#include "compiler/compiler.h"

#define COMPILER_WARNINGS_OPTION "-diagnostic-log-file"

struct compiler_warnings {
   int fd;
   char path[32]; /* what follows COMPILER_WARNINGS_OPTION */
};

/* A file in memory. 0 or a negative errno. */
int compiler_warnings_init(struct compiler_warnings *warnings);
/* Appends what was written to the log, in clang's usual form. */
void compiler_warnings_log(const struct compiler_warnings *warnings, struct compiler_result *result);
void compiler_warnings_finish(struct compiler_warnings *warnings);

#endif
