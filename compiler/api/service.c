/* SPDX-License-Identifier: MIT
 *
 * The caller's side: starts the server, sends a job, and waits for its end.
 */
#include "compiler/api/service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/api/outcome.h"
#include "compiler/api/protocol.h"
#include "compiler/api/result.h"
#include "compiler/api/wire.h"
#include "util/array.h"
#include "util/file.h"

#define CANCEL_MS 100 /* between two questions whether the compilation is cancelled */

/* A compiler's server, for the process and its forks. */
static struct server {
   const char *program, *missing; /* compiler_set_program() */
   int socket;                    /* 0: not started */
   pid_t pid;
   const char *why; /* it cannot be started; NULL: it can, as far as is known */
   bool greeted;
} servers[COMPILERS], *server = servers; /* the one that compiler_use() chose */

static struct {
   bool (*cancelled)(void); /* compiler_set_cancelled() */
   bool off;                /* compilations run in this process */
   struct {
      bool wanted; /* this process has one process that compiles all of its jobs */
      int socket;  /* the socket from which that process takes its jobs; 0: not started */
      int reply;   /* how it ended */
   } session;
   struct compiler_limits limits;
} service = {.limits = {.seconds = COMPILER_SECONDS, .memory_mib = COMPILER_MEMORY_MIB}};

void compiler_set_limits(const struct compiler_limits *limits)
{
   service.limits = *limits;
}

void compiler_set_in_process(bool in_process)
{
   service.off = in_process;
}

static void stop_server(void)
{
   close(server->socket);
   server->socket = 0;
}

void compiler_set_program(const char *path, const char *missing)
{
   const bool other =
       path != server->program && (path == NULL || server->program == NULL || strcmp(path, server->program));

   if (other && server->socket != 0) {
      stop_server();
   }
   if (other) {
      server->why = NULL;
   }
   server->program = path;
   server->missing = missing;
}

const char *compiler_program(void)
{
   return server->program != NULL ? server->program : "agx-compile";
}

const char *compiler_path(const char **missing)
{
   *missing = server->missing != NULL ? server->missing : "no agx-compile is set";
   return server->program;
}

void compiler_use(unsigned which)
{
   server = &servers[which < COMPILERS ? which : 0];
}

unsigned compiler_used(void)
{
   return (unsigned)(server - servers);
}

void compiler_set_cancelled(bool (*cancelled)(void))
{
   service.cancelled = cancelled;
}

void compiler_set_session(void)
{
   service.session.wanted = true;
}

void compiler_set_cache(bool on)
{
   compiler_cache_set(on);
   if (!on) { /* virtual devices keep compiled code, also those of the processes that this one starts */
      setenv(COMPILER_CACHE_VARIABLE, "0", 1);
   }
}

bool compiler_service_has_processes(void)
{
   return !service.off;
}

/* ---- The server ---- */

/* Keeps only the socket and stderr open, so that a process which waits for the end of the caller's pipes does not wait
 * for the server. */
static void close_files(int socket)
{
   const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

   if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0) {
      _exit(1);
   }
   if (socket > STDERR_FILENO + 1) {
      close_range(STDERR_FILENO + 1, (unsigned)socket - 1, 0);
   }
   close_range((unsigned)socket + 1, ~0u, 0);
}

static void be_server(int socket, pid_t caller)
{
   setpgid(0, 0); /* Ctrl-C goes to the caller */
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   if (getppid() != caller) {
      _exit(1);
   }
   close_files(socket);
   compiler_local_serve(socket);
}

int compiler_start(void)
{
   const pid_t caller = getpid();
   int sockets[2];

   if (server->socket != 0 || service.off) {
      return 0;
   }
   if (server->why != NULL) {
      return -ECONNREFUSED;
   }
   if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
      return -errno;
   }
   fflush(NULL);
   const pid_t pid = fork();
   if (pid == 0) {
      be_server(sockets[1], caller);
   }
   const int error = pid < 0 ? -errno : 0;
   close(sockets[1]);
   if (error < 0) {
      close(sockets[0]);
      return error;
   }
   server->socket = sockets[0];
   server->pid = pid;
   server->greeted = false;
   return 0;
}

/* Waits until the server can take jobs. A server that failed to start is not started again. */
static int await_server(void)
{
   int ret = compiler_start();

   if (ret == 0 && !server->greeted) {
      ret = compiler_local_greet(server->socket, server->pid, &server->why);
      server->greeted = ret == 0;
      if (ret < 0) {
         stop_server();
      }
   }
   return ret;
}

int compiler_connect(const char **why)
{
   const int ret = service.off ? 0 : await_server();

   *why = server->why != NULL ? server->why : strerror(-ret);
   return ret;
}

int compiler_service_socket(void)
{
   return await_server() == 0 ? server->socket : -1;
}

pid_t compiler_process(void)
{
   return server->socket != 0 ? server->pid : 0;
}

/* ---- A job ---- */

struct exchange {
   int fds[COMPILER_FDS]; /* the descriptor of the reply is the writing end */
   int reply;             /* the reading end */
   size_t start;          /* offset of the result in the memory file */
};

