/* SPDX-License-Identifier: MIT
 *
 * The server's loop. It never waits for one job: it forks a process for each request, reports the end of a process to
 * its caller, and kills one that exceeds a limit.
 */
#include "compiler/server.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <stdio.h>
#include <math.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/mesa.h"
#include "compiler/wire.h"
#include "util/array.h"
#include "util/clock.h"

#define JOBS_MAX 256
/* The limit is processor time. On a busy machine a job gets less than one processor; a sleeping one uses none. */
#define WALL_FACTOR 10.0

struct running {
   pid_t pid;
   int reply;
   double deadline; /* seconds of the monotonic clock; 0: none */
   bool late;
};

struct server {
   int socket, signals;
   struct running jobs[JOBS_MAX];
   size_t count;
};

void compiler_ending_set(struct compiler_ending *ending, int status, const struct rusage *usage)
{
   *ending = (struct compiler_ending){
       .status = status, .late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU, .memory = usage->ru_maxrss};
}

static void reply(int fd, const struct compiler_ending *ending)
{
   /* a record is smaller than a pipe's buffer: it is written completely, or its reader is gone */
   const ssize_t written = write(fd, ending, sizeof(*ending));

   (void)written;
   close(fd);
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
   compiler_job_live(message, fds, parent);
}

static void start_job(struct server *server, const struct compiler_message *message, const int fds[COMPILER_FDS])
{
   struct compiler_ending failed = {0};
   const pid_t parent = getpid();
   pid_t pid = -1;

   compiler_prepare();
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
      reply(fds[COMPILER_FD_REPLY], &failed);
      return;
   }
   server->jobs[server->count++] = (struct running){
       .pid = pid,
       .reply = fds[COMPILER_FD_REPLY],
       .deadline = message->limits.seconds > 0 ? util_clock_seconds() + WALL_FACTOR * message->limits.seconds : 0};
}

