/* SPDX-License-Identifier: MIT
 *
 * The states of a slot: EMPTY -> BUSY -> READY -> BUSY ... and, after a failure, CHECKING -> EMPTY. Each try of a unit
 * is recorded once, when the process reports its end or has died.
 */
#include "process/slot.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/runs/probe.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"
#include "util/clock.h"
#include "util/array.h"

#define MESSAGE_PREFIX "agx-runner: "
#define CANCELED_MAX 3 /* most tries of a unit that do not count */
#define TEXT_MAX (1u << 20)

void pool_stop(struct pool *pool, int code, const char *format, ...)
{
   va_list arguments;

   if (pool->code == EXIT_OK) {
      pool->code = code;
      va_start(arguments, format);
      vsnprintf(pool->why, sizeof(pool->why), format, arguments);
      va_end(arguments);
   }
}

static const char *unit_name(const struct pool *pool, size_t unit)
{
   return pool->work->name(pool->work->data, unit);
}

static void keep_in_journal(struct pool *pool, int error)
{
   if (error < 0) {
      pool_stop(pool, EXIT_FAILED, "%s/journal: %s", pool->settings->results, strerror(-error));
   }
}

/* ---- The results of a try ---- */

static void forget_attempt(struct slot *slot)
{
   attempt_finish(&slot->attempt);
   free(slot->text);
   slot->text = NULL;
   slot->text_size = slot->planned = slot->done = 0;
   slot->begun_one = false;
}

static struct result *add_result(struct pool *pool, struct slot *slot, const char *name)
{
   struct result *result = attempt_add(&slot->attempt, name);

   if (result == NULL) {
      pool_stop(pool, EXIT_FAILED, "out of memory");
   }
   return result;
}

static void finish_result(struct slot *slot, struct result *result)
{
   const double now = util_clock_seconds();

   result->seconds = now - slot->heard;
   slot->heard = now;
   result->output = slot->text;
   slot->text = NULL;
   slot->text_size = 0;
   slot->begun_one = false;
   slot->done++;
}

/* Gives planned results that were not reached the fate of the process. If one of several had begun, it gets the fate,
 * and the others are marked as not reached. */
__attribute__((format(printf, 4, 5))) static void lose_rest(struct pool *pool, struct slot *slot,
                                                            enum result_status status, const char *format, ...)
{
   const char *culprit = NULL;
   char reason[512];
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(reason, sizeof(reason), format, arguments);
   va_end(arguments);
   if (slot->attempt.count == 0 && add_result(pool, slot, unit_name(pool, slot->unit)) == NULL) {
      return;
   }
   bool begun = slot->begun_one;
   while (slot->done < slot->attempt.count) {
      struct result *result = &slot->attempt.results[slot->done];

      if (culprit != NULL) {
         result_set(result, status, "not reached after %.200s", culprit);
      } else {
         result_set(result, status, "%.230s", reason);
      }
      finish_result(slot, result);
      culprit = begun && culprit == NULL ? result->name : culprit;
   }
}

/* Whether another client's fault ended the job: the kernel's driver resets the GPU and cancels all jobs that were
 * lost. */
static bool is_canceled(const struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      if (attempt->results[i].status == RESULT_FAIL && strstr(attempt->results[i].reason, "ECANCELED") != NULL) {
         return true;
      }
   }
   return false;
}

/* Whether there is a failure that the device may have caused. */
static bool is_failure(const struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      const enum result_status status = attempt->results[i].status;

      if (result_status_is_bad(status) && status != RESULT_INVALID) {
         return true;
      }
   }
   return false;
}

static void add_kernel_log(const struct pool *pool, struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      struct result *result = &attempt->results[i];

      if (result_status_is_bad(result->status)) {
         result->kernel_log = result->kernel_log == NULL ? kmsg_end(&pool->kmsg) : result->kernel_log;
         return;
      }
   }
}

/* Records the end of the try. */
static void record(struct pool *pool, struct slot *slot)
{
   struct outcome *outcome = &pool->outcomes[slot->unit];

   pool->taken[slot->unit] = false;
   if (is_canceled(&slot->attempt) && outcome->canceled < CANCELED_MAX) {
      outcome->canceled++;
      if (pool->journal != NULL) {
         keep_in_journal(pool, journal_append(pool->journal, JOURNAL_LATER, "interrupted %zu", slot->unit));
      }
      forget_attempt(slot);
      return;
   }
   add_kernel_log(pool, &slot->attempt);
   char *line = pool->journal != NULL ? attempt_to_line(&slot->attempt) : NULL;
   if (pool->journal != NULL && line == NULL) {
      pool_stop(pool, EXIT_FAILED, "out of memory");
   } else if (line != NULL) {
      keep_in_journal(pool,
                      journal_append(pool->journal, JOURNAL_LATER, "result %zu %u %s", slot->unit, slot->try, line));
   }
   free(line);
   outcome_add(outcome, &slot->attempt);
   forget_attempt(slot);
}

