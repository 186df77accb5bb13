/* SPDX-License-Identifier: MIT
 *
 * Any program with a virtual GPU as its render node, or with its jobs on a real one saved.
 */
#ifndef AGX_RUNNER_WITH_DEVICE_H
#define AGX_RUNNER_WITH_DEVICE_H

#include <stdbool.h>

#include "agx_runner/terminal/values.h"

/* Runs the program that `words` name and says on stderr what it did with the device. "auto": virtual:m1. trace: folder
 * for the jobs, or NULL. The program's exit status as a shell has it, or an enum exit_code when it could not be
 * started. */
int with_device_run(const char *device, const struct string_list *words, bool stats, const char *trace);
/* Runs the program on the machine's own GPU and saves its jobs in `folder`. The same status. */
int with_device_record(const struct string_list *words, const char *folder);

#endif
