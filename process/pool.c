/* SPDX-License-Identifier: MIT
 *
 * One loop assigns units to slots and receives their reports. Invariant: at most one slot runs a unit at a time.
 */
#include "process/pool.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "process/child/interrupt.h"
#include "process/child/watch.h"
#include "process/slot.h"
#include "util/clock.h"
#include "util/exit_code.h"

#define LOOK_SECONDS (2 * ACTIVITY_PAUSE) /* interval at which the work of processes is examined */

/* ---- The next unit ---- */

/* Finds the next unit in order; a unit that wants another try comes before those behind it. Returns false if there is
 * none. */
static bool next_unit(struct pool *pool, size_t *unit, unsigned *number)
{
   bool done = true;

   for (size_t i = pool->first; i < pool->work->count; i++) {
      const bool wanted = pool->tries->wanted(pool->tries->data, i, number);

      if (wanted && !pool->taken[i]) {
         *unit = i;
         return true;
      }
      done &= !wanted;
      pool->first = done ? i + 1 : pool->first;
   }
   return false;
}

/* Assigns units. Returns the number of slots that are busy. */
static unsigned give_units(struct pool *pool)
{
   unsigned busy = 0;

   for (unsigned i = 0; i < pool->jobs; i++) {
      struct slot *slot = &pool->slots[i];
      size_t unit;
      unsigned number;

      if (pool->code == EXIT_OK && (slot->state == SLOT_EMPTY || slot->state == SLOT_READY) &&
          next_unit(pool, &unit, &number)) {
         slot_give(pool, slot, unit, number);
      }
      busy += slot->state == SLOT_BUSY || slot->state == SLOT_CHECKING;
   }
   return busy;
}

/* ---- Reports and signals ---- */

static void hear_signal(struct pool *pool)
{
   struct signalfd_siginfo signal;

   if (read(pool->signals, &signal, sizeof(signal)) == sizeof(signal)) {
      pool_stop(pool, EXIT_ABORTED, "interrupted");
      interrupt_took_first();
   }
}

/* Returns the milliseconds until the first limit of any slot, or until the work must be examined again; -1: there is no
 * limit. */
static int time_left(const struct pool *pool)
{
   double left = INFINITY;

   for (unsigned i = 0; i < pool->jobs; i++) {
      enum slot_limit limit;

      left = fmin(left, slot_time_left(pool, &pool->slots[i], &limit));
   }
   if (pool->by_work && !isinf(left)) {
      left = fmin(left, LOOK_SECONDS);
   }
   return isinf(left) ? -1 : left < 1e6 ? (int)(left * 1000) + 1 : 1000000000;
}

static void listen(struct pool *pool, struct child_watch *watches)
{
   bool signaled;

   for (unsigned i = 0; i < pool->jobs; i++) {
      struct slot *slot = &pool->slots[i];

      watches[i] = (struct child_watch){.child = slot->state != SLOT_EMPTY ? &slot->child : NULL};
   }
   const int error = child_watch(watches, pool->jobs, pool->signals, &signaled, time_left(pool));
   if (error < 0) {
      pool_stop(pool, EXIT_FAILED, "poll: %s", strerror(-error));
   }
   if (signaled) {
      hear_signal(pool);
   }
   for (unsigned i = 0; i < pool->jobs && pool->code == EXIT_OK; i++) {
      struct slot *slot = &pool->slots[i];
      enum slot_limit limit;

      if (watches[i].reported) {
         slot_hear(pool, slot);
      }
      if (slot_time_left(pool, slot, &limit) <= 0) {
         slot_end_late(pool, slot, limit);
      }
   }
}

static bool make_room(struct pool *pool, struct child_watch **watches)
{
   pool->jobs = pool->jobs == 0 ? 1 : pool->jobs;
   pool->slots = calloc(pool->jobs, sizeof(*pool->slots));
   pool->taken = calloc(pool->work->count + 1, sizeof(*pool->taken));
   *watches = calloc(pool->jobs, sizeof(**watches));
   return pool->slots != NULL && pool->taken != NULL && *watches != NULL;
}

int pool_run(struct pool *pool)
{
   struct child_watch *watches;

   if (!make_room(pool, &watches)) {
      free(watches);
      pool_stop(pool, EXIT_FAILED, "out of memory");
      return pool->code;
   }
   while (give_units(pool) > 0 && pool->code == EXIT_OK) {
      listen(pool, watches);
   }
   for (unsigned i = 0; i < pool->jobs; i++) {
      slot_close(pool, &pool->slots[i]);
   }
   if (pool->journal != NULL && pool->code == EXIT_OK) {
      const int error = journal_sync(pool->journal);

      if (error < 0) {
         pool_stop(pool, EXIT_FAILED, "%s: %s", pool->journal_path, strerror(-error));
      }
   }
   free(watches);
   return pool->code;
}

/* ---- Beginning and end ---- */

int pool_open(struct pool *pool)
{
   sigset_t signals;

   pool->kmsg = (struct kmsg){-1, -1};
   pool->started = util_clock_seconds();
   pool->code = EXIT_OK;
   pool->signals = -1;
   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   sigaddset(&signals, SIGHUP);
   /* writing to a closed pipe, or to a full file, is reported as an error of the write */
   signal(SIGPIPE, SIG_IGN);
   signal(SIGXFSZ, SIG_IGN);
   if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0) {
      return -errno;
   }
   pool->signals = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
   pool->opened = pool->signals >= 0;
   return pool->opened ? 0 : -errno;
}

bool pool_await(struct pool *pool, struct child *child)
{
   const double limit = fmin(pool->limits.unit, pool->limits.idle);
   bool open = true, signaled;

   while (open && pool->code == EXIT_OK && child_seconds(child) < limit) {
      struct child_watch watch = {.child = child};

      (void)child_watch(&watch, 1, pool->signals, &signaled, (int)(LOOK_SECONDS * 1000));
      open = !watch.reported || child_read_reports(child);
      if (signaled) {
         hear_signal(pool);
      }
   }
   return child_stop(child, open ? CHILD_ASKED : CHILD_ENDS, 0) && !open;
}

void pool_close(struct pool *pool)
{
   if (pool->opened) {
      kmsg_close(&pool->kmsg);
      close(pool->signals);
   }
   free(pool->slots);
   free(pool->taken);
   pool->opened = false;
   pool->slots = NULL;
   pool->taken = NULL;
}
