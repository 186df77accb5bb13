/* SPDX-License-Identifier: MIT
 *
 * Shared by all commands: error messages.
 */
#ifndef AGX_RUNNER_RUNNER_H
#define AGX_RUNNER_RUNNER_H

#include <stddef.h>

#include "util/exit_code.h"

/* Prints one message on stderr: "agx-runner: ...". Returns `code`, for `return complain(...)`. */
__attribute__((format(printf, 2, 3))) int complain(int code, const char *format, ...);

/* The same for a note: nothing failed. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

#endif
