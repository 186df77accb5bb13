/* SPDX-License-Identifier: MIT
 *
 * The expected results of tests, in the formats of deqp-runner's files:
 *    fails   "name,Status": tests that do not pass, and their status
 *    skips   a regular expression a line: tests that are not run
 *    flakes  the same: tests whose failures are ignored
 * Empty lines and lines that start with "#" are comments. Regular expressions are POSIX extended ones and may match
 * any part of a name. The case of a status is ignored.
 */
#ifndef PROCESS_EXPECT_H
#define PROCESS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

struct expectations;

struct expectations *expectations_create(void);               /* empty; NULL: out of memory */
void expectations_destroy(struct expectations *expectations); /* NULL is fine */

enum expect_file { EXPECT_FAILS, EXPECT_SKIPS, EXPECT_FLAKES };
/* Adds the lines of a file. statuses: the words that a fails file may use, NULL-terminated. Returns 0, or a negative
 * errno with "FILE:LINE: what is wrong"; -ENOENT: no such file. */
int expectations_load(struct expectations *expectations, enum expect_file kind, const char *path,
                      const char *const *statuses, char *message, size_t message_size);

/* All of these accept NULL, which expects every test to pass. */
bool expect_skip(const struct expectations *expectations, const char *name);
bool expect_flake(const struct expectations *expectations, const char *name);
/* Returns the test's status in the fails file; NULL: it is expected to pass. */
const char *expect_fail(const struct expectations *expectations, const char *name);

#endif
