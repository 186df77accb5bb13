/* SPDX-License-Identifier: MIT */
#include "agx_runner/execute.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/child.h"
#include "agx_runner/runner.h"
#include "agx_runner/worker.h"

#define NONE SIZE_MAX
#define VIRTUAL_PREFIX "virtual:"
#define KERNEL_LOG "/dev/kmsg"
#define MESSAGE_PREFIX "agx-runner: "

/* Memory that a process leaves its findings in. */
struct execute_shared {
   struct asahi_device_info info;
   bool opened;
};

/* What is known of the process that runs now. */
struct batch {
   struct worker worker;
   struct child child;
   size_t current; /* NONE: between tests */
   double begun;   /* seconds */
   bool heard;     /* of any test */
   bool unopened;  /* the device could not be */
   size_t failed;  /* the last test that failed; NONE */
   bool works;     /* the trivial job was done right */
   char broken[300];
};

/* Why a process is no longer listened to. */
enum ending { ENDING_CLOSED, ENDING_LATE, ENDING_IDLE, ENDING_RUN };

__attribute__((format(printf, 3, 4))) static void stop_run(struct execution *execution, int code, const char *format,
                                                           ...)
{
   va_list arguments;

   if (execution->code == EXIT_OK) {
      execution->code = code;
      va_start(arguments, format);
      vsnprintf(execution->why, sizeof(execution->why), format, arguments);
      va_end(arguments);
   }
}

static void keep_in_journal(struct execution *execution, int error)
{
   if (error < 0) {
      stop_run(execution, EXIT_FAILED, "%s/journal: %s", execution->options->results, strerror(-error));
   }
}

/* ---- Results ---- */

static void record(struct execution *execution, struct batch *batch, struct result *result)
{
   const size_t index = batch->current;
   const bool bad = result_status_is_bad(result->status);

   batch->current = NONE;
   if (bad) {
      batch->failed = index;
      result->kernel_log = result->kernel_log == NULL ? kmsg_end(&execution->kmsg) : result->kernel_log;
   }
   char *line = result_to_line(result);
   if (line == NULL) {
      stop_run(execution, EXIT_FAILED, "out of memory");
   } else if (execution->journal != NULL) {
      keep_in_journal(execution,
                      journal_append(execution->journal, "result %zu %u %s", index, batch->worker.try, line));
   }
   free(line);
   outcome_add(&execution->outcomes[index], result);
}

__attribute__((format(printf, 4, 5))) static void record_end(struct execution *execution, struct batch *batch,
                                                             enum result_status status, const char *format, ...)
{
   char reason[512];
   struct result result;
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(reason, sizeof(reason), format, arguments);
   va_end(arguments);
   result_init(&result, execution->selection->items[batch->current].name);
   result_set(&result, status, "%.230s", reason);
   record(execution, batch, &result);
}

/* ---- What a process reports ---- */

static bool parse_index(const struct batch *batch, char **rest, size_t *index)
{
   char *end;

   *index = strtoull(*rest, &end, 10);
   const bool known = end != *rest && (*end == ' ' || *end == '\0');
   *rest = *end == ' ' ? end + 1 : end;
   for (size_t i = 0; known && i < batch->worker.count; i++) {
      if (batch->worker.items[i] == *index) {
         return true;
      }
   }
   return false;
}

static bool hear_begin(struct execution *execution, struct batch *batch, char *rest)
{
   if (!parse_index(batch, &rest, &batch->current)) {
      return false;
   }
   const char *name = execution->selection->items[batch->current].name;
   batch->begun = child_now();
   batch->heard = true;
   kmsg_begin(&execution->kmsg, name);
   if (batch->worker.try == 1) {
      progress_step(&execution->progress, name);
   }
   return true;
}

static bool hear_result(struct execution *execution, struct batch *batch, char *rest)
{
   struct result result;
   char message[128];
   size_t index;

   if (!parse_index(batch, &rest, &index) || index != batch->current ||
       result_from_line(rest, &result, message, sizeof(message)) < 0) {
      return false;
   }
   record(execution, batch, &result);
   return true;
}

static bool hear_unopened(struct execution *execution, struct batch *batch, char *rest)
{
   (void)execution, (void)rest;
   batch->unopened = true;
   return true;
}

static bool hear_alive(struct execution *execution, struct batch *batch, char *rest)
{
   (void)execution, (void)batch, (void)rest;
   return true;
}

static bool hear_progress(struct execution *execution, struct batch *batch, char *rest)
{
   if (batch->worker.try == 1 && batch->current != NONE) {
      progress_update(&execution->progress, strtod(rest, NULL));
   }
   return true;
}

