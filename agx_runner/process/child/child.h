/* SPDX-License-Identifier: MIT
 *
 * A child process of the runner: it takes orders and makes reports in lines on two pipes. Its standard output and error
 * are passed on. It has a process group of its own, dies with the runner, and leaves no core file.
 */
#ifndef AGX_RUNNER_CHILD_H
#define AGX_RUNNER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agx_runner/terminal/activity.h"

struct child {
   pid_t pid;
   int orders;  /* write: lines for the process */
   int reports; /* read: lines for the runner */
   int output;  /* read: its stdout and stderr */
   char *text;  /* of reports, not yet whole lines */
   size_t used, room;
   char last[200];   /* the last line of its output that is not empty */
   size_t last_used; /* of the line that is being read */
   char line[200];
   int status;     /* waitpid()'s, once it is gone */
   double started; /* seconds of the monotonic clock */
   double heard;   /* its last report, child_seconds() */
   struct activity activity;
   pid_t helper; /* child_count_work()'s */
};

/* Starts it: life() runs in the process, with its ends of the pipes, and returns its exit code. 0 or a negative errno.
 */
int child_start(struct child *child, int (*life)(void *data, int orders, int reports), void *data);
/* From now on its seconds are those in which it works or sleeps: for one whose device is virtual, because the host does
 * that device's work beside other things. helper: a process that works for it elsewhere, and has a limit of its own;
 * 0: none. */
void child_count_work(struct child *child, pid_t helper);
/* Seconds since it was started, of the monotonic clock or as child_count_work() says; then it must be called each
 * ACTIVITY_PAUSE or so. */
double child_seconds(struct child *child);
/* Seconds since child_count_work() in which nothing of it ran or was ready to run: it waited, or was stopped. It must
 * be called as often as child_seconds(). */
double child_idle_seconds(struct child *child);
/* One line for the process. A process that is gone is met when its reports are read. SIGPIPE must be ignored. */
__attribute__((format(printf, 2, 3))) void child_order(const struct child *child, const char *format, ...);
/* Reads what there is of its output, passes it on to stderr and keeps the last line. False: it closed it. */
bool child_read_output(struct child *child);
/* Reads what there is of its reports. False: it closed them. */
bool child_read_reports(struct child *child);
/* Takes one whole line out; free() it. NULL: there is none. */
char *child_take_line(struct child *child);
/* How a process comes to its end: it ends by itself and is waited for; it is sent SIGTERM, and killed if that does not
 * end it within the grace; it is killed. */
enum child_end { CHILD_ENDS, CHILD_ASKED, CHILD_KILLED };
/* Waits for its end for seconds, then kills it. False: it does not go (it is stuck in the kernel). */
bool child_stop(struct child *child, enum child_end how, double grace);
/* Ends a process that is idle: it is sent SIGALRM, whose handler may say where it is, and SIGCONT, because it may be
 * stopped; it is killed if it is still there after the grace. False: as above. */
bool child_stop_idle(struct child *child, double grace);
/* "killed by signal 11 (Segmentation fault): last line". */
void child_describe_end(const struct child *child, char *text, size_t size);
void child_finish(struct child *child);

/* In the process: one line for the runner, who ends the process by being gone. */
__attribute__((format(printf, 2, 3))) void child_report(int reports, const char *format, ...);

#endif
