/* SPDX-License-Identifier: MIT
 *
 * The compile service. Each compilation runs in a process of its own, with limits, because clang, the SPIR-V
 * translator and Mesa crash on some valid programs, and such a crash must not end the caller.
 *
 *    caller  --request-->  server  --fork-->  job: compiles, writes its result into shared memory
 *       ^-------- how the job ended ---|
 *
 * The server is a fork of the calling program that keeps libclc loaded and does nothing but fork jobs: it has no
 * device and no results to lose, and forking it costs about a millisecond. It starts with the first job, serves this
 * process and its forks, several at a time, and ends with them. A job whose caller no longer waits for it is killed.
 *
 * A request names a function of this program and its input bytes; the server is the same program, with its functions
 * at the same addresses. A job that does not need libclc is forked from the caller itself, without the server, and so
 * inherits all of the caller's memory.
 */
#ifndef COMPILER_SERVICE_H
#define COMPILER_SERVICE_H

#include "compiler/cache/cache.h"
#include "compiler/compiler.h"
#include "compiler/stage.h"

struct compiler_request {
   compiler_job *run;
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
bool compiler_service_load(const struct compiler_cache_key *key, struct compiler_result *result);
/* Stores the result of a compilation that returned `ret`, if each kernel became a program. */
void compiler_service_store(const struct compiler_cache_key *key, int ret, const struct compiler_result *result);

/* Whether jobs run in processes of their own (compiler_set_in_process()). */
bool compiler_service_has_processes(void);

/* Runs a job and takes its result. A job of OpenCL C or SPIR-V that crashes in the backend runs a second time
 * (compiler_set_second_try()); if that crashes, too, the first crash is reported. Returns what the job returned, or
 * -EFAULT with result->crash and the log if its process crashed; -ENOMEM. compiler_result_finish() must follow in any
 * case. */
int compiler_service_run(const struct compiler_request *request, struct compiler_result *result);

#endif
