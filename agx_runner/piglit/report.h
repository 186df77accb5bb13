/* SPDX-License-Identifier: MIT
 *
 * Reports a run of Piglit's tests as text for people, and as Piglit's own tester does. All results share the other
 * formats (agx_runner/results/result.h).
 */
#ifndef PIGLIT_REPORT_H
#define PIGLIT_REPORT_H

#include <stdio.h>

#include "agx_runner/results/result.h"

/* Writes what did not pass, why tests were skipped, and totals. `expected`: expectation files are in use. Returns 0 or
 * -ENOMEM. */
int piglit_write_summary(const struct result_run *run, bool expected, double seconds, FILE *out);
/* Writes what Piglit's own tester prints, file by file. Returns 0 or -ENOMEM. */
int piglit_write_protocol(const struct result_run *run, FILE *out);

#endif