/* ---- The process ---- */

static void discard(struct slot *slot)
{
   child_finish(&slot->child);
   slot->state = SLOT_EMPTY;
   slot->unopened = false;
}

/* Returns false if the process cannot be ended, which ends the run. */
static bool stop_process(struct pool *pool, struct slot *slot, enum child_end how)
{
   if (child_stop(&slot->child, how, pool->grace)) {
      return true;
   }
   pool_stop(pool, EXIT_LOST, "a process is stuck in the kernel");
   return false;
}

static void start_process(struct pool *pool, struct slot *slot, int (*life)(void *, int, int), void *data)
{
   const int error = child_start(&slot->child, life, data);

   if (error < 0) {
      pool_stop(pool, EXIT_FAILED, "no process could be started: %s", strerror(-error));
      slot->state = SLOT_EMPTY;
      return;
   }
   slot->talking = true;
   if (pool->by_work) {
      child_count_work(&slot->child, compiler_process());
   }
}

bool slot_suits(const struct pool *pool, const struct slot *slot, size_t unit, unsigned try)
{
   return try == 1 && slot->try == 1 &&
          (pool->work->together == NULL || pool->work->together(pool->work->data, slot->unit, unit));
}

void slot_give(struct pool *pool, struct slot *slot, size_t unit, unsigned try)
{
   const char *name = unit_name(pool, unit);

   if (slot->state == SLOT_READY && !slot_suits(pool, slot, unit, try)) {
      child_order(&slot->child, "quit");
      if (!stop_process(pool, slot, CHILD_ENDS)) {
         return;
      }
      discard(slot);
   }
   if (pool->journal != NULL) {
      keep_in_journal(pool, journal_append(pool->journal, JOURNAL_NOW, "begin %zu %u %s", unit, try, name));
   }
   if (pool->code != EXIT_OK) {
      return;
   }
   kmsg_begin(&pool->kmsg, name);
   if (try == 1 && pool->outcomes[unit].canceled == 0) {
      progress_step(&pool->progress, name);
   }
   slot->unit = unit;
   slot->try = try;
   pool->taken[unit] = true;
   if (slot->state == SLOT_EMPTY) {
      slot->worker = (struct worker){.work = pool->work, .device = pool->device};
      start_process(pool, slot, worker_live, &slot->worker);
      if (pool->code != EXIT_OK) {
         return;
      }
   }
   slot->state = SLOT_BUSY;
   slot->heard = util_clock_seconds();
   slot->begun = slot->child.heard = child_seconds(&slot->child);
   /* if the process has died meanwhile, its pipe shows it */
   child_order(&slot->child, "run %zu %u", unit, try);
}

static void check_device(struct pool *pool, struct slot *slot)
{
   discard(slot);
   if (pool->code != EXIT_OK || pool->device == NULL) {
      return;
   }
   start_process(pool, slot, probe_check_life, (void *)pool->device);
   if (pool->code == EXIT_OK) {
      slot->state = SLOT_CHECKING;
      slot->begun = child_seconds(&slot->child);
   }
}

/* The device did not survive the unit: changes the result of its last try. */
static void lose_device(struct pool *pool, struct slot *slot, const char *why)
{
   struct outcome *outcome = &pool->outcomes[slot->unit];
   const struct attempt *attempt = outcome->tries > 1 ? &outcome->last : &outcome->first;
   char before[160] = "";

   for (size_t i = 0; i < attempt->count && before[0] == '\0'; i++) {
      if (result_status_is_bad(attempt->results[i].status)) {
         snprintf(before, sizeof(before), "%s: %.120s", result_status_names[attempt->results[i].status],
                  attempt->results[i].reason);
      }
   }
   outcome->tries -= outcome->tries > 0;
   slot->heard = slot->child.started;
   lose_rest(pool, slot, RESULT_HANG, "the device did not come back: %.90s (%.120s)", why, before);
   record(pool, slot);
   pool_stop(pool, EXIT_LOST, "the GPU no longer works after %s: %s", unit_name(pool, slot->unit), why);
}

