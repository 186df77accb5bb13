/* SPDX-License-Identifier: MIT
 *
 * The runner of processes: N worker processes that take the units of a run one after the other. A unit that crashes,
 * hangs or loses the GPU costs itself only. After each failure that the device may have a part in, a trivial job in a
 * fresh process tells whether the device still works.
 */
#ifndef AGX_RUNNER_POOL_H
#define AGX_RUNNER_POOL_H

#include "agx_runner/process/journal.h"
#include "agx_runner/process/kmsg.h"
#include "agx_runner/process/outcome.h"
#include "agx_runner/process/run_settings.h"
#include "agx_runner/process/unit.h"
#include "agx_runner/terminal/progress.h"
#include "drm/asahi.h"

struct slot;
struct probe;

struct pool {
   /* The caller's: */
   const struct run_settings *settings;
   const struct work *work;
   const struct expectations *expectations; /* NULL: none */
   const struct journal *journal;           /* NULL: none */
   struct outcome *outcomes;                /* of each unit; what has tries already is not run again */
   unsigned jobs;                           /* worker processes; 0: one */
   bool keep_output;                        /* of units, in their results */
   const char *device;                      /* spec; pool_open() sets it, and the caller may change it afterwards */
   double grace;                            /* seconds that a process has to end by itself; set by pool_open() */

   /* Its own: */
   struct probe *probe; /* what the first process found out about the device */
   struct slot *slots;
   bool *taken;  /* units that run now */
   size_t first; /* unit before which all is done */
   int signals;
   struct kmsg kmsg;
   struct progress progress;
   double started; /* seconds */
   int code;       /* why it ends before its time; EXIT_OK: it does not */
   char why[400];
};

/* Opens the device once, in a process, to see what it is. An enum exit_code; messages are printed. From here on SIGINT,
 * SIGTERM and SIGHUP wait for pool_run() to hear of them. */
int pool_open(struct pool *pool);
/* The same for units that need no device: nothing is opened. */
int pool_open_without_device(struct pool *pool);
const struct asahi_device_info *pool_info(const struct pool *pool);
/* Runs all units that have no outcome yet, and again those that surprise. EXIT_OK, or why not all was run:
 * EXIT_ABORTED, EXIT_LOST, EXIT_FAILED; pool->why says it. */
int pool_run(struct pool *pool);
void pool_close(struct pool *pool);

/* For slot.c: ends the run before its time; the first reason counts. */
__attribute__((format(printf, 3, 4))) void pool_stop(struct pool *pool, int code, const char *format, ...);

#endif
