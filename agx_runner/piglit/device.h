/* SPDX-License-Identifier: MIT
 *
 * Opens the device on which tests run.
 */
#ifndef PIGLIT_DEVICE_H
#define PIGLIT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "drm/asahi.h"

/* Returns the spec with which to open the device that `spec` has been resolved to. A virtual one runs without its
 * timing model unless `spec` says otherwise, and its host threads are this process's share of the cores if several
 * `processes` run at a time. free() releases it; NULL: out of memory. */
char *piglit_device_spec(const char *spec, const struct asahi_device_info *info, size_t processes, bool check);

/* Opens the device with the helper program for kernels that need stack memory. Returns 0, or a negative errno with the
 * reason in `why`. */
int piglit_device_open(const char *spec, struct asahi_device **out, char *why, size_t why_size);

#endif
