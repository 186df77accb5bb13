/* SPDX-License-Identifier: MIT
 *
 * Runs the tests of one file on an open device.
 */
#ifndef PIGLIT_RUN_H
#define PIGLIT_RUN_H

#include "agx_runner/piglit/status.h"

/* reason: why the file as a whole passed or did not; "" if its tests have reasons. */
enum piglit_status piglit_run_file(const struct piglit_run *run, const char *path, const struct piglit_sink *sink,
                                   char *reason, size_t reason_size);

#endif
