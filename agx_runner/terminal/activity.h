/* SPDX-License-Identifier: MIT
 *
 * How long a process has worked or slept. Invariant: time in which it was ready to run and had no processor does not
 * count, nor time in which it was stopped. So a limit on it does not depend on what else the host does.
 */
#ifndef AGX_RUNNER_ACTIVITY_H
#define AGX_RUNNER_ACTIVITY_H

#include <stdbool.h>
#include <sys/types.h>

/* Of a process and its descendants. */
struct activity {
   pid_t process;  /* 0: none */
   double cpu;     /* seconds of processor time at the last look */
   double looked;  /* seconds of the monotonic clock at the last look */
   bool slept;     /* all slept then */
   double seconds; /* worked or slept so far */
   bool rested;    /* none ran or was ready to at the last look: all slept or were stopped */
   double idle;    /* seconds for which that was so */
};

/* From now on, of that process. */
void activity_start(struct activity *activity, pid_t process);
/* The seconds so far. It looks at the process at most each ACTIVITY_PAUSE seconds; who waits for a limit must call it
 * that often. helper: a process that works for it elsewhere while it sleeps; 0: none. */
double activity_seconds(struct activity *activity, pid_t helper);
#define ACTIVITY_PAUSE 0.1

#endif
