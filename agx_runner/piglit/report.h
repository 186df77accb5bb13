/* SPDX-License-Identifier: MIT
 *
 * A run of Piglit's tests for people, and as Piglit's own tester would have told it. The other formats are those of all
 * results (agx_runner/results/result.h).
 */
#ifndef PIGLIT_REPORT_H
#define PIGLIT_REPORT_H

#include <stdio.h>

#include "agx_runner/results/result.h"

/* What did not pass, why tests were skipped, and totals. `expected`: by expectation files. 0 or -ENOMEM. */
int piglit_write_summary(const struct result_run *run, bool expected, double seconds, FILE *out);
/* What Piglit's own tester prints, file by file. 0 or -ENOMEM. */
int piglit_write_protocol(const struct result_run *run, FILE *out);

#endif
