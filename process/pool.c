/* SPDX-License-Identifier: MIT
 *
 * One loop assigns units to slots and receives their reports. Invariant: at most one slot runs a unit at a time.
 */
#include "process/pool.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/runs/probe.h"
#include "process/slot.h"
#include "process/child/interrupt.h"
#include "agx_runner/terminal/runner.h"
#include "util/clock.h"
#include "util/array.h"

#define KERNEL_LOG "/dev/kmsg"
#define LOOK_SECONDS (2 * ACTIVITY_PAUSE) /* interval at which the work of processes is examined */
/* On hardware a process that must end may have a job in flight, whose end it may await for this time. If it is killed
 * before, the kernel's driver has to end the job, and its recovery hits other clients. */
#define HARDWARE_GRACE_SECONDS 10.0

/* ---- The next unit ---- */

/* Finds the next unit in order; a unit with an unexpected failure is tried again before those behind it. Returns false
 * if there is none. */
static bool next_unit(struct pool *pool, size_t *unit, unsigned *try)
{
   bool done = true;

   for (size_t i = pool->first; i < pool->work->count; i++) {
      const struct outcome *outcome = &pool->outcomes[i];
      const bool wanted =
          outcome->tries == 0 || outcome_wants_another_try(outcome, pool->expectations, pool->settings->reruns);

      if (wanted && !pool->taken[i]) {
         *unit = i;
         *try = outcome->tries + 1;
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
      unsigned try;

      if (pool->code == EXIT_OK && (slot->state == SLOT_EMPTY || slot->state == SLOT_READY) &&
          next_unit(pool, &unit, &try)) {
         slot_give(pool, slot, unit, try);
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

static void listen(struct pool *pool, struct pollfd *polls)
{
   for (unsigned i = 0; i < pool->jobs; i++) {
      const struct slot *slot = &pool->slots[i];
      const bool alive = slot->state != SLOT_EMPTY;

      polls[2 * i] = (struct pollfd){.fd = alive ? slot->child.reports : -1, .events = POLLIN};
      polls[2 * i + 1] = (struct pollfd){.fd = alive && slot->talking ? slot->child.output : -1, .events = POLLIN};
   }
   polls[2 * pool->jobs] = (struct pollfd){.fd = pool->signals, .events = POLLIN};
   const int ready = poll(polls, 2 * pool->jobs + 1, time_left(pool));
   if (ready < 0 && errno != EINTR) {
      pool_stop(pool, EXIT_FAILED, "poll: %s", strerror(errno));
   }
   if (ready > 0 && polls[2 * pool->jobs].revents != 0) {
      hear_signal(pool);
   }
   for (unsigned i = 0; i < pool->jobs && pool->code == EXIT_OK; i++) {
      struct slot *slot = &pool->slots[i];
      enum slot_limit limit;

      if (ready > 0 && (polls[2 * i].revents != 0 || polls[2 * i + 1].revents != 0)) {
         slot_hear(pool, slot, polls[2 * i].revents != 0, polls[2 * i + 1].revents != 0);
      }
      if (slot_time_left(pool, slot, &limit) <= 0) {
         slot_end_late(pool, slot, limit);
      }
   }
}

int pool_run(struct pool *pool)
{
   const size_t count = pool->work->count;
   size_t missing = 0;

   pool->jobs = pool->jobs == 0 ? 1 : pool->jobs;
   pool->slots = calloc(pool->jobs, sizeof(*pool->slots));
   pool->taken = calloc(count + 1, sizeof(*pool->taken));
   struct pollfd *polls = calloc(2 * (size_t)pool->jobs + 1, sizeof(*polls));
   if (pool->slots == NULL || pool->taken == NULL || polls == NULL) {
      free(polls);
      pool_stop(pool, EXIT_FAILED, "out of memory");
      return pool->code;
   }
   for (size_t i = 0; i < count; i++) {
      missing += pool->outcomes[i].tries == 0;
   }
   progress_start(&pool->progress, missing);
   while (give_units(pool) > 0 && pool->code == EXIT_OK) {
      listen(pool, polls);
   }
   for (unsigned i = 0; i < pool->jobs; i++) {
      slot_close(pool, &pool->slots[i]);
   }
   if (pool->journal != NULL && pool->code == EXIT_OK) {
      const int error = journal_sync(pool->journal);

      if (error < 0) {
         pool_stop(pool, EXIT_FAILED, "%s/journal: %s", pool->settings->results, strerror(-error));
      }
   }
   progress_finish(&pool->progress);
   free(polls);
   return pool->code;
}

/* ---- Beginning and end ---- */

static int open_signals(void)
{
   sigset_t signals;

   sigemptyset(&signals);
   sigaddset(&signals, SIGINT);
   sigaddset(&signals, SIGTERM);
   sigaddset(&signals, SIGHUP);
   /* writing to a closed pipe, or to a full file, is reported as an error of the write */
   signal(SIGPIPE, SIG_IGN);
   signal(SIGXFSZ, SIG_IGN);
   return sigprocmask(SIG_BLOCK, &signals, NULL) < 0 ? -1 : signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int pool_open_without_device(struct pool *pool)
{
   pool->kmsg = (struct kmsg){-1, -1};
   pool->started = util_clock_seconds();
   pool->code = EXIT_OK;
   pool->by_work = true;
   pool->signals = open_signals();
   void *shared = mmap(NULL, sizeof(*pool->probe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (pool->signals < 0 || shared == MAP_FAILED) {
      return complain(EXIT_FAILED, "cannot set up the run: %s", strerror(errno));
   }
   pool->probe = shared;
   return EXIT_OK;
}

/* Waits for a process that opens or checks the device, as long as a test may take. Returns an enum exit_code. */
static int await_probe(struct pool *pool, struct child *child)
{
   const double limit = fmin(pool->settings->test_timeout, pool->settings->idle_timeout);
   bool talking = true, open = true;

   while (open && pool->code == EXIT_OK && child_seconds(child) < limit) {
      struct pollfd polls[] = {{.fd = child->reports, .events = POLLIN},
                               {.fd = talking ? child->output : -1, .events = POLLIN},
                               {.fd = pool->signals, .events = POLLIN}};

      if (poll(polls, ARRAY_COUNT(polls), (int)(LOOK_SECONDS * 1000)) <= 0) {
         continue;
      }
      talking = polls[1].revents == 0 || child_read_output(child);
      open = polls[0].revents == 0 || child_read_reports(child);
      if (polls[2].revents != 0) {
         hear_signal(pool);
      }
   }
   const bool gone = child_stop(child, open ? CHILD_ASKED : CHILD_ENDS, 0);
   if (pool->code != EXIT_OK) {
      return complain(pool->code, "%s", pool->why);
   }
   if (pool->probe->opened) {
      return EXIT_OK;
   }
   if (gone && !open && WIFEXITED(child->status) && WEXITSTATUS(child->status) != EXIT_OK) {
      return WEXITSTATUS(child->status); /* the process has printed the reason */
   }
   return complain(EXIT_FAILED, "%s: the process that opens it did not survive", pool->settings->device);
}

int pool_open(struct pool *pool)
{
   int code = pool_open_without_device(pool);
   struct child child;

   if (code != EXIT_OK) {
      return code;
   }
   pool->probe->device = pool->settings->device;
   pool->probe->timeout = pool->settings->timeout;
   const int error = child_start(&child, probe_open_life, pool->probe);
   if (error < 0) {
      return complain(EXIT_FAILED, "no process could be started: %s", strerror(-error));
   }
   pool->by_work = asahi_spec_is_virtual(pool->settings->device);
   if (pool->by_work) {
      child_count_work(&child, 0);
   }
   code = await_probe(pool, &child);
   child_finish(&child);
   if (code != EXIT_OK) {
      return code;
   }
   const struct asahi_device_info *info = pool_info(pool);
   pool->device = strcmp(pool->settings->device, "auto") == 0 ? info->path : pool->settings->device;
   pool->grace = info->is_virtual ? 0 : HARDWARE_GRACE_SECONDS;
   pool->by_work = info->is_virtual;
   if (!info->is_virtual && !kmsg_open(&pool->kmsg, KERNEL_LOG)) {
      note(KERNEL_LOG " cannot be read (%s): failures come without the kernel's messages", strerror(errno));
   }
   return EXIT_OK;
}

const struct asahi_device_info *pool_info(const struct pool *pool)
{
   return &pool->probe->info;
}

void pool_close(struct pool *pool)
{
   if (pool->probe != NULL) {
      kmsg_close(&pool->kmsg);
      munmap(pool->probe, sizeof(*pool->probe));
      close(pool->signals);
   }
   free(pool->slots);
   free(pool->taken);
   pool->probe = NULL;
   pool->slots = NULL;
   pool->taken = NULL;
}
