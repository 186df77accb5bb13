/* SPDX-License-Identifier: MIT
 *
 * A child process of the runner: it receives orders and sends reports as lines on two pipes. Its standard output and
 * error are forwarded. It has its own process group, is killed when the runner ends, and leaves no core file.
 */
#ifndef PROCESS_CHILD_H
#define PROCESS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "process/child/activity.h"

struct child {
   pid_t pid;
   int orders;  /* for writing lines to the process */
   int reports; /* for reading lines from the process */
   int output;  /* for reading its stdout and stderr */
   bool silent; /* the output has ended */
   char *text;  /* reports that are not yet whole lines */
   size_t used, room;
   char last[200];   /* the last non-empty line of its output */
   size_t last_used; /* length of the line that is being read */
   char line[200];
   int status;     /* status of waitpid(), once it has ended */
   double started; /* start, in seconds of the monotonic clock */
   double heard;   /* time of its last report by child_seconds() */
   struct activity activity;
   pid_t helper; /* process given to child_count_work() */
};

/* Starts the process: life() runs in it with its ends of the pipes, and returns its exit code. Returns 0 or a negative
 * errno. */
int child_start(struct child *child, int (*life)(void *data, int orders, int reports), void *data);
/* Makes child_seconds() count the time in which the process works or sleeps. This is for a process with a virtual
 * device, whose work the host does beside other things. helper: a process that works for it elsewhere and has its own
 * limit; 0: none. */
void child_count_work(struct child *child, pid_t helper);
/* Returns the seconds since its start, by the monotonic clock or as child_count_work() says; in that case it must be
 * called every ACTIVITY_PAUSE or so. */
double child_seconds(struct child *child);
/* Seconds since child_count_work() in which nothing of it ran or was ready to run: it waited, or was stopped. It must
 * be called as often as child_seconds(). */
double child_idle_seconds(struct child *child);
/* One line for the process. A process that is gone is met when its reports are read. SIGPIPE must be ignored. */
__attribute__((format(printf, 2, 3))) void child_order(const struct child *child, const char *format, ...);
/* Reads its available output, forwards it to stderr and stores the last line. Returns false at the end of the
 * output. */
bool child_read_output(struct child *child);
/* Reads its available reports. Returns false at their end. */
bool child_read_reports(struct child *child);
/* Removes and returns one whole line; free() releases it. NULL: there is none. */
char *child_take_line(struct child *child);
/* How a process ends: by itself, while the runner waits; by SIGTERM, and SIGKILL if it has not ended within the grace
 * period; by SIGKILL. */
enum child_end { CHILD_ENDS, CHILD_ASKED, CHILD_KILLED };
/* Waits `grace` seconds for its end, then kills it. Returns false if it does not end, because it is stuck in the
 * kernel. */
bool child_stop(struct child *child, enum child_end how, double grace);
/* Ends a process that is idle: it is sent SIGALRM, whose handler may say where it is, and SIGCONT, because it may be
 * stopped; it is killed if it is still there after the grace. False: as above. */
bool child_stop_idle(struct child *child, double grace);
/* "killed by signal 11 (Segmentation fault): last line". */
void child_describe_end(const struct child *child, char *text, size_t size);
void child_finish(struct child *child);

/* In the process: sends one line to the runner. If the runner is gone, the process ends. */
__attribute__((format(printf, 2, 3))) void child_report(int reports, const char *format, ...);

#endif
