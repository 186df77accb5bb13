/* SPDX-License-Identifier: MIT
 *
 * Reads what an application has printed or written, and says which of its answers are right.
 */
#ifndef AGX_RUNNER_APPS_JUDGE_H
#define AGX_RUNNER_APPS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "agx_runner/results/result.h"

/* Takes an answer: its name within the case, "" of the case itself. */
typedef void app_answer(void *data, const char *name, enum result_status status, const char *reason);

/* The lines of test-backend-ops: "  ADD(type=f32,...): OK". Returns the number of answers. */
size_t judge_ggml(char *text, app_answer *answer, void *data);

/* Piglit's protocol. Returns the number of answers. */
size_t judge_piglit(char *text, app_answer *answer, void *data);

/* The lines of GoogleTest: "[       OK ] Suite.Test/0 (5 ms)". Returns the number of answers. */
size_t judge_gtest(char *text, app_answer *answer, void *data);

/* Whether two files have the same number of components, and none differs by more than `tolerance`. bytes: of a
 * component, 1 or 2, the high one first. Writes why not. */
bool judge_same(const char *path, const char *reference, unsigned bytes, unsigned tolerance, char *why, size_t size);

/* The last line that is not empty, without the escapes of colours, as a reason; "" where there is none. */
void judge_last_line(const char *text, char *line, size_t size);

#endif
