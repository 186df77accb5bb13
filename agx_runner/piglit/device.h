/* SPDX-License-Identifier: MIT
 *
 * Opening the device that tests run on.
 */
#ifndef PIGLIT_DEVICE_H
#define PIGLIT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "drm/asahi.h"

/* The spec to open a device with that `spec` was found to mean. A virtual one runs without its timing model if `spec`
 * does not say more; with `alone` false also with one host thread, for there is a process a core. free() it; NULL: out
 * of memory. */
char *piglit_device_spec(const char *spec, const struct asahi_device_info *info, bool alone, bool check);

/* Opens the device, with the helper program for kernels that need stack memory. 0, or a negative errno with the reason
 * in `why`. */
int piglit_device_open(const char *spec, struct asahi_device **out, char *why, size_t why_size);

#endif
