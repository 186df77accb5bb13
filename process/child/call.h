/* SPDX-License-Identifier: MIT
 *
 * A function that runs in a process of its own while the caller waits. What it finds out it leaves in memory that both
 * share. A crash, a hang or a kill costs that process only, and the caller is told which of them it was.
 */
#ifndef PROCESS_CALL_H
#define PROCESS_CALL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Limits of a process; 0: none. */
struct call_limits {
   double work; /* seconds of processor time, counted in the process: SIGALRM ends it, whose handler may say where */
   double idle; /* seconds in which nothing of it runs or is ready to run: it waits, or is stopped */
   const volatile sig_atomic_t *cancel; /* not 0: the process is killed; NULL: nobody cancels */
};

enum call_end {
   CALL_DONE,     /* the function returned */
   CALL_CRASHED,  /* a signal of its own: SIGSEGV, SIGABRT, ... */
   CALL_LATE,     /* over the limit of processor time */
   CALL_IDLE,     /* over the limit of idle time */
   CALL_KILLED,   /* somebody else's signal: SIGKILL where memory is short */
   CALL_EXITED,   /* it ended without returning */
   CALL_CANCELED, /* as the caller wished */
   CALL_NONE,     /* it was not started */
};

struct call_fate {
   enum call_end end;
   int number; /* signal, exit status, or errno of CALL_NONE */
};

struct call_fate call_run(void (*function)(void *data), void *data, const struct call_limits *limits);
/* The same for a process that was started elsewhere and waited for: waitpid()'s status. A process that exits with 0 is
 * CALL_DONE. */
struct call_fate call_fate_of(int status);
/* "killed by SIGKILL", "hang: no end after 60 s of processor time". */
void call_describe(const struct call_fate *fate, const struct call_limits *limits, char *text, size_t size);

/* In a process: SIGALRM after so many seconds of processor time from now on, of all its threads together. 0: no limit.
 * What else the machine does ends no process. */
void call_limit_work(double seconds);

#endif
