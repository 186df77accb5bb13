/* SPDX-License-Identifier: MIT
 *
 * In a worker process: the reports of a unit about its results. Each is a line:
 *    plan NAME          the unit will give a result of this name; all plans come before the first result
 *    begin              the next planned result begins
 *    result {...}       as result_to_line() writes it
 *    print TEXT         a line of text that belongs to the next result
 */
#ifndef AGX_RUNNER_WORKER_RESULTS_H
#define AGX_RUNNER_WORKER_RESULTS_H

#include "agx_runner/results/result.h"
#include "process/worker.h"

void worker_plan(const struct worker *worker, const char *name);
void worker_begin(const struct worker *worker);
void worker_result(const struct worker *worker, const struct result *result);
void worker_print(const struct worker *worker, const char *line);
/* Returns the spec with which to open the device for this unit. A virtual device is told the unit's name, which inject=
 * may match. free() releases it; NULL: out of memory. */
char *worker_device_spec(const struct worker *worker, const char *unit);

#endif
