/* SPDX-License-Identifier: MIT
 *
 * `agx-runner survey`: runs the steps of steps.c in order, each in a process of its own, and packs their results.
 *
 * All files are in one folder. A survey that was killed, or that crashed the machine, can be resumed there:
 *
 *    survey.txt          device, seed and date, one a line
 *    journal             "begin STEP BOOT" and "end STEP": each line is on the disk before the survey continues
 *    steps/STEP.json     the result of a step that ended
 *    steps/STEP.log      its messages
 *    steps/STEP.run      the folder of its `run --results`, if it runs benchmarks
 *
 * Invariant: a step that has a result is not run again, unless the result is partial: the step was interrupted, or
 * reached its limit. A step in which the machine crashed is not tried again, and its result says so. Everything that
 * was measured is in the result in any case.
 */
#ifndef AGX_RUNNER_SURVEY_H
#define AGX_RUNNER_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct survey_settings {
   const char *device; /* device spec */
   const char *folder; /* NULL: survey-CHIP in the current folder */
   const char *resume; /* the folder of a survey to resume, on its device and with its seed; NULL: none */
   const char *output; /* name of the archive; NULL: survey-CHIP-DATE.tar.zst */
   uint64_t seed;
   double timeout;           /* time limit of a submission in seconds */
   double step_timeout;      /* time limit of a step in seconds; 0: its own */
   double ffma_cycles;       /* cycles of an FFMA, from which clocks are inferred */
   bool hazardous;           /* run steps that may fault without asking */
   bool list;                /* only list what would be done */
   const char *const *steps; /* names of the steps to run; NULL: all */
   size_t step_count;
};

/* Prints messages; returns an enum exit_code. */
int survey_run(const struct survey_settings *settings);

#endif
