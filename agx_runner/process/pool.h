/* SPDX-License-Identifier: MIT
 *
 * Runs a selection, each benchmark or group of tests in a process of its own: the run survives what they do to it.
 * After each failure a trivial job in a fresh process tells whether the device still works.
 */
#ifndef AGX_RUNNER_EXECUTE_H
#define AGX_RUNNER_EXECUTE_H

#include "agx_runner/process/journal.h"
#include "agx_runner/process/kmsg.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/process/run_settings.h"
#include "agx_runner/process/selection.h"
#include "agx_runner/process/outcome.h"

struct execution {
   /* The caller's: */
   const struct run_settings *settings;
   const struct selection *selection;
   const struct expectations *expectations; /* NULL: none */
   const struct journal *journal;           /* NULL: none */
   struct outcome *outcomes;                /* one each selected item; what is there already is not run again */

   /* Its own: */
   struct execute_shared *shared; /* with its processes */
   const char *device;            /* the spec that "auto" came to */
   int signals;
   struct kmsg kmsg;
   struct progress progress;
   double started; /* seconds */
   int code;       /* why it ends before its time; EXIT_OK: it does not */
   char why[400];
};

/* Opens the device once, in a process, to see what it is. An enum exit_code; messages are printed. From here on SIGINT
 * and SIGTERM wait for execute_all() to hear of them. */
int execute_start(struct execution *execution);
const struct asahi_device_info *execute_info(const struct execution *execution);
/* All that has no outcome yet, and again what surprises. EXIT_OK, or why not all was run: EXIT_ABORTED, EXIT_LOST,
 * EXIT_FAILED; execution->why says it. */
int execute_all(struct execution *execution);
void execute_finish(struct execution *execution);

#endif
