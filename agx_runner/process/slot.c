/* SPDX-License-Identifier: MIT */
#include "agx_runner/process/slot.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"

void execute_stop(struct execution *execution, int code, const char *format, ...)
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
      execute_stop(execution, EXIT_FAILED, "%s/journal: %s", execution->settings->results, strerror(-error));
   }
}

/* ---- Results ---- */

static void record(struct execution *execution, struct batch *batch, struct result *result)
{
   const size_t index = batch->current;
   const bool bad = result_status_is_bad(result->status);

   batch->current = BATCH_NONE;
   result->seconds = child_now() - batch->begun;
   if (bad) {
      batch->failed = index;
      result->kernel_log = result->kernel_log == NULL ? kmsg_end(&execution->kmsg) : result->kernel_log;
   }
   char *line = result_to_line(result);
   if (line == NULL) {
      execute_stop(execution, EXIT_FAILED, "out of memory");
   } else if (execution->journal != NULL) {
      keep_in_journal(execution,
                      journal_append(execution->journal, "result %zu %u %s", index, batch->worker.try, line));
   }
   free(line);
   outcome_add(&execution->outcomes[index], result);
}

void batch_record(struct execution *execution, struct batch *batch, enum result_status status, const char *format, ...)
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
   if (batch->worker.try == 1 && batch->current != BATCH_NONE) {
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
      execute_stop(execution, EXIT_ABORTED, "interrupted");
   }
}

/* Seconds until the first limit is passed. A process that runs no test counts as one test. */
static double time_left(const struct execution *execution, const struct batch *batch, enum ending *which)
{
   const struct run_settings *settings = execution->settings;
   const double now = child_now(), begun = batch->current != BATCH_NONE ? batch->begun : batch->child.heard;
   double left = begun + settings->test_timeout - now;

   *which = ENDING_LATE;
   if (batch->child.heard + settings->idle_timeout - now < left) {
      left = batch->child.heard + settings->idle_timeout - now;
      *which = ENDING_IDLE;
   }
   if (settings->run_timeout > 0 && execution->started + settings->run_timeout - now < left) {
      left = execution->started + settings->run_timeout - now;
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
         execute_stop(execution, EXIT_FAILED, "poll: %s", strerror(errno));
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
         execute_stop(execution, EXIT_ABORTED, "the run's limit of %g s is over", execution->settings->run_timeout);
      }
      return which;
   }
   return ENDING_RUN;
}

/* Runs a process to its end. False: it cannot be ended. */
bool batch_run(struct execution *execution, struct batch *batch, int (*life)(void *, int), void *data,
               enum ending *ending)
{
   const int error = child_start(&batch->child, life, data);

   *ending = ENDING_RUN;
   if (error < 0) {
      execute_stop(execution, EXIT_FAILED, "no process could be started: %s", strerror(-error));
      return true;
   }
   *ending = listen_to(execution, batch);
   return child_stop(&batch->child, *ending != ENDING_CLOSED || batch->child.used > 0);
}
