/* SPDX-License-Identifier: MIT
 *
 * Pipes, fork, and the end of a process. A process that was killed is waited for, but not without limit.
 */
#include "process/child/child.h"
#include "util/clock.h"
#include "process/child/interrupt.h"
#include "util/array.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEATH_SECONDS 10.0 /* a killed process that still exists after this time is stuck in the kernel */
/* the limit for a process that gets no processor time to end: no device can delay one that needs none */
#define DEATH_SECONDS_BUSY 600.0
/* how long a process may outlive its runner that was killed: as CHILD_ASKED on hardware */
#define ORPHAN_SECONDS 10u
#define DEATH_PAUSE_NS 500000
#define READ_LEAST 4096u /* bytes that there is room for before reports are read */

struct pipes {
   int orders[2], reports[2], output[2];
};

/* The runner is gone. Waits for a job in flight, because SIGTERM is blocked meanwhile. SIGALRM kills a process that
 * does not end by itself. */
static void runner_is_gone(int number)
{
   (void)number;
   alarm(ORPHAN_SECONDS);
   raise(SIGTERM);
}

static void live(pid_t runner, const struct pipes *pipes, int (*life)(void *, int, int), void *data)
{
   const struct rlimit none = {0, 0};

   /* Ctrl-C goes to the runner alone */
   setpgid(0, 0);
   interrupt_forget();
   signal(SIGUSR1, runner_is_gone);
   prctl(PR_SET_PDEATHSIG, SIGUSR1);
   if (getppid() != runner) {
      _exit(1);
   }
   setrlimit(RLIMIT_CORE, &none);
   close(pipes->orders[1]);
   close(pipes->reports[0]);
   close(pipes->output[0]);
   if (dup2(pipes->output[1], STDOUT_FILENO) < 0 || dup2(pipes->output[1], STDERR_FILENO) < 0) {
      _exit(1);
   }
   const int code = life(data, pipes->orders[0], pipes->reports[1]);
   fflush(NULL);
   _exit(code);
}

static void close_both(const int ends[2])
{
   close(ends[0]);
   close(ends[1]);
}

static int open_pipes(struct pipes *pipes)
{
   int *const all[] = {pipes->orders, pipes->reports, pipes->output};

   for (unsigned i = 0; i < ARRAY_COUNT(all); i++) {
      if (pipe2(all[i], O_CLOEXEC) < 0) {
         const int error = -errno;

         while (i-- > 0) {
            close_both(all[i]);
         }
         return error;
      }
   }
   return 0;
}

int child_start(struct child *child, int (*life)(void *data, int orders, int reports), void *data)
{
   const pid_t runner = getpid();
   struct pipes pipes;

   *child = (struct child){.orders = -1, .reports = -1, .output = -1};
   const int error = open_pipes(&pipes);
   if (error < 0) {
      return error;
   }
   fflush(NULL);
   child->pid = fork();
   if (child->pid == 0) {
      live(runner, &pipes, life, data);
   }
   if (child->pid < 0) {
      const int fork_error = -errno;

      close_both(pipes.orders);
      close_both(pipes.reports);
      close_both(pipes.output);
      return fork_error;
   }
   close(pipes.orders[0]);
   close(pipes.reports[1]);
   close(pipes.output[1]);
   child->orders = pipes.orders[1];
   child->reports = pipes.reports[0];
   child->output = pipes.output[0];
   fcntl(child->reports, F_SETFL, O_NONBLOCK);
   fcntl(child->output, F_SETFL, O_NONBLOCK);
   child->started = util_clock_seconds();
   return 0;
}

void child_count_work(struct child *child, pid_t helper)
{
   activity_start(&child->activity, child->pid);
   child->helper = helper;
}

double child_seconds(struct child *child)
{
   return child->activity.process != 0 ? activity_seconds(&child->activity, child->helper)
                                       : util_clock_seconds() - child->started;
}

double child_idle_seconds(struct child *child)
{
   (void)activity_seconds(&child->activity, child->helper);
   return child->activity.idle;
}

void child_order(const struct child *child, const char *format, ...)
{
   char line[128];
   va_list arguments;

   va_start(arguments, format);
   const int length = vsnprintf(line, sizeof(line) - 1, format, arguments);
   va_end(arguments);
   if (length > 0 && (size_t)length < sizeof(line) - 1) {
      line[length] = '\n';
      /* an order is shorter than PIPE_BUF, so it is written completely or not at all */
      const ssize_t written = write(child->orders, line, (size_t)length + 1);
      (void)written;
   }
}

