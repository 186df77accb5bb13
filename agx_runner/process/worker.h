/* SPDX-License-Identifier: MIT
 *
 * What the runner's processes do. They report
 *    begin INDEX        a test begins; the journal has it
 *    progress FRACTION  of the test, 0 to 1, now and then
 *    alive              something was submitted
 *    result INDEX {...} as result_to_line() writes it
 *    journal ERRNO      the journal cannot be written
 */
#ifndef AGX_RUNNER_WORKER_H
#define AGX_RUNNER_WORKER_H

#include "agx_runner/terminal/progress.h"
#include "agx_runner/process/journal.h"
#include "agx_runner/process/run_settings.h"
#include "agx_runner/process/selection.h"

/* A batch: tests that share a process. */
struct worker {
   const struct run_settings *settings;
   const struct selection *selection;
   const char *device;            /* spec */
   const struct journal *journal; /* NULL: none */
   const size_t *items;           /* indices into the selection */
   size_t count;
   unsigned try;

   /* Its own: */
   int reports;
   size_t current;
   double reported; /* when "alive" or "progress" was, seconds */
   struct progress progress;
};

/* The life of a process that runs a batch; data: a struct worker. It ends at the first failure: whether the device
 * still works is for a fresh process to say. Returns 0. */
int worker_live(void *data, int reports);

#endif
