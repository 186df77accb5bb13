/* SPDX-License-Identifier: MIT
 *
 * Piglit's protocol: the lines that its framework reads from a test's output.
 */
#ifndef PIGLIT_PROTOCOL_H
#define PIGLIT_PROTOCOL_H

#include <stdio.h>

#include "agx_runner/piglit/status.h"

/* status: a name of piglit_status_name(), or "crash", "timeout". */
void piglit_print_subtest(FILE *out, const char *name, const char *status);
void piglit_print_result(FILE *out, const char *status);

#endif