static void keep_character(struct child *child, char c)
{
   if (c != '\n' && child->last_used + 1 < sizeof(child->line)) {
      child->line[child->last_used++] = c;
   } else if (c == '\n' && child->last_used > 0) {
      memcpy(child->last, child->line, child->last_used);
      child->last[child->last_used] = '\0';
      child->last_used = 0;
   }
}

bool child_read_output(struct child *child)
{
   char bytes[4096];

   for (;;) {
      const ssize_t n = read(child->output, bytes, sizeof(bytes));
      if (n <= 0) {
         return n < 0 && (errno == EAGAIN || errno == EINTR);
      }
      fwrite(bytes, 1, (size_t)n, stderr);
      for (ssize_t i = 0; i < n; i++) {
         keep_character(child, bytes[i]);
      }
   }
}

bool child_read_reports(struct child *child)
{
   for (;;) {
      if (!ARRAY_RESERVE(child->text, child->room, child->used + READ_LEAST)) {
         return false;
      }
      const ssize_t n = read(child->reports, child->text + child->used, child->room - child->used);
      if (n <= 0) {
         return n < 0 && (errno == EAGAIN || errno == EINTR);
      }
      child->used += (size_t)n;
      child->heard = child_seconds(child);
   }
}

char *child_take_line(struct child *child)
{
   const char *newline = child->used > 0 ? memchr(child->text, '\n', child->used) : NULL;

   if (newline == NULL) {
      return NULL;
   }
   const size_t length = (size_t)(newline - child->text);
   char *line = strndup(child->text, length);
   if (line != NULL) {
      child->used -= length + 1;
      memmove(child->text, newline + 1, child->used);
   }
   return line;
}

static void send_signal(const struct child *child, int signal)
{
   kill(-child->pid, signal);
   kill(child->pid, signal);
}

static bool wait_for_end(struct child *child, double seconds)
{
   const double start = util_clock_seconds();

   for (;;) {
      const pid_t gone = waitpid(child->pid, &child->status, WNOHANG);
      if (gone == child->pid || (gone < 0 && errno != EINTR)) {
         return true;
      }
      if (util_clock_seconds() - start >= seconds) {
         return false;
      }
      nanosleep(&(struct timespec){.tv_nsec = DEATH_PAUSE_NS}, NULL);
   }
}

bool child_stop(struct child *child, enum child_end how, double grace)
{
   const double death = child->activity.process != 0 ? DEATH_SECONDS_BUSY : DEATH_SECONDS;
   const double patience[] = {[CHILD_ENDS] = DEATH_SECONDS, [CHILD_ASKED] = grace};

   if (how == CHILD_ASKED && grace > 0) {
      send_signal(child, SIGTERM);
   }
   if (how == CHILD_KILLED || patience[how] <= 0 || !wait_for_end(child, patience[how])) {
      send_signal(child, SIGKILL);
      if (!wait_for_end(child, death)) {
         return false;
      }
   }
   child_read_output(child);
   if (child->last_used > 0) {
      keep_character(child, '\n');
   }
   return true;
}

bool child_stop_idle(struct child *child, double grace)
{
   kill(child->pid, SIGALRM);
   kill(child->pid, SIGCONT);
   return wait_for_end(child, grace) ? child_stop(child, CHILD_ENDS, 0) : child_stop(child, CHILD_KILLED, 0);
}

void child_describe_end(const struct child *child, char *text, size_t size)
{
   const char *line = child->last;

   if (WIFSIGNALED(child->status)) {
      snprintf(text, size, "killed by signal %d (%s)%s%s", WTERMSIG(child->status), strsignal(WTERMSIG(child->status)),
               line[0] != '\0' ? ": " : "", line);
   } else {
      snprintf(text, size, "exited with status %d%s%s", WEXITSTATUS(child->status), line[0] != '\0' ? ": " : "", line);
   }
}

void child_finish(struct child *child)
{
   if (child->reports >= 0) {
      close(child->orders);
      close(child->reports);
      close(child->output);
   }
   free(child->text);
   *child = (struct child){.orders = -1, .reports = -1, .output = -1};
}

void child_report(int reports, const char *format, ...)
{
   va_list arguments;
   char *line;

   va_start(arguments, format);
   const int length = vasprintf(&line, format, arguments);
   va_end(arguments);
   if (length < 0) {
      _exit(1);
   }
   line[length] = '\n'; /* replaces the terminating zero: the length is known */
   for (size_t at = 0; at <= (size_t)length;) {
      const ssize_t n = write(reports, line + at, (size_t)length + 1 - at);
      if (n < 0 && errno == EINTR) {
         continue;
      }
      if (n <= 0) {
         _exit(1);
      }
      at += (size_t)n;
   }
   free(line);
}
