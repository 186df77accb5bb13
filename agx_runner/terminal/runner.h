/* SPDX-License-Identifier: MIT
 *
 * Shared by all commands: exit codes and error messages.
 */
#ifndef AGX_RUNNER_RUNNER_H
#define AGX_RUNNER_RUNNER_H

#include <stddef.h>

/* igt-gpu-tools' codes, so that its users need not learn others. */
enum exit_code {
   EXIT_OK = 0,
   EXIT_SKIPPED = 77,
   EXIT_INVALID = 79, /* invalid use of the command line */
   EXIT_FAILED = 98,
   EXIT_ABORTED = 112, /* interrupted, or out of time */
   EXIT_LOST = 113,    /* the GPU no longer works: nothing more could be run */
};

/* Prints one message on stderr: "agx-runner: ...". Returns `code`, for `return complain(...)`. */
__attribute__((format(printf, 2, 3))) int complain(int code, const char *format, ...);

/* The same for a note: nothing failed. */
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

#endif
