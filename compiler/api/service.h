/* SPDX-License-Identifier: MIT
 *
 * The compile service. Each compilation runs in a process of its own, with limits, because clang, the SPIR-V
 * translator and Mesa crash on some valid programs, and such a crash must not end the caller.
 *
 *    caller  --request-->  server  --fork-->  job: compiles, writes its result into shared memory
 *       ^-------- how the job ended ---|
 *
 * The server keeps libclc loaded and does nothing but fork jobs: it has no
 * device and no results to lose, and a fork of it costs about a millisecond. It starts with the first job, serves
 * this process and its forks, several at a time, and ends with them. A job that its caller no longer waits for is
 * killed.
 *
 * In agx-runner the server is another program, agx-compile; where the compiler is a part of the program itself, it is a
 * fork of that (compiler_local_serve()). A request has a kind and the bytes it works on. In a fork it may name a
 * function instead, and a job that does not need libclc is forked from the caller itself: it finds all of the caller's
 * memory.
 *
 * A process that compiles many short kernels may have a session: one process that compiles them all, one after the
 * other. A crash ends the session, and the next job starts another.
 */
#ifndef COMPILER_SERVICE_H
#define COMPILER_SERVICE_H

#include <sys/types.h>

#include "compiler/api/protocol.h"

struct compiler_request {
   uint32_t kind;     /* enum compiler_kind (compiler/api/protocol.h) */
   compiler_job *run; /* of COMPILER_POINTER */
   const void *data;
   size_t size;
   const char *name;   /* of the source, for messages */
   bool second_try;    /* set by compiler_service_run() */
   bool no_second_try; /* never run it a second time */
   bool libclc;        /* it needs OpenCL's functions, and is forked from the server that has loaded them */
   /* a name for `run`, if the result depends on that and on the bytes of `data` alone, so that it may come from the
    * compilation cache. NULL: it depends on more */
   const char *cached;
};

/* Reads a compilation's result from the cache; false: it is not there. `result` needs no compiler_result_init(). */
bool compiler_service_load(const struct util_store_key *key, struct compiler_result *result);
/* Stores the result of a compilation that returned `ret`, if each kernel became a program. */
void compiler_service_store(const struct util_store_key *key, int ret, const struct compiler_result *result);

/* Whether jobs run in processes of their own (compiler_set_in_process()). */
bool compiler_service_has_processes(void);

/* The socket of the server, which can take jobs; -1: there is none. */
int compiler_service_socket(void);

/* Runs a job and takes its result. A job of OpenCL C or SPIR-V that crashes in the backend runs a second time
 * (compiler_set_second_try()); if that crashes, too, the first crash is reported. Returns what the job returned, or
 * -EFAULT with result->crash and the log if its process crashed; -ENOMEM. compiler_result_finish() must follow in any
 * case. */
int compiler_service_run(const struct compiler_request *request, struct compiler_result *result);

/* ---- What a program provides ----
 *
 * There are two implementations, and a program links one: serve/local.c, where the compiler is a part of the program
 * (agx-compile, agx-fuzz, tests), and client/client.c, where it is agx-compile (agx-runner). */

/* In the server's process, a fork of the caller, which has nothing open but standard streams and the socket. */
void compiler_local_serve(int socket) __attribute__((noreturn));
/* Waits until the server can take jobs. 0, or a negative errno with *why: a sentence that stays valid. */
int compiler_local_greet(int socket, pid_t server, const char **why);
/* Compiles in this process. */
int compiler_local_run(const struct compiler_request *request, struct compiler_result *result);
/* The life of a job's process that the caller has forked itself (compiler_request.libclc is false). */
void compiler_local_job(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent)
    __attribute__((noreturn));

#endif