static void end_check(struct pool *pool, struct slot *slot, bool gone, enum slot_limit limit)
{
   char why[300];

   (void)child_read_reports(&slot->child);
   const char *answer = probe_answer(&slot->child, why, sizeof(why));

   if (pool->code == EXIT_OK && answer != NULL) {
      if (!gone) {
         answer = "a process that runs a trivial job is stuck in the kernel";
      } else if (limit != LIMIT_NONE) {
         answer = "a trivial job did not end";
      }
      lose_device(pool, slot, answer);
   }
   discard(slot);
}

/* Waits for the end of the process, or kills it. Records what the unit left unfinished. */
static void settle(struct pool *pool, struct slot *slot, enum slot_limit limit, bool sense)
{
   const bool late = limit != LIMIT_NONE;
   const bool gone = stop_process(pool, slot, late ? CHILD_ASKED : sense ? CHILD_ENDS : CHILD_KILLED);
   const char *last = slot->child.last;
   char end[300];

   if (slot->state == SLOT_CHECKING) {
      end_check(pool, slot, gone, limit);
      return;
   }
   if (!gone) {
      lose_rest(pool, slot, RESULT_HANG, "its process cannot be ended: it is stuck in the kernel");
   } else if (slot->unopened) {
      const bool ours = strncmp(last, MESSAGE_PREFIX, strlen(MESSAGE_PREFIX)) == 0;

      lose_rest(pool, slot, RESULT_FAIL, "the device cannot be opened: %s",
                ours ? last + strlen(MESSAGE_PREFIX) : last);
   } else if (limit == LIMIT_UNIT) {
      lose_rest(pool, slot, RESULT_TIMEOUT, "no end after %g s", pool->settings->test_timeout);
   } else if (limit == LIMIT_IDLE) {
      lose_rest(pool, slot, RESULT_TIMEOUT, "no report for %g s", pool->settings->idle_timeout);
   } else {
      child_describe_end(&slot->child, end, sizeof(end));
      lose_rest(pool, slot, RESULT_CRASH, "%s", end);
   }
   record(pool, slot);
   check_device(pool, slot);
}

/* ---- Reports of a process ---- */

static bool hear_plan(struct pool *pool, struct slot *slot, const char *rest)
{
   const char *unit = unit_name(pool, slot->unit);

   if (slot->done > 0 || strncmp(rest, unit, strlen(unit)) != 0 || add_result(pool, slot, rest) == NULL) {
      return false;
   }
   slot->attempt.results[slot->planned++].status = RESULT_INCOMPLETE;
   return true;
}

static bool hear_begin(struct pool *pool, struct slot *slot, const char *rest)
{
   (void)pool, (void)rest;
   slot->begun_one = true;
   return true;
}

static bool hear_result(struct pool *pool, struct slot *slot, const char *rest)
{
   const bool planned = slot->done < slot->planned;
   struct result result;
   char message[128];

   if (slot->planned > 0 && !planned) {
      return false;
   }
   if (result_from_line(rest, &result, message, sizeof(message)) < 0) {
      return false;
   }
   if (!planned && add_result(pool, slot, "") == NULL) {
      result_finish(&result);
      return false;
   }
   if (planned) {
      /* the plan has the exact name; JSON lacks bytes that are no text */
      memcpy(result.name, slot->attempt.results[slot->done].name, sizeof(result.name));
   }
   slot->attempt.results[slot->done] = result;
   finish_result(slot, &slot->attempt.results[slot->done]);
   return true;
}

static bool hear_print(struct pool *pool, struct slot *slot, const char *rest)
{
   const size_t length = strlen(rest);

   if (!pool->keep_output || slot->text_size + length > TEXT_MAX) {
      return true;
   }
   char *text = realloc(slot->text, slot->text_size + length + 2);
   if (text == NULL) {
      pool_stop(pool, EXIT_FAILED, "out of memory");
      return false;
   }
   memcpy(text + slot->text_size, rest, length);
   memcpy(text + slot->text_size + length, "\n", 2);
   slot->text = text;
   slot->text_size += length + 1;
   return true;
}

static bool hear_progress(struct pool *pool, struct slot *slot, const char *rest)
{
   if (slot->try == 1 && pool->jobs <= 1) {
      progress_update(&pool->progress, strtod(rest, NULL));
   }
   return true;
}

static bool hear_alive(struct pool *pool, struct slot *slot, const char *rest)
{
   (void)pool, (void)slot, (void)rest;
   return true;
}

