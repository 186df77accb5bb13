/* SPDX-License-Identifier: MIT
 *
 * The process that forks a process for each job.
 */
#ifndef COMPILER_SERVER_H
#define COMPILER_SERVER_H

#include "compiler/api/protocol.h"

/* The server's life: takes jobs from the socket until every caller has closed its end. `pointers`: a message may name a
 * function of this program (COMPILER_POINTER). `more`: as for compiler_job_of(). */
void compiler_server_live(int socket, bool pointers, compiler_job *const more[COMPILER_KINDS])
    __attribute__((noreturn));

#endif
