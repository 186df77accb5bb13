/* SPDX-License-Identifier: MIT
 *
 * SIGINT and SIGTERM for commands. The first one ends the process with EXIT_ABORTED: at once, or, during a
 * measurement, when its results have been stored, within INTERRUPT_SECONDS. A second one ends it at once.
 */
#ifndef PROCESS_INTERRUPT_H
#define PROCESS_INTERRUPT_H

#include <stdbool.h>

#define INTERRUPT_SECONDS 1.5

/* From now on the process ends as described above. A signal that is ignored (nohup, a script's background) remains
 * ignored. */
void interrupt_listen(void);
/* Before exec(): a signal waits until the new program listens, which exec() would let end it by default. */
void interrupt_wait(void);
/* Whether this process listens. Worker processes do not: the runner ends them in other ways. */
bool interrupt_is_heard(void);
/* In a forked process: restores the default actions of signals. */
void interrupt_forget(void);
/* Whether a signal has arrived. */
bool interrupt_requested(void);
/* Returns which signal it was if it was sent to this process, and not by the terminal to its whole foreground group;
 * else 0. */
int interrupt_sent(void);
/* Discards the signal, which is handled elsewhere. */
void interrupt_dismiss(void);
/* Call it after taking a first signal from another queue: the next one ends the process at once. */
void interrupt_took_first(void);

/* Calls nest. From interrupt_defer() to interrupt_settle() the process checks interrupt_requested() and ends by itself;
 * it is ended if that takes longer than INTERRUPT_SECONDS. */
void interrupt_defer(void);
void interrupt_settle(void);
/* Calls nest. From interrupt_hold() to interrupt_release() only a second signal ends the process: a job runs on
 * hardware, whose recovery would hit other clients. */
void interrupt_hold(void);
void interrupt_release(void);

/* Removes a file if a signal ends the process. The text must live until interrupt_keep(). */
void interrupt_remove(const char *path);
void interrupt_keep(const char *path);

#endif
