/* SPDX-License-Identifier: MIT
 *
 * The state of the runner of processes, which the pool and its slots share. `code` is set once: a run that is to end
 * keeps its first reason.
 */
#ifndef PROCESS_POOL_STATE_H
#define PROCESS_POOL_STATE_H

#include <sys/types.h>

#include "process/journal.h"
#include "process/kmsg.h"
#include "process/tries.h"
#include "process/unit.h"

struct slot;

/* Limits in seconds. */
struct pool_limits {
   double unit; /* of a unit */
   double idle; /* without a report */
   double run;  /* of the whole run; 0: none */
};

struct pool {
   /* The caller's: */
   struct pool_limits limits;
   const struct work *work;
   const struct tries *tries;
   const struct journal *journal; /* NULL: none */
   const char *journal_path;      /* for messages */
   unsigned jobs;                 /* worker processes; 0: one */
   /* The device of the units, which the pool passes on. NULL: they need no device. */
   const char *device;
   /* In a process: reports "works", or "broken WHY", about the device `data`. */
   int (*check)(void *data, int orders, int reports);
   bool by_work; /* the host does the device's work: limits count it, see child_count_work() */
   double grace; /* seconds that a process has to end by itself */

   /* Its own: */
   struct slot *slots;
   bool *taken;  /* units that are running */
   size_t first; /* all units before this one are done */
   bool opened;  /* pool_open() has succeeded */
   int signals;
   struct kmsg kmsg;
   double started; /* start in seconds */
   int code;       /* why the run ends early, an enum exit_code; EXIT_OK: it does not */
   char why[400];
};

#endif