static void exchange_finish(struct exchange *exchange)
{
   for (size_t i = 0; i < COMPILER_FDS; i++) {
      if (exchange->fds[i] >= 0) {
         close(exchange->fds[i]);
      }
   }
   if (exchange->reply >= 0) {
      close(exchange->reply);
   }
}

/* 0 or a negative errno. */
static int exchange_init(struct exchange *exchange, const struct compiler_request *request)
{
   const struct compiler_shared head = {0};
   int pipes[2];

   *exchange = (struct exchange){.fds = {-1, -1, -1}, .reply = -1, .start = sizeof(head) + request->size};
   exchange->fds[COMPILER_FD_MEMORY] = memfd_create("compilation", MFD_CLOEXEC);
   exchange->fds[COMPILER_FD_OUTPUT] = memfd_create("output", MFD_CLOEXEC);
   if (exchange->fds[COMPILER_FD_MEMORY] < 0 || exchange->fds[COMPILER_FD_OUTPUT] < 0 || pipe2(pipes, O_CLOEXEC) < 0) {
      return -errno;
   }
   exchange->reply = pipes[0];
   exchange->fds[COMPILER_FD_REPLY] = pipes[1];
   errno = EIO;
   return util_write_all(exchange->fds[COMPILER_FD_MEMORY], &head, sizeof(head)) == 0 &&
                  util_write_all(exchange->fds[COMPILER_FD_MEMORY], request->data, request->size) == 0
              ? 0
              : -errno;
}

/* padding is sent through the socket, too, so it is zeroed */
static void make_message(const struct compiler_request *request, struct compiler_message *message)
{
   memset(message, 0, sizeof(*message));
   message->protocol = COMPILER_PROTOCOL;
   message->kind = request->kind;
   message->run = request->run;
   message->size = request->size;
   message->limits = service.limits;
   message->second_try = request->second_try;
   message->cache = compiler_cache_is_on();
}

static int send_request(int socket, const struct exchange *exchange, const struct compiler_request *request)
{
   struct compiler_message message;

   make_message(request, &message);
   return compiler_send(socket, &message, exchange->fds);
}

static bool is_cancelled(void)
{
   return service.cancelled != NULL && service.cancelled();
}

/* 0; -ECANCELED; or -EPIPE: the server ended before it told. */
static int read_ending(int reply, struct compiler_ending *ending)
{
   struct pollfd ready = {.fd = reply, .events = POLLIN};
   ssize_t got;

   while (service.cancelled != NULL && poll(&ready, 1, CANCEL_MS) <= 0) {
      if (is_cancelled()) {
         return -ECANCELED;
      }
   }
   do {
      got = read(reply, ending, sizeof(*ending));
   } while (got < 0 && errno == EINTR);
   return got == (ssize_t)sizeof(*ending) ? 0 : -EPIPE;
}

static int wait_for_end(struct exchange *exchange, struct compiler_ending *ending)
{
   close(exchange->fds[COMPILER_FD_REPLY]); /* else the end of the server's would not be seen */
   exchange->fds[COMPILER_FD_REPLY] = -1;
   return read_ending(exchange->reply, ending);
}

/* A job that this process forks. Its limit of processor time ends it. 0 or a negative errno. */
static int run_fork(struct exchange *exchange, const struct compiler_request *request, struct compiler_ending *ending)
{
   const pid_t parent = getpid();
   struct compiler_message message;
   struct rusage usage;
   int status;

   make_message(request, &message);
   fflush(NULL);
   const pid_t pid = fork();
   if (pid == 0) {
      compiler_local_job(&message, exchange->fds, parent);
   }
   if (pid < 0) {
      return -errno;
   }
   while (wait4(pid, &status, 0, &usage) < 0) {
      if (errno != EINTR) {
         return -errno;
      }
   }
   *ending = (struct compiler_ending){
       .status = status, .late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU, .memory = usage.ru_maxrss};
   return 0;
}

/* Runs a job in a fork of the server. If the server has ended, it is started again once. */
static int run_served(struct exchange *exchange, const struct compiler_request *request, struct compiler_ending *ending)
{
   int ret = is_cancelled() ? -ECANCELED : await_server();

   if (ret < 0) {
      return ret;
   }
   ret = send_request(server->socket, exchange, request);
   if (ret == -EPIPE || ret == -ECONNRESET) {
      stop_server();
      ret = await_server();
      ret = ret == 0 ? send_request(server->socket, exchange, request) : ret;
   }
   ret = ret == 0 ? wait_for_end(exchange, ending) : ret;
   if (ret < 0) {
      stop_server();
   }
   return ret;
}

/* ---- A session ---- */

static void session_stop(void)
{
   close(service.session.socket);
   close(service.session.reply);
   service.session.socket = 0;
}

