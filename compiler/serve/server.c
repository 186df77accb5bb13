/* SPDX-License-Identifier: MIT
 *
 * The server's loop. It never waits for one job: a request forks a process, the end of a process is told to the
 * request's caller, and a limit that passes kills it.
 */
#include "compiler/serve/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/serve/job.h"
#include "util/clock.h"

#define JOBS_MAX 256
/* The limit is processor time. On a busy machine a job gets less than one processor; one that sleeps uses none. */
#define WALL_FACTOR 10.0

struct running {
   pid_t pid;
   int reply;
   double deadline; /* seconds of the monotonic clock; 0: none */
   bool late;
};

struct server {
   compiler_job *const *more; /* jobs of rooms above this one */
   bool pointers;             /* a message may name a function of this program */
   bool warm;                 /* clang is initialised */
   int socket, signals;
   struct running jobs[JOBS_MAX];
   size_t count;
};

static struct compiler_ending ending_of(int status, const struct rusage *usage)
{
   return (struct compiler_ending){
       .status = status, .late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU, .memory = usage->ru_maxrss};
}

void compiler_reply(int pipe, const struct compiler_ending *ending)
{
   /* A record is smaller than a pipe's buffer: it is written whole, or its reader has gone. */
   const ssize_t written = write(pipe, ending, sizeof(*ending));

   (void)written;
   close(pipe);
}

static void be_job(const struct server *server, const struct compiler_message *message, const int fds[COMPILER_FDS],
                   pid_t parent)
{
   sigset_t none;

   sigemptyset(&none);
   sigprocmask(SIG_SETMASK, &none, NULL);
   signal(SIGPIPE, SIG_DFL);
   close(server->socket);
   close(server->signals);
   for (size_t i = 0; i < server->count; i++) {
      close(server->jobs[i].reply);
   }
   if (message->kind == COMPILER_SESSION) {
      compiler_session_live(fds, parent, server->more);
   }
   compiler_job_live(message, fds, parent, server->more);
}

/* Compiles the shortest kernel, so that sessions inherit what clang initialises. Should it fail, jobs say why. */
static void warm_up(struct server *server)
{
   static const char source[] = "kernel void warm(global int *x) { *x = 1; }";
   const struct compiler_options options = {.arguments = ""};
   struct compiler_result result;

   if (!server->warm) {
      server->warm = true;
      compiler_set_in_process(true);
      (void)compiler_opencl("warm.cl", source, sizeof(source) - 1, &options, &result);
      compiler_result_finish(&result);
   }
}

/* Makes what jobs need once, before they are forked. */
static void prepare(struct server *server, uint32_t kind)
{
   static const bool libclc[COMPILER_KINDS] = {[COMPILER_POINTER] = true,
                                               [COMPILER_OPENCL] = true,
                                               [COMPILER_SPIRV] = true,
                                               [COMPILER_KERNEL] = true,
                                               [COMPILER_SESSION] = true};

   if (libclc[kind]) {
      compiler_prepare();
   }
   if (kind == COMPILER_SESSION) {
      warm_up(server);
   }
}

static void start_job(struct server *server, const struct compiler_message *message, const int fds[COMPILER_FDS])
{
   struct compiler_ending failed = {0};
   const pid_t parent = getpid();
   pid_t pid = -1;

   prepare(server, message->kind);
   if (server->count == JOBS_MAX) {
      errno = EAGAIN;
   } else {
      pid = fork();
   }
   if (pid == 0) {
      be_job(server, message, fds, parent);
   }
   failed.error = errno;
   close(fds[COMPILER_FD_MEMORY]);
   close(fds[COMPILER_FD_OUTPUT]);
   if (pid < 0) {
      compiler_reply(fds[COMPILER_FD_REPLY], &failed);
      return;
   }
   server->jobs[server->count++] =
       (struct running){.pid = pid,
                        .reply = fds[COMPILER_FD_REPLY],
                        .deadline = message->kind != COMPILER_SESSION && message->limits.seconds > 0
                                        ? util_clock_seconds() + WALL_FACTOR * message->limits.seconds
                                        : 0};
}

