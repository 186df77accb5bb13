/* SPDX-License-Identifier: MIT
 *
 * A question to an owner of a machine: what it asks, and which parameter of the timing model the answer decides. The
 * file has a statement a line, "#" starts a comment line:
 *    title TEXT                                what is asked, one line
 *    why TEXT                                  what is not known; several lines are one text
 *    model OPTIONS                             options of the virtual device that answers the same: "dvfs=command"
 *    ask NAME = QUESTION                       as in results/reference/asked.csv: "mix ...", "run ..."
 *    decides PARAMETER LOW..HIGH by NAME       the figure's value decides the parameter, within these bounds
 *    when NAME LOW..HIGH TEXT                  what a figure from LOW to below HIGH means
 * Invariant: every NAME of "decides" and "when" is that of an "ask" before it, and asks at least one figure.
 */
#ifndef AGX_RUNNER_QUESTION_H
#define AGX_RUNNER_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "agx_runner/measure/measure.h"

#define QUESTION_ASKS 4
#define QUESTION_DECIDES 4
#define QUESTION_WHENS 12
#define QUESTION_NAME 32
#define QUESTION_TEXT 512 /* bytes of a line, the terminating 0 included */

struct question_ask {
   char name[QUESTION_NAME], text[160];
};

struct question_decides {
   char name[QUESTION_NAME]; /* of the ask */
   size_t parameter;         /* index in vgpu/timing/params_file.h */
   double low, high;
};

struct question_when {
   char name[QUESTION_NAME], text[240];
   double low, high;
};

struct question {
   char title[160], model[48];
   struct question_ask asks[QUESTION_ASKS];
   struct question_decides decides[QUESTION_DECIDES];
   struct question_when whens[QUESTION_WHENS];
   unsigned ask_count, decides_count, when_count;
};

/* Both print messages and return an enum exit_code. A statement that answers share ("ask", "decides", "model") is read
 * by question_take(); `line` has no newline, and may be changed. why: where the reason of a refusal goes. */
int question_read(const char *path, struct question *question);
bool question_take(struct question *question, char *line, const char **why);

/* A figure of a question. */
struct question_figure {
   double value, low, high; /* value NAN: none */
   size_t samples;
   double clock_hz; /* 0: none needed */
   char unit[16];
   char reason[240]; /* why there is none */
};

/* A device that is asked, in this process. */
struct asking {
   struct session session;
   struct measure measure;
};
struct question_settings {
   const char *device; /* spec */
   uint64_t seed;
   double ffma_cycles, timeout; /* struct measure_settings; seconds of a submission */
   uint32_t samples;
};

/* Prints messages; returns an enum exit_code. asking_close() must follow if it is EXIT_OK. */
int asking_open(struct asking *asking, const struct question_settings *settings);
void asking_close(struct asking *asking);
/* Measures one ask. Returns an enum exit_code: EXIT_OK also for a figure that there is none of. */
int asking_measure(struct asking *asking, const char *text, struct question_figure *figure);

/* Asks all of a file and writes the text to paste (answer.h). Returns an enum exit_code. */
int question_ask(const char *path, const struct question_settings *settings, FILE *file);

#endif
