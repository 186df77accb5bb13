/* SPDX-License-Identifier: MIT
 *
 * The compile service of a program without a compiler: its server is agx-compile. Invariant: nothing is asked of a
 * program that has not said that it is an agx-compile of this protocol.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/api/result.h"
#include "compiler/api/service.h"
#include "process/child/activity.h"

/* To start in. What else the host does is not counted. */
#define ANSWER_IDLE_SECONDS 5.0 /* in which nothing of it runs or is ready to run */
#define ANSWER_WORK_SECONDS 20.0
#define NO_PROGRAM "none" /* compiler_mesa_version() without a compiler */

/* Of each compiler. */
static struct {
   char why[512];
   struct compiler_hello hello; /* of the server that runs */
} clients[COMPILERS];

/* ---- The server ---- */

/* The answer of a process that could not become agx-compile: a hello without a magic number, and the errno. */
__attribute__((noreturn)) static void say_error(int socket, int error)
{
   struct compiler_hello hello;

   memset(&hello, 0, sizeof(hello));
   hello.protocol = (uint32_t)error;
   (void)send(socket, &hello, sizeof(hello), MSG_NOSIGNAL);
   _exit(1);
}

void compiler_local_serve(int socket)
{
   const char *path = compiler_program();
   char number[16];

   if (fcntl(socket, F_SETFD, 0) < 0) {
      say_error(socket, errno);
   }
   snprintf(number, sizeof(number), "%d", socket);
   execl(path, path, COMPILER_SERVE_OPTION, number, (char *)NULL);
   say_error(socket, errno);
}

__attribute__((format(printf, 2, 3))) static int fail(const char **why, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(clients[compiler_used()].why, sizeof(clients[0].why), format, arguments);
   va_end(arguments);
   *why = clients[compiler_used()].why;
   return -ECONNREFUSED;
}

/* It has closed its end without a word. */
static int describe_end(pid_t server, const char **why)
{
   int status;

   if (waitpid(server, &status, 0) != server) {
      return fail(why, "%s: ended before it said what it is", compiler_program());
   }
   if (WIFSIGNALED(status)) {
      return fail(why, "%s: killed by signal %d (%s) when it was started", compiler_program(), WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
   }
   return fail(why, "%s: ended with exit code %d when it was started: is it an agx-compile?", compiler_program(),
               WEXITSTATUS(status));
}

static bool is_text(const char *text, size_t size)
{
   return memchr(text, '\0', size) != NULL;
}

static int check_hello(const struct compiler_hello *hello, size_t size, const char **why)
{
   static const uint32_t sizes[] = COMPILER_SIZES;

   if (size == sizeof(*hello) && hello->magic[0] == '\0' && hello->protocol != 0) {
      return fail(why, "%s: cannot be started: %s", compiler_program(), strerror((int)hello->protocol));
   }
   if (size < offsetof(struct compiler_hello, sizes) ||
       memcmp(hello->magic, COMPILER_MAGIC, sizeof(hello->magic)) != 0) {
      return fail(why, "%s: is no agx-compile", compiler_program());
   }
   if (hello->protocol != COMPILER_PROTOCOL) {
      return fail(why, "%s: speaks protocol %u, this program %d: take both of one version", compiler_program(),
                  hello->protocol, COMPILER_PROTOCOL);
   }
   if (size != sizeof(*hello) || memcmp(hello->sizes, sizes, sizeof(sizes)) != 0 ||
       !is_text(hello->mesa, sizeof(hello->mesa)) || !is_text(hello->mesa_commit, sizeof(hello->mesa_commit)) ||
       !is_text(hello->extensions, sizeof(hello->extensions))) {
      return fail(why, "%s: was built for another machine or another version", compiler_program());
   }
   clients[compiler_used()].hello = *hello;
   return 0;
}

/* Returns false if it says nothing and does not end. */
static bool await_answer(int socket, pid_t server)
{
   struct pollfd hears = {.fd = socket, .events = POLLIN};
   struct activity activity;
   int ready;

   activity_start(&activity, server);
   do {
      ready = poll(&hears, 1, (int)(ACTIVITY_PAUSE * 1000));
   } while (ready <= 0 && activity_seconds(&activity, 0) < ANSWER_WORK_SECONDS && activity.idle < ANSWER_IDLE_SECONDS);
   return ready > 0;
}

int compiler_local_greet(int socket, pid_t server, const char **why)
{
   struct compiler_hello hello;
   const char *missing;

   if (compiler_path(&missing) == NULL) {
      return fail(why, "%s", missing);
   }
   if (!await_answer(socket, server)) {
      kill(-server, SIGKILL); /* what it has started, too */
      kill(server, SIGKILL);
      (void)waitpid(server, NULL, 0);
      return fail(why, "%s: does not answer: is it an agx-compile?", compiler_program());
   }
   /* Other processes that share the socket read the hello, too, so that nobody removes it. */
   const ssize_t got = recv(socket, &hello, sizeof(hello), MSG_PEEK | MSG_TRUNC);
   return got > 0 ? check_hello(&hello, (size_t)got, why) : describe_end(server, why);
}

/* ---- What the compiler knows ---- */

struct util_store_key compiler_cache_identity(void)
{
   const char *why;

   return compiler_connect(&why) == 0 ? clients[compiler_used()].hello.identity : (struct util_store_key){0};
}

const char *compiler_mesa_version(void)
{
   const char *why;

   return compiler_connect(&why) == 0 ? clients[compiler_used()].hello.mesa : NO_PROGRAM;
}

const char *compiler_mesa_commit(void)
{
   const char *why;

   return compiler_connect(&why) == 0 ? clients[compiler_used()].hello.mesa_commit : "unknown";
}

const char *compiler_opencl_extensions(void)
{
   const char *why;

   return compiler_connect(&why) == 0 ? clients[compiler_used()].hello.extensions : "";
}

struct agx_program *compiler_helper_program(void)
{
   const struct compiler_request request = {.kind = COMPILER_HELPER, .data = "", .name = "helper", .libclc = true};
   struct compiler_result result;
   struct agx_program *program = NULL;

   if (compiler_service_run(&request, &result) == 0 && result.count == 1) {
      program = result.programs[0];
      result.count = 0;
   }
   compiler_result_finish(&result);
   return program;
}

/* ---- What only a program with a compiler can do ---- */

int compiler_local_run(const struct compiler_request *request, struct compiler_result *result)
{
   (void)request;
   return compiler_result_init(result) < 0 ? -ENOMEM
                                           : compiler_refuse(result, REFUSAL_RUNNER, "has no compiler in its process");
}

void compiler_local_job(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent)
{
   (void)message, (void)fds, (void)parent;
   _exit(1);
}
