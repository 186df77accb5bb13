/* SPDX-License-Identifier: MIT
 *
 * Expectation files in deqp-runner's formats (a folder with fails.txt, skips.txt, flakes.txt, each optional):
 *    fails.txt   "name,Status": what does not pass, and how: Fail, Crash, Timeout, Warn
 *    skips.txt   a regular expression a line: tests that are not run
 *    flakes.txt  the same: tests whose result says nothing
 * Empty lines and lines that start with "#" are comments. Regular expressions are POSIX extended ones and may match
 * any part of a name. A name is "program@execute@sizeof@sizeof": Piglit's name of the file, then the subtest's.
 */
#ifndef PIGLIT_EXPECT_H
#define PIGLIT_EXPECT_H

#include <stdbool.h>

#include "agx_runner/piglit/run.h"

struct piglit_expectations;

/* 0 or a negative errno with "FILE:LINE: what is wrong". */
int piglit_expectations_load(const char *folder, struct piglit_expectations **out, char *message, size_t message_size);
void piglit_expectations_destroy(struct piglit_expectations *expectations); /* NULL is fine */

/* All of these take NULL, which expects every test to pass. */
bool piglit_expect_skip(const struct piglit_expectations *expectations, const char *name);

enum piglit_verdict {
   PIGLIT_EXPECTED,
   PIGLIT_FLAKE,      /* not what is expected, but flakes.txt has it */
   PIGLIT_IMPROVED,   /* fails.txt has it, and it passes or is skipped */
   PIGLIT_UNEXPECTED, /* fails, or fails in another way than fails.txt says */
};
enum piglit_verdict piglit_expect(const struct piglit_expectations *expectations, const char *name,
                                  enum piglit_status status);

#endif