/* Returns false if every caller is gone. */
static bool take_request(struct server *server)
{
   struct compiler_message message;
   struct iovec part = {&message, sizeof(message)};
   union {
      struct cmsghdr head;
      char bytes[CMSG_SPACE(COMPILER_FDS * sizeof(int))];
   } control;
   struct msghdr header = {
       .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
   ssize_t size;

   do {
      size = recvmsg(server->socket, &header, MSG_CMSG_CLOEXEC);
   } while (size < 0 && errno == EINTR);
   if (size <= 0) {
      return false;
   }
   const struct cmsghdr *head = CMSG_FIRSTHDR(&header);
   if ((size_t)size == sizeof(message) && head != NULL && head->cmsg_type == SCM_RIGHTS &&
       head->cmsg_len == CMSG_LEN(COMPILER_FDS * sizeof(int))) {
      int fds[COMPILER_FDS];

      memcpy(fds, CMSG_DATA(head), sizeof(fds));
      start_job(server, &message, fds);
   }
   return true;
}

static void finish_job(struct server *server, pid_t pid, int status, const struct rusage *usage)
{
   for (size_t i = 0; i < server->count; i++) {
      if (server->jobs[i].pid == pid) {
         struct compiler_ending ending;

         compiler_ending_set(&ending, status, usage);
         ending.late |= server->jobs[i].late;
         reply(server->jobs[i].reply, &ending);
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

/* Kills jobs that exceed their time, or whose caller is gone. */
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

/* Returns the milliseconds until the next deadline; -1: there is none. */
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

void compiler_server_live(int socket)
{
   struct server *server = calloc(1, sizeof(*server));
   struct pollfd *polls = calloc(JOBS_MAX + 2, sizeof(*polls));
   sigset_t mask;

   sigemptyset(&mask);
   sigaddset(&mask, SIGCHLD);
   sigprocmask(SIG_SETMASK, &mask, NULL);
   signal(SIGCHLD, SIG_DFL);
   signal(SIGPIPE, SIG_IGN);
   if (server == NULL || polls == NULL) {
      _exit(1);
   }
   server->socket = socket;
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
   /* the jobs are killed when this process ends */
   _exit(0);
}

/* ---- Stages ---- */

static struct compiler_progress *announced;

void compiler_stage_set(struct compiler_progress *progress)
{
   announced = progress;
}

void compiler_stage(enum compiler_stage stage)
{
   if (announced != NULL) {
      announced->stage = stage;
   }
}

void compiler_stage_kernel(const char *kernel)
{
   if (announced != NULL) {
      snprintf(announced->kernel, sizeof(announced->kernel), "%s", kernel != NULL ? kernel : "");
   }
}

static bool second_try;

void compiler_set_second_try(bool second)
{
   second_try = second;
}

bool compiler_is_second_try(void)
{
   return second_try;
}

/* ---- A job's process ---- */

static void set_limit(__rlimit_resource_t resource, rlim_t value)
{
   struct rlimit limit;

   if (getrlimit(resource, &limit) == 0) {
      limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
      (void)setrlimit(resource, &limit);
   }
}

/* RLIMIT_DATA counts private writable memory, so neither the files of LLVM's libraries nor shared memory. The address
 * sanitizer's shadow would count, so there is no limit with it. */
static void set_limits(const struct compiler_limits *limits)
{
   const struct rlimit none = {0, 0};

   (void)setrlimit(RLIMIT_CORE, &none);
   if (limits->memory_mib != 0 && !COMPILER_HAS_ADDRESS_SANITIZER) {
      set_limit(RLIMIT_DATA, (rlim_t)limits->memory_mib << 20);
   }
   if (limits->seconds > 0) {
      set_limit(RLIMIT_CPU, (rlim_t)ceil(limits->seconds));
   }
}

static bool redirect_output(int output)
{
   const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

   return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
          dup2(output, STDERR_FILENO) >= 0;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size, size_t offset)
{
   while (size > 0) {
      const ssize_t n = pwrite(fd, bytes, size, (off_t)offset);
      if (n <= 0) {
         return false;
      }
      bytes += n;
      offset += (size_t)n;
      size -= (size_t)n;
   }
   return true;
}

/* clang and Mesa ignore failed allocations. The crash that follows is caused by the memory limit: the last call left
 * ENOMEM. The handler is removed before it runs (SA_RESETHAND). */
static void note_no_memory(int signal)
{
   if (errno == ENOMEM && announced != NULL) {
      announced->no_memory = 1;
   }
   raise(signal);
}

/* clang overflows its stack on deeply nested source. The address sanitizer has its own handlers. */
static void watch_crashes(void)
{
   static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP};
   static char stack[65536];
   const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
   struct sigaction action = {.sa_handler = note_no_memory, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};

   if (COMPILER_HAS_ADDRESS_SANITIZER || sigaltstack(&alternate, NULL) < 0) {
      return;
   }
   sigemptyset(&action.sa_mask);
   for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
      (void)sigaction(signals[i], &action, NULL);
   }
}

void compiler_job_live(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent)
{
   const size_t start = sizeof(struct compiler_shared) + message->size;
   struct compiler_shared *shared = mmap(NULL, start, PROT_READ | PROT_WRITE, MAP_SHARED, fds[COMPILER_FD_MEMORY], 0);
   struct compiler_writer writer = {0};
   struct compiler_result result = {0};

   prctl(PR_SET_PDEATHSIG, SIGKILL);
   if (getppid() != parent) {
      _exit(1);
   }
   compiler_set_in_process(true); /* for compilations of the job itself */
   if (shared == MAP_FAILED || !redirect_output(fds[COMPILER_FD_OUTPUT])) {
      _exit(1);
   }
   set_limits(&message->limits);
   compiler_set_second_try(message->second_try);
   compiler_stage_set(&shared->progress);
   watch_crashes();
   const int ret = message->run(shared + 1, message->size, &result);
   compiler_stage(COMPILER_STAGE_DONE);
   compiler_write_result(&writer, ret, &result);
   fflush(NULL);
   shared->progress.no_memory = writer.failed;
   if (writer.failed || !write_all(fds[COMPILER_FD_MEMORY], writer.bytes, writer.size, start)) {
      _exit(1);
   }
   shared->result_size = writer.size;
   /* no exit handlers: they are the caller's, and LLVM's destructors take longer than the kernel */
   _exit(0);
}
