/* SPDX-License-Identifier: MIT
 *
 * Progress on stderr of whatever takes over two seconds: one line rewritten on a terminal, else a line now and then.
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
   /* In a process that has somebody to tell instead of showing it; NULL: none. */
   void (*report)(void *data, double fraction);
   void *data;
};

void progress_start(struct progress *progress, size_t total);
/* The same, but where stderr is no terminal nothing is shown. */
void progress_start_on_terminal(struct progress *progress, size_t total);
/* Step `name` begins; the name must live on. */
void progress_step(struct progress *progress, const char *name);
/* So much of the step is done: 0 to 1. NULL progress is fine. */
void progress_update(struct progress *progress, double fraction);
/* Seconds left if the other steps take as long as those that are done; NAN until one is. `elapsed` is in seconds. */
double progress_left(const struct progress *progress, double elapsed, double fraction);
/* Clears the line. */
void progress_finish(struct progress *progress);

#endif
