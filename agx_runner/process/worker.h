/* SPDX-License-Identifier: MIT
 *
 * The inside of a worker process. It takes orders and makes reports, each a line on a pipe. Nothing else leaves it.
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
#ifndef AGX_RUNNER_WORKER_H
#define AGX_RUNNER_WORKER_H

#include "agx_runner/process/unit.h"
#include "agx_runner/results/result.h"

struct worker {
   const struct work *work;
   const char *device; /* spec */
   unsigned try;       /* of the unit that runs */
   void *state;        /* the work's own, kept from unit to unit */

   int orders, reports;
   double reported; /* when "alive" or "progress" was, seconds */
};

/* The life of a worker process; data: a struct worker. Returns its exit code. */
int worker_live(void *data, int orders, int reports);

void worker_plan(const struct worker *worker, const char *name);
void worker_begin(const struct worker *worker);
void worker_result(const struct worker *worker, const struct result *result);
void worker_print(const struct worker *worker, const char *line);
/* These may be called often: some of the calls report. */
void worker_progress(struct worker *worker, double fraction);
void worker_alive(struct worker *worker);
/* Ends the process. The messages that it has printed say why. */
_Noreturn void worker_unopened(const struct worker *worker);

/* The spec to open the device with for this unit. A virtual device is told the unit's name, which inject= may ask for.
 * free() it; NULL: out of memory. */
char *worker_device_spec(const struct worker *worker, const char *unit);

#endif