/* Asks the server for a process that compiles this process's jobs one after the other. */
static int session_start(void)
{
   const struct compiler_request request = {.kind = COMPILER_SESSION};
   struct exchange exchange;
   int sockets[2];

   int ret = await_server();
   if (ret < 0 || service.session.socket != 0) {
      return ret;
   }
   if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
      return -errno;
   }
   ret = exchange_init(&exchange, &request);
   if (ret == 0) {
      close(exchange.fds[COMPILER_FD_MEMORY]);
      exchange.fds[COMPILER_FD_MEMORY] = sockets[1];
      ret = send_request(server->socket, &exchange, &request);
   } else {
      close(sockets[1]);
   }
   if (ret == 0) {
      service.session.socket = sockets[0];
      service.session.reply = exchange.reply;
      exchange.reply = -1;
   } else {
      close(sockets[0]);
   }
   exchange_finish(&exchange);
   return ret;
}

/* A job of the session. A session whose process crashes in the job tells how it ended; the next job starts another. */
static int run_in_session(struct exchange *exchange, const struct compiler_request *request,
                          struct compiler_ending *ending)
{
   int ret = session_start();

   ret = ret == 0 ? send_request(service.session.socket, exchange, request) : ret;
   if (ret == 0 && wait_for_end(exchange, ending) < 0) {
      ret = read_ending(service.session.reply, ending);
      session_stop();
   }
   return ret;
}

/* ---- Once, and again ---- */

static int run_once(const struct compiler_request *request, struct compiler_result *result)
{
   struct compiler_ending ending = {0};
   struct exchange exchange;

   *result = (struct compiler_result){0};
   int ret = exchange_init(&exchange, request);
   if (ret == 0) {
      ret = !request->libclc         ? run_fork(&exchange, request, &ending)
            : service.session.wanted ? run_in_session(&exchange, request, &ending)
                                     : run_served(&exchange, request, &ending);
   }
   if (ret == 0) {
      ret = -ending.error;
   }
   if (ret == 0) {
      ret = compiler_take_outcome(request->name, &service.limits, exchange.fds, exchange.start, &ending, result);
   } else if (compiler_result_init(result) < 0) {
      ret = -ENOMEM;
   } else if (ret != -ECANCELED) {
      compiler_refuse(result, REFUSAL_CRASH, "no process to compile it in: %s",
                      server->why != NULL ? server->why : strerror(-ret));
      compiler_log_refusal(result, request->name);
      ret = -EFAULT;
   }
   exchange_finish(&exchange);
   return ret;
}

/* Whether the backend crashed, as it does when its register allocator runs out of numbers for spilled values. */
static bool deserves_second_try(const struct compiler_request *request, const struct compiler_result *result)
{
   return request->libclc && !request->no_second_try && !service.session.wanted && result->crash.signal != 0 &&
          !result->crash.late && !strcmp(result->crash.stage, compiler_stage_name(COMPILER_STAGE_BACKEND));
}

/* Runs the job, and again if that may help. */
static int run_job(const struct compiler_request *request, struct compiler_result *result)
{
   struct compiler_request again = *request;
   struct compiler_result second;

   if (service.off) {
      return compiler_local_run(request, result);
   }
   int ret = run_once(request, result);
   if (ret != -EFAULT || !deserves_second_try(request, result)) {
      return ret;
   }
   again.second_try = true;
   int second_ret = run_once(&again, &second);
   if (second_ret == -EFAULT) { /* report the first crash */
      compiler_result_finish(&second);
      return ret;
   }
   compiler_result_finish(result);
   *result = second;
   return second_ret;
}

/* ---- The cache ---- */

bool compiler_service_load(const struct util_store_key *key, struct compiler_result *result)
{
   uint8_t *bytes;
   size_t size;
   int ret;

   if (!compiler_cache_load(key, &bytes, &size)) {
      return false;
   }
   struct compiler_reader reader = {.at = bytes, .left = size};
   const bool whole = compiler_read_result(&reader, &ret, result) && reader.left == 0 && ret == 0;
   free(bytes);
   if (!whole) {
      compiler_result_finish(result);
   }
   return whole;
}

void compiler_service_store(const struct util_store_key *key, int ret, const struct compiler_result *result)
{
   struct compiler_writer writer = {0};

   if (ret != 0 || result->refused_count > 0) {
      return;
   }
   compiler_write_result(&writer, ret, result);
   if (!writer.failed) {
      compiler_cache_store(key, writer.bytes, writer.size);
   }
   compiler_writer_finish(&writer);
}

/* A limit that a compilation has kept is a part of its key: it must not succeed under a smaller one. */
static struct util_store_key key_of(const struct compiler_request *request)
{
   const struct compiler_cache_bytes parts[] = {
       {request->cached, strlen(request->cached)},
       {request->data, request->size},
       {&service.limits.seconds, sizeof(service.limits.seconds)},
       {&service.limits.memory_mib, sizeof(service.limits.memory_mib)},
   };

   return compiler_cache_key(parts, ARRAY_COUNT(parts));
}

int compiler_service_run(const struct compiler_request *request, struct compiler_result *result)
{
   if (request->cached == NULL || !compiler_cache_is_on()) {
      return run_job(request, result);
   }
   const struct util_store_key key = key_of(request);
   if (compiler_service_load(&key, result)) {
      return 0;
   }
   const int ret = run_job(request, result);
   compiler_service_store(&key, ret, result);
   return ret;
}
