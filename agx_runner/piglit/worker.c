/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/piglit/device.h"

double piglit_now(void)
{
   struct timespec time;

   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool read_task(int fd, size_t *task)
{
   ssize_t n;

   do {
      n = read(fd, task, sizeof(*task));
   } while (n < 0 && errno == EINTR);
   return n == (ssize_t)sizeof(*task);
}

/* The worker's life. Its own output is kept for the case that it crashes. */
static void live(const struct piglit_pool *pool, int tasks, int reports, FILE *output)
{
   /* Within a file's time nothing on the device may take longer. */
   struct piglit_run run = {.timeout_ns = (uint64_t)(pool->seconds * 1e9)};
   const struct piglit_sink sink = piglit_wire_sink(&reports);
   char used[192], why[256], reason[512];
   size_t task;

   int ret = pool->device != NULL
                 ? piglit_device_open(pool->device, false, &run.device, used, sizeof(used), why, sizeof(why))
                 : 0;
   while (read_task(tasks, &task) && task < pool->count) {
      enum piglit_status status = PIGLIT_FAIL;
      if (ftruncate(fileno(output), 0) < 0 || lseek(fileno(output), 0, SEEK_SET) < 0) {
         break;
      }
      if (ret < 0) {
         snprintf(reason, sizeof(reason), "the device cannot be opened: %s", why);
      } else {
         status = (pool->run != NULL ? pool->run : piglit_run_file)(&run, pool->results[task].path, &sink, reason,
                                                                    sizeof(reason));
      }
      fflush(NULL);
      piglit_wire_done(reports, status, reason);
   }
   asahi_device_close(run.device);
}

/* The other workers' pipes would keep them from seeing their parent go. */
static void close_others(const struct piglit_pool *pool, const struct piglit_worker *others)
{
   for (unsigned i = 0; i < pool->jobs; i++) {
      if (others[i].pid != 0) {
         close(others[i].tasks);
         close(others[i].reports);
      }
   }
}

static void be_worker(const struct piglit_pool *pool, const struct piglit_worker *others, const int tasks[2],
                      const int reports[2], FILE *output)
{
   const struct rlimit none = {0, 0};

   prctl(PR_SET_PDEATHSIG, SIGKILL);
   /* A crash is a result here: no core file of each. */
   setrlimit(RLIMIT_CORE, &none);
   close_others(pool, others);
   close(tasks[1]);
   close(reports[0]);
   if (dup2(fileno(output), STDOUT_FILENO) >= 0 && dup2(fileno(output), STDERR_FILENO) >= 0) {
      live(pool, tasks[0], reports[1], output);
   }
   _exit(0);
}

int piglit_worker_start(struct piglit_worker *worker, const struct piglit_pool *pool,
                        const struct piglit_worker *others)
{
   int tasks[2], reports[2];

   if (pipe2(tasks, O_CLOEXEC) < 0) {
      return -errno;
   }
   if (pipe2(reports, O_CLOEXEC) < 0) {
      int ret = -errno;
      close(tasks[0]);
      close(tasks[1]);
      return ret;
   }
   FILE *output = tmpfile();
   fflush(NULL);
   pid_t pid = output != NULL ? fork() : -1;
   if (pid == 0) {
      be_worker(pool, others, tasks, reports, output);
   }
   int ret = pid < 0 ? -errno : 0;
   close(tasks[0]);
   close(reports[1]);
   if (ret < 0) {
      close(tasks[1]);
      close(reports[0]);
      if (output != NULL) {
         fclose(output);
      }
      return ret;
   }
   *worker = (struct piglit_worker){.pid = pid, .tasks = tasks[1], .reports = reports[0], .output = output};
   return 0;
}

bool piglit_worker_give(struct piglit_worker *worker, size_t task)
{
   worker->busy = true;
   worker->task = task;
   worker->started = piglit_now();
   worker->end = (struct piglit_wire_end){0};
   return write(worker->tasks, &task, sizeof(task)) == (ssize_t)sizeof(task);
}

/* The last line that is not empty. The file offset is shared with the process that wrote it. */
static void last_line(FILE *output, char *line, size_t size)
{
   char tail[1024];
   off_t end = lseek(fileno(output), 0, SEEK_END);
   off_t start = end > (off_t)sizeof(tail) - 1 ? end - (off_t)sizeof(tail) + 1 : 0;
   ssize_t n = end < 0 ? -1 : pread(fileno(output), tail, sizeof(tail) - 1, start);

   line[0] = 0;
   if (n <= 0) {
      return;
   }
   while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' ')) {
      n--;
   }
   tail[n] = 0;
   const char *newline = strrchr(tail, '\n');
   snprintf(line, size, "%.*s", (int)size - 1, newline != NULL ? newline + 1 : tail);
}

static void describe_end(int status, FILE *output, char *text, size_t size)
{
   char line[300];

   last_line(output, line, sizeof(line));
   if (WIFSIGNALED(status)) {
      snprintf(text, size, "killed by signal %d (%s)%s%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
               line[0] != 0 ? ": " : "", line);
   } else {
      snprintf(text, size, "exited with status %d%s%s", WEXITSTATUS(status), line[0] != 0 ? ": " : "", line);
   }
}

void piglit_worker_stop(struct piglit_worker *worker, bool kill_it, char *text, size_t text_size)
{
   int status = 0;

   if (kill_it) {
      kill(worker->pid, SIGKILL);
   }
   close(worker->tasks);
   while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
   }
   if (text != NULL) {
      describe_end(status, worker->output, text, text_size);
   }
   close(worker->reports);
   fclose(worker->output);
   piglit_wire_finish(&worker->wire);
   *worker = (struct piglit_worker){0};
}
