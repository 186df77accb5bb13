/* SPDX-License-Identifier: MIT
 *
 * Many of Piglit's program tests through one host, since starting a driver takes longer than a test.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_BATCH_H
#define AGX_RUNNER_DRIVER_SEARCH_BATCH_H

#include <stddef.h>

#include "agx_runner/piglit/format/program_test.h"

enum batch_verdict {
   BATCH_RIGHT,
   BATCH_WRONG,   /* an output is not as expected */
   BATCH_REFUSED, /* the driver does not compile or launch it */
   BATCH_BROKEN,  /* the device reports a fault or a finding, or the driver crashed */
};

struct batch_test {
   const struct piglit_file *file; /* its first test counts; its arguments are values and buffers */
   enum batch_verdict verdict;
   char why[300];
};

/* Runs the tests on that device. One that breaks the device or the driver costs the others a second run, and nothing
 * else. Prints messages; returns an enum exit_code, which says nothing of verdicts. */
int driver_batch_run(const char *mesa, const char *device, struct batch_test *tests, size_t count);

#endif