static bool hear_unopened(struct pool *pool, struct slot *slot, const char *rest)
{
   (void)pool, (void)rest;
   slot->unopened = true;
   return true;
}

static bool hear_end(struct pool *pool, struct slot *slot, const char *rest)
{
   const bool fresh = strcmp(rest, "fresh") == 0;

   if (slot->attempt.count == 0 || slot->done < slot->attempt.count) {
      return false;
   }
   /* text after the last result belongs to it */
   struct result *last = &slot->attempt.results[slot->attempt.count - 1];
   if (last->output == NULL) {
      last->output = slot->text;
      slot->text = NULL;
   }
   const bool failed = fresh && is_failure(&slot->attempt);
   record(pool, slot);
   if (!fresh) {
      slot->state = SLOT_READY;
   } else if (stop_process(pool, slot, CHILD_ENDS)) {
      if (failed) {
         check_device(pool, slot);
      } else {
         discard(slot);
      }
   }
   return true;
}

/* Handles a report. Returns false if it makes no sense, which happens if the process has corrupted its memory. */
static bool hear_line(struct pool *pool, struct slot *slot, char *line)
{
   static const struct {
      const char *word;
      bool (*hear)(struct pool *, struct slot *, const char *);
   } words[] = {
       {"plan", hear_plan},         {"begin", hear_begin}, {"result", hear_result},     {"print", hear_print},
       {"progress", hear_progress}, {"alive", hear_alive}, {"unopened", hear_unopened}, {"end", hear_end},
   };
   char *rest = line, *word = strsep(&rest, " ");

   for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
      if (strcmp(words[i].word, word) == 0) {
         return words[i].hear(pool, slot, rest != NULL ? rest : "");
      }
   }
   return false;
}

void slot_hear(struct pool *pool, struct slot *slot, bool reports, bool output)
{
   if (output) {
      slot->talking = child_read_output(&slot->child);
   }
   if (!reports) {
      return;
   }
   const bool open = child_read_reports(&slot->child);
   const pid_t pid = slot->child.pid;
   bool sense = true;
   for (char *line; sense && slot->state == SLOT_BUSY && (line = child_take_line(&slot->child)) != NULL;) {
      sense = hear_line(pool, slot, line);
      free(line);
   }
   if (slot->child.pid != pid) {
      return; /* another process has taken its place */
   }
   if (slot->state == SLOT_READY && (!open || slot->child.used > 0)) {
      (void)stop_process(pool, slot, CHILD_KILLED);
      discard(slot);
   } else if ((slot->state == SLOT_BUSY || slot->state == SLOT_CHECKING) && (!open || !sense)) {
      settle(pool, slot, LIMIT_NONE, sense);
   }
}

/* ---- Limits ---- */

double slot_time_left(const struct pool *pool, struct slot *slot, enum slot_limit *limit)
{
   const struct run_settings *settings = pool->settings;

   *limit = LIMIT_NONE;
   if (slot->state != SLOT_BUSY && slot->state != SLOT_CHECKING) {
      return INFINITY;
   }
   const double now = child_seconds(&slot->child), run = util_clock_seconds() - pool->started;
   double left = slot->begun + settings->test_timeout - now;
   *limit = LIMIT_UNIT;
   if (slot->child.heard + settings->idle_timeout - now < left) {
      left = slot->child.heard + settings->idle_timeout - now;
      *limit = LIMIT_IDLE;
   }
   if (settings->run_timeout > 0 && settings->run_timeout - run < left) {
      left = settings->run_timeout - run;
      *limit = LIMIT_RUN;
   }
   return left > 0 ? left : 0;
}

void slot_end_late(struct pool *pool, struct slot *slot, enum slot_limit limit)
{
   if (limit == LIMIT_RUN) {
      pool_stop(pool, EXIT_ABORTED, "the run exceeded its limit of %g s", pool->settings->run_timeout);
   } else {
      settle(pool, slot, limit, true);
   }
}

void slot_close(struct pool *pool, struct slot *slot)
{
   if (slot->state == SLOT_EMPTY) {
      return;
   }
   if (slot->state == SLOT_BUSY && pool->journal != NULL && pool->code == EXIT_ABORTED) {
      (void)journal_append(pool->journal, JOURNAL_NOW, "interrupted %zu", slot->unit);
   }
   child_order(&slot->child, "quit");
   (void)stop_process(pool, slot, slot->state == SLOT_READY ? CHILD_ENDS : CHILD_ASKED);
   forget_attempt(slot);
   discard(slot);
}
