/* SPDX-License-Identifier: MIT
 *
 * A slot of the pool: one worker process as seen by its parent, and the unit that it runs.
 */
#ifndef PROCESS_SLOT_H
#define PROCESS_SLOT_H

#include "process/child/child.h"
#include "process/pool_state.h"
#include "process/worker.h"

enum slot_state {
   SLOT_EMPTY,    /* no process */
   SLOT_READY,    /* the process waits for an order */
   SLOT_BUSY,     /* it runs the unit */
   SLOT_CHECKING, /* the process checks whether the device still works after the unit */
};

struct slot {
   enum slot_state state;
   struct child child;
   struct worker worker; /* initial state of the process */
   struct unit_try try;  /* the current or last one */
   double begun;         /* start of the unit by child_seconds() */
   bool unopened;        /* the device could not be opened */
};

/* The limit that a process has exceeded. */
enum slot_limit { LIMIT_NONE, LIMIT_UNIT, LIMIT_IDLE, LIMIT_RUN };

/* Ends the run early; the first reason counts. */
__attribute__((format(printf, 3, 4))) void pool_stop(struct pool *pool, int code, const char *format, ...);

/* Starts a unit in the slot, in a new process if there is none. */
void slot_give(struct pool *pool, struct slot *slot, size_t unit, unsigned number);
/* Reads the reports of the process. */
void slot_hear(struct pool *pool, struct slot *slot);
/* Returns the seconds until its first limit, which *limit names. INFINITY: it has none. Only the run's limit uses the
 * monotonic clock on every device. */
double slot_time_left(const struct pool *pool, struct slot *slot, enum slot_limit *limit);
/* Ends a process that has exceeded its limit. */
void slot_end_late(struct pool *pool, struct slot *slot, enum slot_limit limit);
/* Ends the process. The running unit gets no result, because the run ends. */
void slot_close(struct pool *pool, struct slot *slot);

#endif
