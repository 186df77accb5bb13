/* SPDX-License-Identifier: MIT
 *
 * One process of a run while it lives: what it reports is heard and recorded, and its limits are watched.
 */
#ifndef AGX_RUNNER_BATCH_H
#define AGX_RUNNER_BATCH_H

#include <stdint.h>

#include "agx_runner/process/child.h"
#include "agx_runner/process/pool.h"
#include "agx_runner/process/worker.h"

#define BATCH_NONE SIZE_MAX

/* What is known of the process that runs now. */
struct batch {
   struct worker worker;
   struct child child;
   size_t current; /* BATCH_NONE: between tests */
   double begun;   /* seconds */
   bool heard;     /* of any test */
   bool unopened;  /* the device could not be */
   size_t failed;  /* the last test that failed; BATCH_NONE */
   bool works;     /* the trivial job was done right */
   char broken[300];
};

/* Why a process is no longer listened to. */
enum ending { ENDING_CLOSED, ENDING_LATE, ENDING_IDLE, ENDING_RUN };

/* Ends the run before its time; the first reason counts. */
__attribute__((format(printf, 3, 4))) void execute_stop(struct execution *execution, int code, const char *format, ...);

/* Runs life(data) in a process to its end, hearing what it reports. False: it cannot be ended. */
bool batch_run(struct execution *execution, struct batch *batch, int (*life)(void *, int), void *data,
               enum ending *ending);
/* Records a result for the current test. */
__attribute__((format(printf, 4, 5))) void batch_record(struct execution *execution, struct batch *batch,
                                                        enum result_status status, const char *format, ...);

#endif
