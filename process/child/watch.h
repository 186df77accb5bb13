/* SPDX-License-Identifier: MIT
 *
 * Waits for several children at once. Whoever runs processes waits here.
 */
#ifndef PROCESS_WATCH_H
#define PROCESS_WATCH_H

#include "process/child/child.h"

struct child_watch {
   struct child *child; /* NULL: none */
   bool ignored;        /* its reports stay in the pipe */
   bool reported;       /* the result: there are reports to read, or their end */
};

/* Waits until a child reports, a signal can be read from `signals` (a descriptor; -1: none), or the time has passed;
 * milliseconds -1: there is no limit. What the children print is forwarded meanwhile. *signaled may be NULL without a
 * descriptor. Returns 0 or a negative errno. */
int child_watch(struct child_watch *watches, size_t count, int signals, bool *signaled, int milliseconds);

#endif
