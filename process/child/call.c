/* SPDX-License-Identifier: MIT
 *
 * One call: starts a child, waits for its last line, applies the limits. Invariant: the child's status is read.
 */
#include "process/child/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/child/child.h"
#include "process/child/watch.h"
#include "util/array.h"

#define LOOK_MS 200 /* between two looks at a process that says nothing */
#define GRACE 2.0   /* seconds that an idle process has for saying where it is */

struct call {
   void (*function)(void *data);
   void *data;
   double work;
};

void call_limit_work(double seconds)
{
   static timer_t timer;
   static pid_t owner; /* timers are not inherited by a fork */
   struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
   const struct itimerspec time = {
       .it_value = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)}};

   if (owner != getpid()) {
      if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) < 0) {
         return; /* the limit of idle time remains */
      }
      owner = getpid();
   }
   (void)timer_settime(timer, 0, &time, NULL);
}

static int live(void *data, int orders, int reports)
{
   const struct call *call = data;

   (void)orders;
   call_limit_work(call->work);
   call->function(call->data);
   child_report(reports, "done");
   return 0;
}

struct call_fate call_fate_of(int status)
{
   static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

   if (!WIFSIGNALED(status)) {
      return (struct call_fate){WEXITSTATUS(status) == 0 ? CALL_DONE : CALL_EXITED, WEXITSTATUS(status)};
   }
   struct call_fate fate = {WTERMSIG(status) == SIGALRM ? CALL_LATE : CALL_KILLED, WTERMSIG(status)};
   for (size_t i = 0; i < ARRAY_COUNT(crashes); i++) {
      fate.end = fate.number == crashes[i] ? CALL_CRASHED : fate.end;
   }
   return fate;
}

/* Waits for the end of the reports, or a limit. */
static enum call_end wait_for(struct child *child, const struct call_limits *limits)
{
   bool counted = false;

   for (;;) {
      struct child_watch watch = {.child = child};

      (void)child_watch(&watch, 1, -1, NULL, LOOK_MS);
      if (limits->cancel != NULL && *limits->cancel != 0) {
         return CALL_CANCELED;
      }
      if (watch.reported && !child_read_reports(child)) {
         return CALL_DONE;
      }
      if (!counted && child_seconds(child) * 1000 > LOOK_MS) { /* most calls have ended by now */
         child_count_work(child, 0);
         counted = true;
      }
      if (counted && limits->idle > 0 && child_idle_seconds(child) > limits->idle) {
         return CALL_IDLE;
      }
   }
}

struct call_fate call_run(void (*function)(void *data), void *data, const struct call_limits *limits)
{
   struct call call = {function, data, limits->work};
   struct child child;
   const int error = child_start(&child, live, &call);

   if (error < 0) {
      return (struct call_fate){CALL_NONE, -error};
   }
   const enum call_end end = wait_for(&child, limits);
   const bool gone = end == CALL_IDLE       ? child_stop_idle(&child, GRACE)
                     : end == CALL_CANCELED ? child_stop(&child, CHILD_KILLED, 0)
                                            : child_stop(&child, CHILD_ENDS, 0);
   struct call_fate fate = gone ? call_fate_of(child.status) : (struct call_fate){CALL_IDLE, 0};
   char *line = child_take_line(&child);
   if (end != CALL_DONE) {
      fate.end = end;
   } else if (fate.end == CALL_DONE && line == NULL) {
      fate.end = CALL_EXITED;
   }
   free(line);
   child_finish(&child);
   return fate;
}

void call_describe(const struct call_fate *fate, const struct call_limits *limits, char *text, size_t size)
{
   switch (fate->end) {
   case CALL_DONE:
      snprintf(text, size, "ended");
      break;
   case CALL_CRASHED:
      snprintf(text, size, "%s", strsignal(fate->number));
      break;
   case CALL_LATE:
      snprintf(text, size, "hang: no end after %g s of processor time", limits->work);
      break;
   case CALL_IDLE:
      snprintf(text, size, "hang: idle for %g s, stopped by a signal or waiting", limits->idle);
      break;
   case CALL_KILLED:
      snprintf(text, size, "killed by SIG%s", sigabbrev_np(fate->number));
      break;
   case CALL_EXITED:
      snprintf(text, size, "exited with status %d", fate->number);
      break;
   case CALL_CANCELED:
      snprintf(text, size, "canceled");
      break;
   case CALL_NONE:
      snprintf(text, size, "not started: %s", strerror(fate->number));
      break;
   }
}
