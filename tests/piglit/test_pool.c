/* SPDX-License-Identifier: MIT
 *
 * The pool of worker processes, with files that crash, hang, talk nonsense or behave. No device is opened.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/piglit/work.h"
#include "agx_runner/runs/recording.h"
#include "process/child/child.h"
#include "process/pool.h"
#include "tests/check.h"
#include "util/clock.h"

/* The path says what the "file" does. */
static enum piglit_status behave(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                                 char *reason, size_t reason_size)
{
   (void)run;
   sink->plan(sink->data, "first");
   sink->plan(sink->data, "second");
   sink->plan(sink->data, "third");
   sink->print(sink->data, "hello");
   sink->begin(sink->data, 0);
   sink->end(sink->data, 0, PIGLIT_PASS, "");
   sink->begin(sink->data, 1);
   if (strstr(path, "abort") != NULL) {
      fprintf(stderr, "noise\nassertion: it is broken\n");
      abort();
   }
   if (strstr(path, "segv") != NULL) {
      raise(SIGSEGV);
   }
   if (strstr(path, "exit") != NULL) {
      _exit(3);
   }
   while (strstr(path, "hang") != NULL) {
      pause();
   }
   sink->end(sink->data, 1, PIGLIT_FAIL,
             strstr(path, "lost") != NULL ? "ECANCELED: the job was killed" : "it is wrong");
   sink->begin(sink->data, 2);
   char process[32];
   snprintf(process, sizeof(process), "%ld", (long)getpid());
   sink->end(sink->data, 2, PIGLIT_SKIP, process);
   snprintf(reason, reason_size, "done");
   return PIGLIT_FAIL;
}

static const struct {
   const char *path;
   enum result_status status; /* of the second test */
   const char *reason;        /* its beginning */
} wanted[] = {
    {"abort.cl", RESULT_CRASH, "killed by signal 6 (Aborted): assertion: it is broken"},
    {"exit.cl", RESULT_CRASH, "exited with status 3"},
    {"good0.cl", RESULT_FAIL, "it is wrong"},
    {"good1.cl", RESULT_FAIL, "it is wrong"},
    {"hang.cl", RESULT_TIMEOUT, "no end after 1 s"},
    {"lost.cl", RESULT_FAIL, "ECANCELED"},
    {"segv.cl", RESULT_CRASH, "killed by signal 11"},
};
#define COUNT (sizeof(wanted) / sizeof(wanted[0]))

static void check_attempt(size_t i, const struct outcome *outcome)
{
   const struct attempt *attempt = &outcome->first;

   CHECK(outcome->tries == 1 && attempt->count == 3);
   /* A job that another client's fault ended is tried again, but not for ever. */
   CHECK(outcome->canceled == (strstr(wanted[i].path, "lost") != NULL ? 3 : 0));
   if (attempt->count != 3) {
      return;
   }
   const struct result *results = attempt->results;
   CHECK(results[0].status == RESULT_PASS && results[0].reason[0] == '\0');
   CHECK_TEXT(results[0].output, "hello\n");
   CHECK(results[0].seconds >= 0);
   CHECK(results[1].status == wanted[i].status);
   if (strncmp(results[1].reason, wanted[i].reason, strlen(wanted[i].reason)) != 0) {
      printf("%s: \"%s\", wanted \"%s\"\n", wanted[i].path, results[1].reason, wanted[i].reason);
      check_failures++;
   }
   if (wanted[i].status == RESULT_FAIL) {
      CHECK(results[2].status == RESULT_SKIP);
   } else {
      CHECK(results[2].status == wanted[i].status && strncmp(results[2].reason, "not reached after ", 18) == 0);
   }
   CHECK(wanted[i].status != RESULT_TIMEOUT || results[1].seconds > 0.9);
}

