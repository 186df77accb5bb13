/* SPDX-License-Identifier: MIT
 *
 * A slot of the pool: one worker process as its parent holds it, and the unit that it runs.
 */
#ifndef AGX_RUNNER_SLOT_H
#define AGX_RUNNER_SLOT_H

#include "agx_runner/process/child/child.h"
#include "agx_runner/process/pool_state.h"
#include "agx_runner/process/worker.h"

enum slot_state {
   SLOT_EMPTY,    /* no process */
   SLOT_READY,    /* the process waits for an order */
   SLOT_BUSY,     /* it runs `unit` */
   SLOT_CHECKING, /* it finds out whether the device still works after `unit` */
};

struct slot {
   enum slot_state state;
   struct child child;
   struct worker worker; /* what the process begins with */
   bool talking;         /* its output is open */
   size_t unit;          /* that runs, or ran last */
   unsigned try;
   double begun; /* the unit, child_seconds() */
   double heard; /* its last result, seconds of the monotonic clock */

   struct attempt attempt;
   size_t planned, done; /* results */
   bool begun_one;       /* the next planned result has begun */
   bool unopened;        /* the device could not be opened */
   char *text;           /* printed since the last result */
   size_t text_size;
};

/* Which of its limits ends a process. */
enum slot_limit { LIMIT_NONE, LIMIT_UNIT, LIMIT_IDLE, LIMIT_RUN };

/* Ends the run before its time; the first reason counts. */
__attribute__((format(printf, 3, 4))) void pool_stop(struct pool *pool, int code, const char *format, ...);

/* Gives it a unit, in a fresh process where there is none. */
void slot_give(struct pool *pool, struct slot *slot, size_t unit, unsigned try);
/* Whether the process that waits may run the unit. */
bool slot_suits(const struct pool *pool, const struct slot *slot, size_t unit, unsigned try);
/* Reads what its process reports and prints. */
void slot_hear(struct pool *pool, struct slot *slot, bool reports, bool output);
/* Seconds until its first limit, which *limit names. INFINITY: it has none. Only the run's limit is of the monotonic
 * clock on any device. */
double slot_time_left(const struct pool *pool, struct slot *slot, enum slot_limit *limit);
/* Ends a process that is over its limit. */
void slot_end_late(struct pool *pool, struct slot *slot, enum slot_limit limit);
/* Ends the process. What runs in it has no result: the run ends. */
void slot_close(struct pool *pool, struct slot *slot);

#endif
