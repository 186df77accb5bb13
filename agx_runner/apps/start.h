/* SPDX-License-Identifier: MIT
 *
 * Starts an application's program with a Mesa's drivers on a virtual device, and keeps what it prints.
 */
#ifndef AGX_RUNNER_APPS_START_H
#define AGX_RUNNER_APPS_START_H

#include <stdbool.h>

#include "agx_runner/terminal/values.h"
#include "agx_runner/with_device/device_report.h"
#include "drivers/find.h"

/* What a program left. */
struct app_run {
   int status; /* as a shell has it */
   char *text; /* what it printed on both its outputs, at most APP_TEXT_MOST bytes, with a zero byte behind */
   double seconds;
   struct device_report report;
};
#define APP_TEXT_MOST (64u << 20)

/* Runs the words with that Mesa. folder: the program's home; "": this process's. starts: its current folder where it
 * has a home. Returns an enum exit_code with a message: whether it could be started. app_run_finish() must follow in
 * any case. */
int app_start(const struct mesa *mesa, const char *device, const struct string_list *words, const char *folder,
              const char *starts, struct app_run *run);
void app_run_finish(struct app_run *run);

#endif
