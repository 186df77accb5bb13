/* SPDX-License-Identifier: MIT
 *
 * Fits the parameters that the answers of questions decide (agx_runner/question/answer.h).
 */
#ifndef AGX_RUNNER_CALIBRATE_ANSWERS_H
#define AGX_RUNNER_CALIBRATE_ANSWERS_H

struct calibrate_answers_settings {
   const char *text;   /* a file with one answer or more, all of one chip */
   const char *params; /* parameters to begin with, as calibrate writes them; NULL: the published ones */
   const char *output; /* the parameter file; NULL: CHIP.params */
};

/* Prints which parameter each answer moves, and messages; returns an enum exit_code. */
int calibrate_answers(const struct calibrate_answers_settings *settings);

#endif
