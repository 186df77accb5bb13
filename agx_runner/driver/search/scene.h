/* SPDX-License-Identifier: MIT
 *
 * Scenes of fuzz --language draw, drawn twice: by a Mesa's OpenGL driver for Apple GPUs and by its llvmpipe.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_SCENE_H
#define AGX_RUNNER_DRIVER_SEARCH_SCENE_H

#include "agx_runner/driver/search/test.h"
#include "drivers/find.h"

/* Draws the test's scene and judges it. Prints messages; returns an enum exit_code, which says nothing of verdicts. */
int driver_scene_run(const struct mesa *mesa, const char *device, struct batch_test *test);

#endif
