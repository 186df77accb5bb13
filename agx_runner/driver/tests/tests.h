/* SPDX-License-Identifier: MIT
 *
 * Piglit's OpenCL program tests, and tests of shaders, through a Mesa's own driver.
 */
#ifndef AGX_RUNNER_DRIVER_TESTS_TESTS_H
#define AGX_RUNNER_DRIVER_TESTS_TESTS_H

#include "agx_runner/piglit/status.h"

/* Compiles and launches with the drivers of the Mesa that its member `mesa` names; the caller sets that. */
extern const struct piglit_driver driver_tests;

#endif
