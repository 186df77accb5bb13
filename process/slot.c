/* SPDX-License-Identifier: MIT
 *
 * The states of a slot: EMPTY -> BUSY -> READY -> BUSY ... and, after a failure, CHECKING -> EMPTY. Each try of a unit
 * is recorded once, when the process reports its end or has died.
 */
#include "process/slot.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/clock.h"
#include "util/exit_code.h"

#define BROKEN "broken "

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
      pool_stop(pool, EXIT_FAILED, "%s: %s", pool->journal_path, strerror(-error));
   }
}

/* ---- The tries of units ---- */

static void forget_try(struct pool *pool, struct slot *slot)
{
   pool->tries->forget(pool->tries->data, &slot->try);
}

/* Records the end of the try. */
static void record(struct pool *pool, struct slot *slot)
{
   char *line = NULL;

   pool->taken[slot->try.unit] = false;
   switch (pool->tries->end(pool->tries->data, &slot->try, pool->journal != NULL ? &line : NULL)) {
   case TRY_COUNTS:
      if (line != NULL) {
         keep_in_journal(pool, journal_append(pool->journal, JOURNAL_LATER, "result %zu %u %s", slot->try.unit,
                                              slot->try.number, line));
      }
      break;
   case TRY_REPEATED:
      if (pool->journal != NULL) {
         keep_in_journal(pool, journal_append(pool->journal, JOURNAL_LATER, "interrupted %zu", slot->try.unit));
      }
      break;
   case TRY_NO_MEMORY:
      pool_stop(pool, EXIT_FAILED, "out of memory");
      break;
   }
   free(line);
}

__attribute__((format(printf, 5, 6))) static void lose(struct pool *pool, struct slot *slot, enum unit_fate fate,
                                                       double seconds, const char *format, ...)
{
   va_list arguments;
   char why[512];

   va_start(arguments, format);
   vsnprintf(why, sizeof(why), format, arguments);
   va_end(arguments);
   if (!pool->tries->lose(pool->tries->data, &slot->try, fate, why, seconds)) {
      pool_stop(pool, EXIT_FAILED, "out of memory");
   }
   record(pool, slot);
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
   if (pool->by_work) {
      const struct work *work = pool->work;

      child_count_work(&slot->child, work->helper != NULL ? work->helper(work->data, slot->try.unit) : 0);
   }
}

/* Whether the waiting process may run the unit. */
static bool suits(const struct pool *pool, const struct slot *slot, size_t unit, unsigned number)
{
   return number == 1 && slot->try.number == 1 &&
          (pool->work->together == NULL || pool->work->together(pool->work->data, slot->try.unit, unit));
}

void slot_give(struct pool *pool, struct slot *slot, size_t unit, unsigned number)
{
   const char *name = unit_name(pool, unit);

   if (slot->state == SLOT_READY && !suits(pool, slot, unit, number)) {
      child_order(&slot->child, "quit");
      if (!stop_process(pool, slot, CHILD_ENDS)) {
         return;
      }
      discard(slot);
   }
   if (pool->journal != NULL) {
      keep_in_journal(pool, journal_append(pool->journal, JOURNAL_NOW, "begin %zu %u %s", unit, number, name));
   }
   if (pool->code != EXIT_OK) {
      return;
   }
   kmsg_begin(&pool->kmsg, name);
   slot->try = (struct unit_try){.unit = unit, .number = number};
   if (!pool->tries->begin(pool->tries->data, &slot->try)) {
      pool_stop(pool, EXIT_FAILED, "out of memory");
      return;
   }
   pool->taken[unit] = true;
   if (slot->state == SLOT_EMPTY) {
      slot->worker = (struct worker){.work = pool->work, .device = pool->device, .tied = pool->by_work};
      start_process(pool, slot, worker_live, &slot->worker);
      if (pool->code != EXIT_OK) {
         return;
      }
   }
   slot->state = SLOT_BUSY;
   slot->begun = slot->child.heard = child_seconds(&slot->child);
   /* if the process has died meanwhile, its pipe shows it */
   child_order(&slot->child, "run %zu %u", unit, number);
}

static void check_device(struct pool *pool, struct slot *slot)
{
   discard(slot);
   if (pool->code != EXIT_OK || pool->device == NULL || pool->check == NULL) {
      return;
   }
   start_process(pool, slot, pool->check, (void *)pool->device);
   if (pool->code == EXIT_OK) {
      slot->state = SLOT_CHECKING;
      slot->begun = child_seconds(&slot->child);
   }
}

/* Returns the finding of a process that has checked the device: NULL if the device works, else the reason why not. */
static const char *device_fault(struct child *child, char *why, size_t size)
{
   char *line = child_take_line(child);
   const bool works = line != NULL && strcmp(line, "works") == 0;

   if (line != NULL && strncmp(line, BROKEN, strlen(BROKEN)) == 0) {
      snprintf(why, size, "%s", line + strlen(BROKEN));
   } else {
      child_describe_end(child, why, size);
   }
   free(line);
   return works ? NULL : why;
}