static bool hear_journal(struct execution *execution, struct batch *batch, char *rest)
{
   (void)batch;
   keep_in_journal(execution, -atoi(rest));
   return true;
}

static bool hear_works(struct execution *execution, struct batch *batch, char *rest)
{
   (void)execution, (void)rest;
   batch->works = true;
   return true;
}

static bool hear_broken(struct execution *execution, struct batch *batch, char *rest)
{
   (void)execution;
   snprintf(batch->broken, sizeof(batch->broken), "%s", rest);
   return true;
}

/* A process that was running wild may say anything: false for what makes no sense. */
static bool hear_line(struct execution *execution, struct batch *batch, char *line)
{
   static const struct {
      const char *word;
      bool (*hear)(struct execution *, struct batch *, char *);
   } words[] = {
       {"begin", hear_begin},     {"alive", hear_alive},       {"result", hear_result}, {"unopened", hear_unopened},
       {"journal", hear_journal}, {"progress", hear_progress}, {"works", hear_works},   {"broken", hear_broken},
   };
   char *rest = line, *word = strsep(&rest, " ");

   for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
      if (!strcmp(words[i].word, word)) {
         return words[i].hear(execution, batch, rest != NULL ? rest : word + strlen(word));
      }
   }
   return false;
}

/* False: the process has closed the pipe, or what it says makes no sense. */
static bool hear(struct execution *execution, struct batch *batch)
{
   const bool open = child_read_reports(&batch->child);
   bool sense = true;

   for (char *line; sense && (line = child_take_line(&batch->child)) != NULL;) {
      sense = hear_line(execution, batch, line);
      free(line);
   }
   return open && sense;
}

/* ---- Listening ---- */

static void hear_signal(struct execution *execution)
{
   struct signalfd_siginfo signal;

   if (read(execution->signals, &signal, sizeof(signal)) == sizeof(signal)) {
      stop_run(execution, EXIT_ABORTED, "interrupted");
   }
}

/* Seconds until the first limit is passed. A process that runs no test counts as one test. */
static double time_left(const struct execution *execution, const struct batch *batch, enum ending *which)
{
   const struct options *options = execution->options;
   const double now = child_now(), begun = batch->current != NONE ? batch->begun : batch->child.heard;
   double left = begun + options->test_timeout - now;

   *which = ENDING_LATE;
   if (batch->child.heard + options->idle_timeout - now < left) {
      left = batch->child.heard + options->idle_timeout - now;
      *which = ENDING_IDLE;
   }
   if (options->run_timeout > 0 && execution->started + options->run_timeout - now < left) {
      left = execution->started + options->run_timeout - now;
      *which = ENDING_RUN;
   }
   return left > 0 ? left : 0;
}

static enum ending listen_to(struct execution *execution, struct batch *batch)
{
   bool talking = true;

   while (execution->code == EXIT_OK) {
      struct pollfd polls[] = {{.fd = batch->child.reports, .events = POLLIN},
                               {.fd = talking ? batch->child.output : -1, .events = POLLIN},
                               {.fd = execution->signals, .events = POLLIN}};
      enum ending which;
      const double left = time_left(execution, batch, &which);
      const int ready = poll(polls, ARRAY_COUNT(polls), left < 1e6 ? (int)(left * 1000) + 1 : 1000000000);

      if (ready < 0 && errno != EINTR) {
         stop_run(execution, EXIT_FAILED, "poll: %s", strerror(errno));
      }
      if (ready > 0 && polls[2].revents != 0) {
         hear_signal(execution);
      }
      if (ready > 0 && polls[1].revents != 0) {
         talking = child_read_output(&batch->child);
      }
      if (ready > 0 && polls[0].revents != 0 && !hear(execution, batch)) {
         return ENDING_CLOSED;
      }
      if (time_left(execution, batch, &which) > 0) {
         continue;
      }
      if (which == ENDING_RUN) {
         stop_run(execution, EXIT_ABORTED, "the run's limit of %g s is over", execution->options->run_timeout);
      }
      return which;
   }
   return ENDING_RUN;
}

/* Runs a process to its end. False: it cannot be ended. */
static bool run_process(struct execution *execution, struct batch *batch, int (*life)(void *, int), void *data,
                        enum ending *ending)
{
   const int error = child_start(&batch->child, life, data);

