/* SPDX-License-Identifier: MIT
 *
 * A process that does one piece of a run: it opens the device, and tells the runner what it does in lines on a pipe.
 */
#ifndef AGX_RUNNER_CHILD_H
#define AGX_RUNNER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
   pid_t pid;
   int reports; /* read: lines for the runner */
   int output;  /* read: its stdout and stderr */
   char *text;  /* of reports, not yet whole lines */
   size_t used, room;
   char last[200];   /* the last line of its output that is not empty */
   size_t last_used; /* of the line that is being read */
   char line[200];
   int status;            /* waitpid()'s, once it is gone */
   double started, heard; /* seconds of the monotonic clock */
};

double child_now(void); /* seconds of the monotonic clock */

/* Starts it: life() runs in the process, with the pipe's end, and returns its exit code. It has a process group of its
 * own, dies with the runner, and leaves no core file. 0 or a negative errno. */
int child_start(struct child *child, int (*life)(void *data, int reports), void *data);
/* Reads what there is of its output, passes it on to stderr and keeps the last line. False: it closed it. */
bool child_read_output(struct child *child);
/* Reads what there is of its reports. False: it closed them. */
bool child_read_reports(struct child *child);
/* Takes one whole line out; free() it. NULL: there is none. */
char *child_take_line(struct child *child);
/* Waits for its end, after kill(SIGKILL) if `kill_it`. False: it does not go (it is stuck in the kernel). */
bool child_stop(struct child *child, bool kill_it);
/* "killed by signal 11 (Segmentation fault): last line". */
void child_describe_end(const struct child *child, char *text, size_t size);
void child_finish(struct child *child);

/* In the process: one line for the runner, who ends the process by being gone. */
__attribute__((format(printf, 2, 3))) void child_report(int reports, const char *format, ...);

#endif
