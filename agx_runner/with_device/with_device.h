/* SPDX-License-Identifier: MIT
 *
 * Any program with a virtual GPU as its render node.
 */
#ifndef AGX_RUNNER_WITH_DEVICE_H
#define AGX_RUNNER_WITH_DEVICE_H

#include <stdbool.h>

#include "agx_runner/terminal/values.h"

/* Runs the program that `words` name and says on stderr what it did with the device. "auto": virtual:m1. trace: folder
 * for the jobs, or NULL. The program's exit status as a shell has it, or an enum exit_code when it could not be
 * started. */
int with_device_run(const char *device, const struct string_list *words, bool stats, const char *trace);

#endif
