/* SPDX-License-Identifier: MIT
 *
 * Progress on stderr of anything that takes over two seconds: one line that is rewritten on a terminal, otherwise a
 * line from time to time.
 */
#ifndef AGX_RUNNER_PROGRESS_H
#define AGX_RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
   size_t total, begun; /* steps */
   const char *name;    /* of the step that was begun last */
   double start, shown; /* seconds of the monotonic clock */
   bool terminal, visible;
   bool silent; /* nothing is shown */
   /* called instead of showing progress, in a process that reports to another one; NULL: none */
   void (*report)(void *data, double fraction);
   void *data;
};

void progress_start(struct progress *progress, size_t total);
/* The same, but shows nothing if stderr is no terminal. */
void progress_start_on_terminal(struct progress *progress, size_t total);
/* Begins step `name`; the name must live on. */
void progress_step(struct progress *progress, const char *name);
/* Sets the fraction of the step that is done: 0 to 1. NULL progress is fine. */
void progress_update(struct progress *progress, double fraction);
/* Returns the remaining seconds if the other steps take as long as those that are done; NAN until one is. `elapsed` is
 * in seconds. */
double progress_left(const struct progress *progress, double elapsed, double fraction);
/* Clears the line. */
void progress_finish(struct progress *progress);

#endif
