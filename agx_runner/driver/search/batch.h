/* SPDX-License-Identifier: MIT
 *
 * Many of Piglit's program tests through one host, since starting a driver takes longer than a test.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_BATCH_H
#define AGX_RUNNER_DRIVER_SEARCH_BATCH_H

#include <stddef.h>

#include "agx_runner/driver/search/test.h"

/* Reads a file of fuzz --write (a scene's name ends in .scene), and compiles what is in GLSL to SPIR-V. Prints
 * messages; returns an enum exit_code. driver_batch_unload() must follow if it is EXIT_OK. */
int driver_batch_load(const char *path, struct batch_test *test);
void driver_batch_unload(struct batch_test *test);

/* Runs the tests on that device. One that breaks the device or the driver costs the others a second run, and nothing
 * else. Prints messages; returns an enum exit_code, which says nothing of verdicts. */
int driver_batch_run(const char *mesa, const char *device, struct batch_test *tests, size_t count);

#endif
