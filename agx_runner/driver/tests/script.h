/* SPDX-License-Identifier: MIT
 *
 * Tests of shaders through a Mesa's own driver.
 */
#ifndef AGX_RUNNER_DRIVER_TESTS_SCRIPT_H
#define AGX_RUNNER_DRIVER_TESTS_SCRIPT_H

#include "agx_runner/piglit/script/script.h"
#include "agx_runner/piglit/status.h"

/* As struct piglit_driver's member `script` says. */
enum piglit_status driver_script_run(const struct piglit_run *run, const struct script *script,
                                     const struct piglit_sink *sink, char *reason);

#endif