   *ending = ENDING_RUN;
   if (error < 0) {
      stop_run(execution, EXIT_FAILED, "no process could be started: %s", strerror(-error));
      return true;
   }
   *ending = listen_to(execution, batch);
   return child_stop(&batch->child, *ending != ENDING_CLOSED || batch->child.used > 0);
}

/* ---- Does the device still work? ---- */

static int check_life(void *data, int reports)
{
   const char *device = data;
   char *spec, why[300];

   if (asprintf(&spec, "%s%s", device, !strncmp(device, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) ? ",scope=check" : "") <
       0) {
      return EXIT_FAILED;
   }
   if (uapi_check(spec, why, sizeof(why))) {
      child_report(reports, "works");
   } else {
      child_report(reports, "broken %s", why);
   }
   return EXIT_OK;
}

/* The device did not survive the test. */
static void lose_device(struct execution *execution, struct batch *batch, size_t index, unsigned try, const char *why)
{
   struct outcome *outcome = &execution->outcomes[index];
   const struct result *result = outcome->tries > 1 ? &outcome->last : &outcome->first;
   char before[160];

   snprintf(before, sizeof(before), "%s: %.120s", result_status_names[result->status], result->reason);
   batch->current = index;
   batch->worker.try = try;
   outcome->tries--; /* what takes its place follows */
   record_end(execution, batch, RESULT_HANG, "the device did not come back: %.90s (%.120s)", why, before);
   stop_run(execution, EXIT_LOST, "the GPU no longer works after %s: %s", execution->selection->items[index].name, why);
}

static void check_device(struct execution *execution, size_t index, unsigned try)
{
   struct batch batch = {.current = NONE, .failed = NONE};
   enum ending ending;
   char why[300];

   const bool gone = run_process(execution, &batch, check_life, (void *)execution->device, &ending);
   if (execution->code == EXIT_OK && !batch.works) {
      if (!gone) {
         snprintf(why, sizeof(why), "a process that runs a trivial job is stuck in the kernel");
      } else if (ending != ENDING_CLOSED) {
         snprintf(why, sizeof(why), "a trivial job did not end");
      } else if (batch.broken[0] != '\0') {
         snprintf(why, sizeof(why), "%s", batch.broken);
      } else {
         child_describe_end(&batch.child, why, sizeof(why));
      }
      lose_device(execution, &batch, index, try, why);
   }
   child_finish(&batch.child);
}

/* ---- A batch ---- */

/* What the process left unfinished. */
static void settle(struct execution *execution, struct batch *batch, enum ending ending, bool gone)
{
   const struct options *options = execution->options;
   const char *last = batch->child.last;
   char end[300];

   if (batch->current == NONE && !batch->heard && ending != ENDING_RUN) {
      batch->current = batch->worker.items[0];
   }
   if (batch->current == NONE) {
      return;
   }
   if (ending == ENDING_RUN) {
      if (execution->journal != NULL && execution->code == EXIT_ABORTED) {
         (void)journal_append(execution->journal, "interrupted %zu", batch->current);
      }
      return;
   }
   if (!gone) {
      record_end(execution, batch, RESULT_HANG, "its process cannot be ended: it is stuck in the kernel");
      stop_run(execution, EXIT_LOST, "a process is stuck in the kernel");
   } else if (batch->unopened) {
      const bool ours = !strncmp(last, MESSAGE_PREFIX, strlen(MESSAGE_PREFIX));

      record_end(execution, batch, RESULT_FAIL, "the device cannot be opened: %s",
                 ours ? last + strlen(MESSAGE_PREFIX) : last);
   } else if (ending == ENDING_LATE) {
      record_end(execution, batch, RESULT_TIMEOUT, "no end after %g s", options->test_timeout);
   } else if (ending == ENDING_IDLE) {
      record_end(execution, batch, RESULT_TIMEOUT, "nothing was heard of it for %g s", options->idle_timeout);
   } else {
      child_describe_end(&batch->child, end, sizeof(end));
      record_end(execution, batch, RESULT_CRASH, "%s", end);
   }
}

static void run_batch(struct execution *execution, const size_t *items, size_t count, unsigned try)
{
   struct batch batch = {
       .worker = {.options = execution->options,
                  .selection = execution->selection,
                  .device = execution->device,
                  .journal = execution->journal,
                  .items = items,
                  .count = count,
                  .try = try},
       .current = NONE,
       .failed = NONE,
   };
   enum ending ending;

   const bool gone = run_process(execution, &batch, worker_live, &batch.worker, &ending);
   settle(execution, &batch, ending, gone);
   child_finish(&batch.child);
   if (batch.failed != NONE && execution->code == EXIT_OK) {
      check_device(execution, batch.failed, try);
   }
}

