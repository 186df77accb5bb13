/* SPDX-License-Identifier: MIT
 *
 * The inside of a worker process. It receives orders and sends reports, each a line on a pipe. There is no other
 * communication.
 *
 * Orders:
 *    run UNIT TRY       run the unit; TRY counts from 1
 *    quit               end
 * Reports:
 *    plan NAME          the unit will give a result of this name; all plans come before the first result
 *    begin              the next planned result begins
 *    result {...}       as result_to_line() writes it
 *    print TEXT         a line of text that belongs to the next result
 *    progress FRACTION  of the unit, 0 to 1
 *    alive              something was submitted
 *    unopened           the device cannot be opened; the process ends
 *    end                the unit is done, the process waits for an order
 *    end fresh          the unit is done, the process ends
 */
#ifndef PROCESS_WORKER_H
#define PROCESS_WORKER_H

#include "process/unit.h"
#include "agx_runner/results/result.h"

struct worker {
   const struct work *work;
   const char *device; /* device spec */
   unsigned try;       /* number of the current try */
   void *state;        /* state of the work, kept from unit to unit */

   int orders, reports;
   double reported; /* time of the last "alive" or "progress" in seconds */
};

/* The function of a worker process; data: a struct worker. Returns its exit code. */
int worker_live(void *data, int orders, int reports);

void worker_plan(const struct worker *worker, const char *name);
void worker_begin(const struct worker *worker);
void worker_result(const struct worker *worker, const struct result *result);
void worker_print(const struct worker *worker, const char *line);
/* Report progress. They may be called often: only some calls send a report. */
void worker_progress(struct worker *worker, double fraction);
void worker_alive(struct worker *worker);
/* Ends the process, which has printed the reason. */
_Noreturn void worker_unopened(const struct worker *worker);

/* Returns the spec with which to open the device for this unit. A virtual device is told the unit's name, which inject=
 * may match. free() releases it; NULL: out of memory. */
char *worker_device_spec(const struct worker *worker, const char *unit);

#endif
