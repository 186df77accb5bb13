/* SPDX-License-Identifier: MIT
 *
 * fuzz --mesa: generated kernels in OpenCL C through a Mesa's own driver.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_SEARCH_H
#define AGX_RUNNER_DRIVER_SEARCH_SEARCH_H

#include "agx_runner/driver/search/settings.h"
#include "agx_runner/terminal/values.h"

/* Searches, and prints the findings. Returns an enum exit_code: EXIT_FAILED when there are some. */
int driver_search(const struct driver_search_settings *settings);
/* Draws the scenes of these files instead, and prints what is wrong with them. Returns the same. */
int driver_search_files(const struct driver_search_settings *settings, const struct string_list *files);

#endif
