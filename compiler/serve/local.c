/* SPDX-License-Identifier: MIT
 *
 * The compile service in a program that contains the compiler: its server is a fork of the program.
 */
#include "compiler/api/service.h"

#include <errno.h>

#include "compiler/serve/job.h"
#include "compiler/serve/server.h"

void compiler_local_serve(int socket)
{
   compiler_server_live(socket, true, NULL);
}

int compiler_local_greet(int socket, pid_t server, const char **why)
{
   (void)socket, (void)server, (void)why;
   return 0;
}

int compiler_local_run(const struct compiler_request *request, struct compiler_result *result)
{
   compiler_job *job = request->kind == COMPILER_POINTER ? request->run : compiler_job_of(request->kind, NULL);

   compiler_stage(COMPILER_STAGE_START);
   const int ret = job != NULL ? job(request->data, request->size, result) : -EINVAL;
   compiler_stage_kernel(NULL);
   compiler_stage(COMPILER_STAGE_DONE);
   return ret;
}

void compiler_local_job(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent)
{
   compiler_job_live(message, fds, parent, NULL);
}