/* False: every caller has gone. */
static bool take_request(struct server *server)
{
   struct compiler_message message;
   int fds[COMPILER_FDS];
   const int received = compiler_receive(server->socket, &message, fds);

   if (received > 0 && (message.kind != COMPILER_POINTER || server->pointers)) {
      start_job(server, &message, fds);
   } else if (received > 0) {
      for (size_t i = 0; i < COMPILER_FDS; i++) {
         close(fds[i]);
      }
   }
   return received >= 0;
}

static void finish_job(struct server *server, pid_t pid, int status, const struct rusage *usage)
{
   for (size_t i = 0; i < server->count; i++) {
      if (server->jobs[i].pid == pid) {
         struct compiler_ending ending = ending_of(status, usage);

         ending.late |= server->jobs[i].late;
         compiler_reply(server->jobs[i].reply, &ending);
         server->jobs[i] = server->jobs[--server->count];
         return;
      }
   }
}

static void reap(struct server *server)
{
   struct signalfd_siginfo signals[8];
   struct rusage usage;
   int status;
   pid_t pid;

   while (read(server->signals, signals, sizeof(signals)) > 0) {
   }
   while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
      finish_job(server, pid, status, &usage);
   }
}

/* Kills jobs whose time is over, or whose caller has gone. */
static void check_jobs(struct server *server, const struct pollfd *replies)
{
   for (size_t i = 0; i < server->count; i++) {
      struct running *job = &server->jobs[i];
      const bool late = job->deadline != 0 && job->deadline <= util_clock_seconds();

      if (late || (replies[i].revents & POLLERR) != 0) {
         job->late |= late;
         job->deadline = 0;
         kill(job->pid, SIGKILL);
      }
   }
}

/* Milliseconds until the next deadline; -1: there is none. */
static int time_to_deadline(const struct server *server)
{
   double first = 0;

   for (size_t i = 0; i < server->count; i++) {
      const double deadline = server->jobs[i].deadline;

      first = deadline != 0 && (first == 0 || deadline < first) ? deadline : first;
   }
   if (first == 0) {
      return -1;
   }
   const double left = (first - util_clock_seconds()) * 1e3;
   return left <= 0 ? 0 : left >= 1e9 ? 1000000000 : (int)left + 1;
}

void compiler_server_live(int socket, bool pointers, compiler_job *const more[COMPILER_KINDS])
{
   struct server *server = calloc(1, sizeof(*server));
   struct pollfd *polls = calloc(JOBS_MAX + 2, sizeof(*polls));
   sigset_t mask;

   compiler_cache_set(false); /* what this process itself compiles warms it */
   sigemptyset(&mask);
   sigaddset(&mask, SIGCHLD);
   sigprocmask(SIG_SETMASK, &mask, NULL);
   signal(SIGCHLD, SIG_DFL);
   signal(SIGPIPE, SIG_IGN);
   if (server == NULL || polls == NULL) {
      _exit(1);
   }
   server->socket = socket;
   server->pointers = pointers;
   server->more = more;
   server->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
   for (bool open = server->signals >= 0; open;) {
      polls[0] = (struct pollfd){.fd = server->socket, .events = POLLIN};
      polls[1] = (struct pollfd){.fd = server->signals, .events = POLLIN};
      for (size_t i = 0; i < server->count; i++) {
         polls[2 + i] = (struct pollfd){.fd = server->jobs[i].reply};
      }
      if (poll(polls, 2 + server->count, time_to_deadline(server)) < 0 && errno != EINTR) {
         break;
      }
      check_jobs(server, polls + 2);
      if (polls[1].revents != 0) {
         reap(server);
      }
      if (polls[0].revents != 0) {
         open = take_request(server);
      }
   }
   /* The jobs die with this process. */
   _exit(0);
}
