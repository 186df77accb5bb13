/* SPDX-License-Identifier: MIT
 *
 * The process that forks a process for each job, and the messages between it and its callers.
 */
#ifndef COMPILER_SERVER_H
#define COMPILER_SERVER_H

#include <sys/resource.h>
#include <sys/types.h>

#include "compiler/stage.h"

/* The address sanitizer has its own malloc() and needs more memory. */
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

/* One datagram for each job, with the descriptors of enum compiler_descriptor. */
struct compiler_message {
   compiler_job *run;
   size_t size; /* size of the request */
   struct compiler_limits limits;
   bool second_try; /* compiler_set_second_try() */
};

enum compiler_descriptor {
   COMPILER_FD_MEMORY, /* a memory file: struct compiler_shared, the request's bytes, the result's bytes */
   COMPILER_FD_OUTPUT, /* a memory file: the job's stdout and stderr */
   COMPILER_FD_REPLY,  /* a pipe: struct compiler_ending at the end of the job's process */
   COMPILER_FDS,
};

/* The header of the shared memory file. The bytes of the result follow those of the request. */
struct compiler_shared {
   struct compiler_progress progress;
   size_t result_size; /* 0: there is no complete result */
};

/* How a job's process ended. */
struct compiler_ending {
   int error;   /* errno if it could not be started, else 0 */
   int status;  /* status of waitpid() */
   bool late;   /* it was killed because it exceeded its time limit */
   long memory; /* largest resident memory in KiB */
};
void compiler_ending_set(struct compiler_ending *ending, int status, const struct rusage *usage);

/* The server's main function: takes jobs from the socket until every caller has closed its end. */
void compiler_server_live(int socket) __attribute__((noreturn));

/* The main function of a job's process: sets its limits, runs it, and stores its result in the shared memory. It is
 * killed when its parent ends. */
void compiler_job_live(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent)
    __attribute__((noreturn));

#endif
