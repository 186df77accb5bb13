/* SPDX-License-Identifier: MIT
 *
 * The inside of a worker process. It receives orders and sends reports, each a line on a pipe. There is no other
 * communication.
 *
 * Orders:
 *    run UNIT TRY       run the unit; TRY counts from 1
 *    quit               end
 * Reports:
 *    progress FRACTION  of the unit, 0 to 1
 *    alive              something was submitted
 *    unopened           the device cannot be opened; the process ends
 *    end                the unit is done, the process waits for an order
 *    end fresh          the unit is done, the process ends
 *    WORD ...           of the unit itself: child_report() sends it, report() of struct tries gets it
 */
#ifndef PROCESS_WORKER_H
#define PROCESS_WORKER_H

#include "process/unit.h"

struct worker {
   const struct work *work;
   const char *device; /* struct pool's */
   bool tied;          /* the process ends with the runner at once, without waiting for a job in flight */
   unsigned try;       /* number of the current try */
   void *state;        /* state of the work, kept from unit to unit */

   int orders, reports;
   double reported; /* time of the last "alive" or "progress" in seconds */
};

/* The function of a worker process; data: a struct worker. Returns its exit code. */
int worker_live(void *data, int orders, int reports);

/* Report progress. They may be called often: only some calls send a report. */
void worker_progress(struct worker *worker, double fraction);
void worker_alive(struct worker *worker);
/* Ends the process, which has printed the reason. */
_Noreturn void worker_unopened(const struct worker *worker);
/* Ends the process if the runner has asked it to with SIGTERM, which is blocked while a job is in flight. */
void worker_end_if_asked(void);

#endif
