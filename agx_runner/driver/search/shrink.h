/* SPDX-License-Identifier: MIT
 *
 * Makes the kernel of a finding smaller.
 */
#ifndef AGX_RUNNER_DRIVER_SEARCH_SHRINK_H
#define AGX_RUNNER_DRIVER_SEARCH_SHRINK_H

#include "agx_runner/driver/search/batch.h"
#include "agx_runner/driver/search/settings.h"

/* Writes the smallest kernel that fails as the finding does to `path`, which is NUMBER.cl of the folder. test: the
 * finding, whose reason becomes that of the smaller one. Prints messages; returns an enum exit_code. */
int driver_search_shrink(const struct driver_search_settings *settings, const char *folder, uint64_t number,
                         const char *path, struct batch_test *test);

#endif
