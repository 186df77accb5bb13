/* SPDX-License-Identifier: MIT
 *
 * The state of the runner of processes, which the pool and its slots share. `code` is set once: a run that is to end
 * keeps its first reason.
 */
#ifndef PROCESS_POOL_STATE_H
#define PROCESS_POOL_STATE_H

#include "process/journal.h"
#include "process/kmsg.h"
#include "agx_runner/runs/outcome.h"
#include "agx_runner/runs/run_settings.h"
#include "process/unit.h"
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
   bool by_work;       /* limits count what processes do: child_count_work(); pool_open() sets it */
   const char *device; /* spec; pool_open() sets it, and the caller may change it afterwards */
   double grace;       /* seconds that a process has to end by itself; set by pool_open() */

   /* Its own: */
   struct probe *probe; /* what the first process found out about the device */
   struct slot *slots;
   bool *taken;  /* units that are running */
   size_t first; /* all units before this one are done */
   int signals;
   struct kmsg kmsg;
   struct progress progress;
   double started; /* start in seconds */
   int code;       /* why the run ends early; EXIT_OK: it does not */
   char why[400];
};

#endif
