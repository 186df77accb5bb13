/* SPDX-License-Identifier: MIT
 *
 * `agx-runner survey`: runs the steps of steps.c in order, each in a process of its own, and packs what they found.
 *
 * All of it is kept in a folder. A survey that was killed, or took the machine with it, is continued there:
 *
 *    survey.txt          device, seed and date, one a line
 *    journal             "begin STEP BOOT" and "end STEP": each line is on the disk before the step goes on
 *    steps/STEP.json     the sheet of a step that ended
 *    steps/STEP.log      what it said
 *    steps/STEP.run      the folder of its `run --results`, if it runs benchmarks
 *
 * Invariant: a step whose sheet is there is not run again, unless the sheet is partial: the step ended before its time,
 * by its limit or an interrupt. A step in which the machine went down is not tried again, and its sheet says so. What
 * was measured is in the sheet in any case.
 */
#ifndef AGX_RUNNER_SURVEY_H
#define AGX_RUNNER_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct survey_settings {
   const char *device; /* spec */
   const char *folder; /* NULL: survey-CHIP beside */
   const char *resume; /* the folder of one to go on with, on its device and with its seed; NULL: none */
   const char *output; /* of the archive; NULL: survey-CHIP-DATE.tar.zst */
   uint64_t seed;
   double timeout;           /* of a submission, seconds */
   double step_timeout;      /* of a step, seconds; 0: its own limit */
   double ffma_cycles;       /* that inferred clocks rest on */
   bool hazardous;           /* run the steps that may fault without asking */
   bool list;                /* only say what would be done */
   const char *const *steps; /* names of those to run; NULL: all */
   size_t step_count;
};

/* An enum exit_code; messages are printed. */
int survey_run(const struct survey_settings *settings);

#endif