static void check_pool(unsigned jobs)
{
   const struct pool_limits limits = {.unit = 1, .idle = 600};
   struct piglit_path paths[COUNT];
   struct piglit_files files = {.items = paths, .count = COUNT};
   struct piglit_work data = {.files = &files, .seconds = 1, .print = true, .without_device = true, .run = behave};
   struct outcome outcomes[COUNT] = {0};

   for (size_t i = 0; i < COUNT; i++) {
      paths[i] = (struct piglit_path){(char *)wanted[i].path, (char *)wanted[i].path};
   }
   const struct work work = piglit_work(&data);
   struct pool pool = {.limits = limits, .work = &work, .jobs = jobs, .by_work = true};
   struct recording recording = {.outcomes = outcomes, .keep_output = true};
   const double start = util_clock_seconds();
   CHECK(pool_open(&pool) == 0);
   CHECK(recording_run(&recording, &pool) == 0);
   pool_close(&pool);
   /* The file that hangs is ended by the limit of its test, not by the limit of an idle worker. */
   CHECK(util_clock_seconds() - start < limits.idle);
   for (size_t i = 0; i < COUNT; i++) {
      check_attempt(i, &outcomes[i]);
   }
   /* A worker is kept as long as it lives: one worker runs both good files. */
   if (jobs == 1 && outcomes[2].first.count == 3 && outcomes[3].first.count == 3) {
      CHECK_TEXT(outcomes[2].first.results[2].reason, outcomes[3].first.results[2].reason);
   }
   for (size_t i = 0; i < COUNT; i++) {
      outcome_finish(&outcomes[i]);
   }
}

/* A process that is to end gets its grace: what ends on SIGTERM in time is not killed. */
static int end_politely(void *data, int orders, int reports)
{
   sigset_t signals;
   int signal;

   (void)data, (void)orders;
   sigemptyset(&signals);
   sigaddset(&signals, SIGTERM);
   child_report(reports, "ready");
   sigwait(&signals, &signal);
   usleep(200000); /* the job in flight */
   return 7;
}

static void wait_until_ready(struct child *child)
{
   char *line = NULL;

   while (line == NULL) {
      usleep(1000);
      CHECK(child_read_reports(child));
      line = child_take_line(child);
   }
   free(line);
}

static void check_grace(double grace, bool killed)
{
   sigset_t signals;
   struct child child;

   sigemptyset(&signals);
   sigaddset(&signals, SIGTERM);
   sigprocmask(SIG_BLOCK, &signals, NULL);
   CHECK(child_start(&child, end_politely, NULL) == 0);
   wait_until_ready(&child);
   CHECK(child_stop(&child, CHILD_ASKED, grace));
   CHECK(killed ? WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGKILL
                : WIFEXITED(child.status) && WEXITSTATUS(child.status) == 7);
   child_finish(&child);
}

static int end_after_runner(void *data, int orders, int reports)
{
   const int code = end_politely(NULL, orders, reports);

   return write(*(int *)data, "waited", 6) == 6 ? code : 1;
}

/* A runner that is killed does not take a process with it before the job in flight has ended. */
static void check_orphan(void)
{
   char text[16] = "";
   sigset_t signals;
   int ends[2];

   sigemptyset(&signals);
   sigaddset(&signals, SIGTERM);
   sigprocmask(SIG_BLOCK, &signals, NULL);
   CHECK(pipe(ends) == 0);
   const pid_t runner = fork();
   if (runner == 0) {
      struct child child;

      CHECK(child_start(&child, end_after_runner, &ends[1]) == 0);
      wait_until_ready(&child);
      raise(SIGKILL);
   }
   CHECK(runner > 0 && waitpid(runner, NULL, 0) == runner);
   close(ends[1]);
   CHECK(read(ends[0], text, sizeof(text) - 1) == 6);
   CHECK_TEXT(text, "waited");
   close(ends[0]);
}

int main(void)
{
   check_pool(1);
   check_pool(3);
   check_pool(16);
   check_grace(5, false);
   check_grace(0.02, true);
   check_grace(0, true);
   check_orphan();
   return check_result();
}
