/* SPDX-License-Identifier: MIT
 *
 * What tests are expected to come to, in the formats of deqp-runner's files:
 *    fails   "name,Status": what does not pass, and how
 *    skips   a regular expression a line: tests that are not run
 *    flakes  the same: tests whose failures say nothing
 * Empty lines and lines that start with "#" are comments. Regular expressions are POSIX extended ones and may match any
 * part of a name. A status is a word in any case.
 */
#ifndef AGX_RUNNER_EXPECT_H
#define AGX_RUNNER_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

struct expectations;

struct expectations *expectations_create(void);               /* none yet; NULL: out of memory */
void expectations_destroy(struct expectations *expectations); /* NULL is fine */

enum expect_file { EXPECT_FAILS, EXPECT_SKIPS, EXPECT_FLAKES };
/* Adds a file's. statuses: the words that a fails file may use, NULL-terminated. 0, or a negative errno with
 * "FILE:LINE: what is wrong"; -ENOENT: no such file. */
int expectations_load(struct expectations *expectations, enum expect_file kind, const char *path,
                      const char *const *statuses, char *message, size_t message_size);

/* All of these take NULL, which expects nothing. */
bool expect_skip(const struct expectations *expectations, const char *name);
bool expect_flake(const struct expectations *expectations, const char *name);
/* The status that the fails file has for the test; NULL: it is expected to pass. */
const char *expect_fail(const struct expectations *expectations, const char *name);

#endif
