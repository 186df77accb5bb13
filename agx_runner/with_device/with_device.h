/* SPDX-License-Identifier: MIT
 *
 * Runs any program with a virtual GPU as its render node, or on a real one whose jobs are saved.
 */
#ifndef AGX_RUNNER_WITH_DEVICE_H
#define AGX_RUNNER_WITH_DEVICE_H

#include <stdbool.h>

#include "agx_runner/terminal/values.h"

struct with_device_settings {
   bool stats;              /* with a table of the programs */
   bool ignore_faults;      /* they do not change the exit status */
   const char *trace;       /* folder for the jobs; NULL: none */
   const char *collect;     /* folder for the programs that are launched; NULL: none */
   const char *post_mortem; /* file for the processes' last faults, as JSON; NULL: none */
   const char *driver;      /* the version of the driver that the program uses, for `collect`; NULL: not known */
};

/* Runs the program that `words` name and reports its use of the device on stderr. "auto": virtual:m1. Returns the
 * program's exit status as a shell does, or an enum exit_code if it could not be started; EXIT_FAILED if the program
 * ended well, but jobs faulted or checks found something. */
int with_device_run(const char *device, const struct string_list *words, const struct with_device_settings *settings);
/* The device with an option that writes to a folder, which is made if it is missing: `key` of the device for `option`
 * of the command line. free() it. NULL, with a message, on failure. */
char *with_device_folder(const char *device, const char *option, const char *key, const char *folder);
/* Tells processes on a virtual device which driver they use, for collections. */
bool with_device_set_driver(const char *version);
/* Has processes of this one keep the sources that their drivers are given in the subfolder `sources` of a collection's
 * folder, by the layers of drivers/layer and by Mesa itself. Prints messages; returns an enum exit_code. */
int with_device_keep_sources(const char *folder);
/* Removes the subfolder if no process has kept anything. */
void with_device_drop_sources(const char *folder);
/* Runs the program without a word about its use of the device: that is in the file *report, which the caller closes;
 * -1: the program was not started, and a message is printed. Returns its exit status as a shell does. */
int with_device_call(const char *device, const struct string_list *words, int *report);
/* Runs the program on the machine's own GPU and saves its jobs in `folder`. Returns the same status. */
int with_device_record(const struct string_list *words, const char *folder);

#endif
