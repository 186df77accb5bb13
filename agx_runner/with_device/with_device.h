/* SPDX-License-Identifier: MIT
 *
 * Runs any program with a virtual GPU as its render node, or on a real one whose jobs are saved.
 */
#ifndef AGX_RUNNER_WITH_DEVICE_H
#define AGX_RUNNER_WITH_DEVICE_H

#include <stdbool.h>

#include "agx_runner/terminal/values.h"

struct with_device_settings {
   bool stats;         /* with a table of the programs */
   bool ignore_faults; /* they do not change the exit status */
   const char *trace;  /* folder for the jobs; NULL: none */
};

/* Runs the program that `words` name and reports its use of the device on stderr. "auto": virtual:m1. Returns the
 * program's exit status as a shell does, or an enum exit_code if it could not be started; EXIT_FAILED if the program
 * ended well, but jobs faulted or checks found something. */
int with_device_run(const char *device, const struct string_list *words, const struct with_device_settings *settings);
/* Runs the program without a word about its use of the device: that is in the file *report, which the caller closes;
 * -1: the program was not started, and a message is printed. Returns its exit status as a shell does. */
int with_device_call(const char *device, const struct string_list *words, int *report);
/* Runs the program on the machine's own GPU and saves its jobs in `folder`. Returns the same status. */
int with_device_record(const struct string_list *words, const char *folder);

#endif