static void end_check(struct pool *pool, struct slot *slot, bool gone, enum slot_limit limit)
{
   char why[300];

   (void)child_read_reports(&slot->child);
   const char *fault = device_fault(&slot->child, why, sizeof(why));

   if (pool->code == EXIT_OK && fault != NULL) {
      if (!gone) {
         fault = "a process that runs a trivial job is stuck in the kernel";
      } else if (limit != LIMIT_NONE) {
         fault = "a trivial job did not end";
      }
      lose(pool, slot, UNIT_LOST, util_clock_seconds() - slot->child.started, "%s", fault);
      pool_stop(pool, EXIT_LOST, "the GPU no longer works after %s: %s", unit_name(pool, slot->try.unit), fault);
   }
   discard(slot);
}

/* Waits for the end of the process, or kills it. Records what the unit left unfinished. */
static void settle(struct pool *pool, struct slot *slot, enum slot_limit limit, bool sense)
{
   const bool late = limit != LIMIT_NONE;
   const bool gone = stop_process(pool, slot, late ? CHILD_ASKED : sense ? CHILD_ENDS : CHILD_KILLED);
   char end[300];

   if (slot->state == SLOT_CHECKING) {
      end_check(pool, slot, gone, limit);
      return;
   }
   if (!gone) {
      lose(pool, slot, UNIT_STUCK, 0, "its process cannot be ended: it is stuck in the kernel");
   } else if (slot->unopened) {
      lose(pool, slot, UNIT_UNOPENED, 0, "%s", slot->child.last);
   } else if (limit == LIMIT_UNIT) {
      lose(pool, slot, UNIT_LATE, 0, "no end after %g s", pool->limits.unit);
   } else if (limit == LIMIT_IDLE) {
      lose(pool, slot, UNIT_LATE, 0, "no report for %g s", pool->limits.idle);
   } else {
      child_describe_end(&slot->child, end, sizeof(end));
      lose(pool, slot, UNIT_CRASHED, 0, "%s", end);
   }
   check_device(pool, slot);
}

/* ---- Reports of a process ---- */

static bool hear_end(struct pool *pool, struct slot *slot, bool fresh)
{
   bool failed;

   if (!pool->tries->complete(pool->tries->data, &slot->try, &failed)) {
      return false;
   }
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
   char *rest = line, *word = strsep(&rest, " ");

   rest = rest != NULL ? rest : line + strlen(line);
   if (strcmp(word, "end") == 0) {
      return hear_end(pool, slot, strcmp(rest, "fresh") == 0);
   }
   if (strcmp(word, "progress") == 0) {
      pool->tries->progress(pool->tries->data, &slot->try, strtod(rest, NULL));
      return true;
   }
   if (strcmp(word, "unopened") == 0) {
      slot->unopened = true;
      return true;
   }
   return strcmp(word, "alive") == 0 || pool->tries->report(pool->tries->data, &slot->try, word, rest);
}

void slot_hear(struct pool *pool, struct slot *slot)
{
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
   const struct pool_limits *limits = &pool->limits;

   *limit = LIMIT_NONE;
   if (slot->state != SLOT_BUSY && slot->state != SLOT_CHECKING) {
      return INFINITY;
   }
   const double now = child_seconds(&slot->child), run = util_clock_seconds() - pool->started;
   double left = slot->begun + limits->unit - now;
   *limit = LIMIT_UNIT;
   if (slot->child.heard + limits->idle - now < left) {
      left = slot->child.heard + limits->idle - now;
      *limit = LIMIT_IDLE;
   }
   if (limits->run > 0 && limits->run - run < left) {
      left = limits->run - run;
      *limit = LIMIT_RUN;
   }
   return left > 0 ? left : 0;
}

void slot_end_late(struct pool *pool, struct slot *slot, enum slot_limit limit)
{
   if (limit == LIMIT_RUN) {
      pool_stop(pool, EXIT_ABORTED, "the run exceeded its limit of %g s", pool->limits.run);
   } else {
      settle(pool, slot, limit, true);
   }
}

void slot_close(struct pool *pool, struct slot *slot)
{
   if (slot->state == SLOT_EMPTY) {
      forget_try(pool, slot);
      return;
   }
   if (slot->state == SLOT_BUSY && pool->journal != NULL && pool->code == EXIT_ABORTED) {
      (void)journal_append(pool->journal, JOURNAL_NOW, "interrupted %zu", slot->try.unit);
   }
   child_order(&slot->child, "quit");
   (void)stop_process(pool, slot, slot->state == SLOT_READY ? CHILD_ENDS : CHILD_ASKED);
   forget_try(pool, slot);
   discard(slot);
}
