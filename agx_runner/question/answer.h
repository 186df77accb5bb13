/* SPDX-License-Identifier: MIT
 *
 * The answer to a question: a text of about 20 lines to paste into an issue. It repeats what was asked, so that
 * `calibrate` needs no other file. Its last line is a check sum of the lines before, without quoting marks ("> ") and
 * blanks at their ends, which programs for mail and issues add. Invariant: the text names no user, host or path.
 */
#ifndef AGX_RUNNER_ANSWER_H
#define AGX_RUNNER_ANSWER_H

#include "agx_runner/question/question.h"

struct answer {
   struct question question; /* its asks, decides and model */
   char chip[32];
   bool hardware;
   struct question_figure figures[QUESTION_ASKS]; /* of the asks */
};

struct answers {
   struct answer *items;
   size_t count;
};

/* Whether the file is a text with an answer in it. */
bool answers_are_in(const char *path);
/* Reads all answers of a text, and skips what is between them. Prints messages; returns an enum exit_code.
 * answers_finish() must follow in any case. */
int answers_read(const char *path, struct answers *answers);
void answers_finish(struct answers *answers);

/* The check sum of a text's lines, each without quoting marks and blanks at its ends. */
#define ANSWER_FIRST "agx-runner answer"
uint64_t answer_check(const char *text);
/* Removes quoting marks and blanks at the ends of a line; returns its first byte. */
char *answer_strip(char *line);

#endif
