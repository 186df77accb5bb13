/* SPDX-License-Identifier: MIT
 *
 * SIGINT and SIGTERM for commands. The first one ends the process with EXIT_ABORTED: at once, or, while something is
 * being measured, when that has been kept, within INTERRUPT_SECONDS. A second one ends it at once.
 */
#ifndef AGX_RUNNER_INTERRUPT_H
#define AGX_RUNNER_INTERRUPT_H

#include <stdbool.h>

#define INTERRUPT_SECONDS 1.5

/* From now on the process ends as said above. A signal that is ignored (nohup, a script's background) stays so. */
void interrupt_listen(void);
/* Whether it does: a worker process is asked to end in other ways. */
bool interrupt_is_heard(void);
/* In a forked process: signals do what they do by default. */
void interrupt_forget(void);
/* A signal has come. */
bool interrupt_requested(void);
/* Which signal it was, when it was sent to this process, and not by the terminal to all of its foreground group; else
 * 0.
 */
int interrupt_sent(void);
/* The signal is somebody else's business: as if it had not come. */
void interrupt_dismiss(void);
/* One has come to somebody who took it from a queue of his own: the next one ends the process at once. */
void interrupt_took_first(void);

/* Calls nest. From interrupt_defer() to interrupt_settle() the process looks at interrupt_requested(), and ends by
 * itself; it is ended when it takes longer than INTERRUPT_SECONDS. */
void interrupt_defer(void);
void interrupt_settle(void);
/* Calls nest. From interrupt_hold() to interrupt_release() only a second signal ends the process: a job runs on
 * hardware, whose recovery would hit other clients. */
void interrupt_hold(void);
void interrupt_release(void);

/* A file to be removed if the process is ended by a signal. The text must live until interrupt_keep(). */
void interrupt_remove(const char *path);
void interrupt_keep(const char *path);

#endif
