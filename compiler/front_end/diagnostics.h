/* SPDX-License-Identifier: MIT
 *
 * clang's messages. Mesa's clang library returns them as text when a compilation fails, but drops them when it
 * succeeds; clang can also write them to a file.
 */
#ifndef COMPILER_DIAGNOSTICS_H
#define COMPILER_DIAGNOSTICS_H

#include "compiler/api/compiler.h"

#define COMPILER_DIAGNOSTICS_OPTION "-diagnostic-log-file"

struct compiler_diagnostics {
   int fd;
   char path[32]; /* follows COMPILER_DIAGNOSTICS_OPTION */
};

/* One message; line and column are numbers from 1. */
struct compiler_diagnostic {
   char level[16], file[1024], line[16], column[16], text[4096];
};
typedef void compiler_diagnostic_visit(void *data, const struct compiler_diagnostic *diagnostic);
bool compiler_diagnostic_is_error(const struct compiler_diagnostic *diagnostic);

/* Creates a file in memory. Returns 0 or a negative errno. */
int compiler_diagnostics_init(struct compiler_diagnostics *diagnostics);
/* Calls a function for each message so far, in clang's order. */
void compiler_diagnostics_each(const struct compiler_diagnostics *diagnostics, compiler_diagnostic_visit *visit,
                               void *data);
/* Appends the messages to the log, in clang's usual form. */
void compiler_diagnostics_log(const struct compiler_diagnostics *diagnostics, struct compiler_result *result);
void compiler_diagnostics_finish(struct compiler_diagnostics *diagnostics);

#endif
