/* SPDX-License-Identifier: MIT
 *
 * The catalogue's benchmarks in OpenCL C, compiled by a Mesa's own driver.
 */
#ifndef AGX_RUNNER_DRIVER_CATALOGUE_H
#define AGX_RUNNER_DRIVER_CATALOGUE_H

#include "nir_kernels/benchmark.h"

/* Checks the Mesa, and makes it the compiler of the catalogue. Prints messages; returns an enum exit_code.
 * driver_catalogue_finish() must follow in any case. */
int driver_catalogue_start(const char *mesa);
/* Compiles the file of the benchmark, if it has one. Processes that are forked later have its programs. */
void driver_catalogue_add(const struct benchmark *benchmark);
void driver_catalogue_finish(void);

#endif
