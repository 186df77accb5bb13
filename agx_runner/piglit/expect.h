/* SPDX-License-Identifier: MIT
 *
 * Piglit's expectations: a folder with fails.txt, skips.txt and flakes.txt, each optional, as
 * agx_runner/process/expect.h describes them. A name is "program@execute@sizeof@sizeof": Piglit's name of the file,
 * then the subtest's.
 */
#ifndef PIGLIT_EXPECT_H
#define PIGLIT_EXPECT_H

#include "agx_runner/process/expect.h"
#include "agx_runner/piglit/run.h"

/* 0 or a negative errno with "FILE:LINE: what is wrong". expectations_destroy() it. */
int piglit_expectations_load(const char *folder, struct expectations **out, char *message, size_t message_size);

enum piglit_verdict {
   PIGLIT_EXPECTED,
   PIGLIT_FLAKE,      /* not what is expected, but flakes.txt has it */
   PIGLIT_IMPROVED,   /* fails.txt has it, and it passes or is skipped */
   PIGLIT_UNEXPECTED, /* fails, or fails in another way than fails.txt says */
};
/* NULL: every test is expected to pass. */
enum piglit_verdict piglit_expect(const struct expectations *expectations, const char *name, enum piglit_status status);

#endif
