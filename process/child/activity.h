/* SPDX-License-Identifier: MIT
 *
 * How long a process has worked or slept. Invariant: time in which it was ready but had no processor does not count,
 * nor time in which it was stopped. So a limit on it does not depend on the host's other load.
 */
#ifndef PROCESS_ACTIVITY_H
#define PROCESS_ACTIVITY_H

#include <stdbool.h>
#include <sys/types.h>

/* Of a process and its descendants. */
struct activity {
   pid_t process;  /* 0: none */
   double cpu;     /* seconds of processor time at the last look */
   double looked;  /* seconds of the monotonic clock at the last look */
   bool slept;     /* all threads slept at that time */
   double seconds; /* time of work and sleep so far */
   bool rested;    /* none was running or ready at the last sample: all slept or were stopped */
   double idle;    /* seconds for which `rested` was true */
};

/* Starts counting for that process. */
void activity_start(struct activity *activity, pid_t process);
/* Returns the seconds so far. It samples the process at most every ACTIVITY_PAUSE seconds, and must be called that
 * often while a limit is awaited. helper: a process that works for it elsewhere while it sleeps; 0: none. */
double activity_seconds(struct activity *activity, pid_t helper);
#define ACTIVITY_PAUSE 0.1

#endif
