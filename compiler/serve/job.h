/* SPDX-License-Identifier: MIT
 *
 * The life of a process that compiles: one job, or a session of many.
 */
#ifndef COMPILER_JOB_H
#define COMPILER_JOB_H

#include <sys/types.h>

#include "compiler/api/protocol.h"

/* It has a malloc() of its own and needs more memory. */
#if defined(__SANITIZE_ADDRESS__)
#define COMPILER_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COMPILER_HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef COMPILER_HAS_ADDRESS_SANITIZER
#define COMPILER_HAS_ADDRESS_SANITIZER 0
#endif

/* Returns the function of this kind of job; NULL: there is none. `more`: the jobs of rooms above this one, by kind; may
 * be NULL. */
compiler_job *compiler_job_of(uint32_t kind, compiler_job *const more[COMPILER_KINDS]);

/* Sets its limits, runs the job, and leaves its result in the shared memory. The process dies with its parent. */
void compiler_job_live(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent,
                       compiler_job *const more[COMPILER_KINDS]) __attribute__((noreturn));
/* Runs the jobs that come from the socket fds[COMPILER_FD_MEMORY], until their caller has gone. Limits of memory do not
 * hold here. */
void compiler_session_live(const int fds[COMPILER_FDS], pid_t parent, compiler_job *const more[COMPILER_KINDS])
    __attribute__((noreturn));

/* Tells how a job ended, and closes the pipe. */
void compiler_reply(int pipe, const struct compiler_ending *ending);

#endif