/* ---- The whole ---- */

/* What hung is left alone: the next time it may take the machine with it. */
static bool wants_another_try(const struct execution *execution, const struct outcome *outcome)
{
   return outcome->tries > 0 && outcome->tries <= execution->options->reruns &&
          outcome->first.status != RESULT_INVALID && outcome->first.status != RESULT_HANG &&
          outcome->first.status != RESULT_INCOMPLETE && verdict_is_surprise(execution->expectations, &outcome->first) &&
          (outcome->tries == 1 || result_status_is_bad(outcome->last.status));
}

int execute_all(struct execution *execution)
{
   const struct selection *selection = execution->selection;
   size_t *items = calloc(selection->count + 1, sizeof(*items));
   size_t missing = 0;

   if (items == NULL) {
      stop_run(execution, EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < selection->count; i++) {
      missing += execution->outcomes[i].tries == 0;
   }
   progress_start(&execution->progress, missing);
   for (size_t i = 0; i < selection->count && execution->code == EXIT_OK;) {
      struct outcome *outcome = &execution->outcomes[i];
      size_t count = 0;

      for (size_t j = i; j < selection->count && execution->outcomes[j].tries == 0 &&
                         (j == i || selected_together(&selection->items[i], &selection->items[j]));
           j++) {
         items[count++] = j;
      }
      if (count > 0) {
         run_batch(execution, items, count, 1);
      } else if (wants_another_try(execution, outcome)) {
         run_batch(execution, &i, 1, outcome->tries + 1);
      } else {
         i++;
      }
   }
   progress_finish(&execution->progress);
   free(items);
   return execution->code;
}

static int probe_life(void *data, int reports)
{
   struct execution *execution = data;
   struct session session;
   const int code = session_open(&session, execution->options->device, execution->options->timeout);

   (void)reports;
   if (code == EXIT_OK) {
      execution->shared->info = *session.info;
      execution->shared->opened = true;
      session_close(&session);
   }
   return code;
}

static int probe(struct execution *execution)
{
   struct batch batch = {.current = NONE, .failed = NONE};
   enum ending ending;

   const bool gone = run_process(execution, &batch, probe_life, execution, &ending);
   const int status = batch.child.status;
   if (execution->code == EXIT_OK && !execution->shared->opened) {
      if (gone && ending == ENDING_CLOSED && WIFEXITED(status) && WEXITSTATUS(status) != EXIT_OK) {
         execution->code = WEXITSTATUS(status); /* it has said why */
      } else {
         execution->code =
             complain(EXIT_FAILED, "%s: the process that opens it did not survive", execution->options->device);
      }
   } else if (execution->code != EXIT_OK) {
      complain(execution->code, "%s", execution->why);
   }
   child_finish(&batch.child);
   return execution->code;
}

static int open_signals(void)
{
   sigset_t signals;

   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   sigaddset(&signals, SIGHUP);
   /* A full pipe's end, or a full file, is an error where it is written. */
   signal(SIGPIPE, SIG_IGN);
   signal(SIGXFSZ, SIG_IGN);
   return sigprocmask(SIG_BLOCK, &signals, NULL) < 0 ? -1 : signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int execute_start(struct execution *execution)
{
   execution->kmsg = (struct kmsg){-1, -1};
   execution->started = child_now();
   execution->code = EXIT_OK;
   execution->signals = open_signals();
   void *shared = mmap(NULL, sizeof(*execution->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (execution->signals < 0 || shared == MAP_FAILED) {
      return complain(EXIT_FAILED, "cannot set up the run: %s", strerror(errno));
   }
   execution->shared = shared;
   int code = probe(execution);
   if (code != EXIT_OK) {
      return code;
   }
   const struct asahi_device_info *info = execute_info(execution);
   execution->device = strcmp(execution->options->device, "auto") == 0 ? info->path : execution->options->device;
   if (!info->is_virtual && !kmsg_open(&execution->kmsg, KERNEL_LOG)) {
      note(KERNEL_LOG " cannot be read (%s): failures come without the kernel's word", strerror(errno));
   }
   return EXIT_OK;
}

const struct asahi_device_info *execute_info(const struct execution *execution)
{
   return &execution->shared->info;
}

void execute_finish(struct execution *execution)
{
   if (execution->shared != NULL) {
      kmsg_close(&execution->kmsg);
      munmap(execution->shared, sizeof(*execution->shared));
      close(execution->signals);
   }
   execution->shared = NULL;
}
