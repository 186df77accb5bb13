/* SPDX-License-Identifier: MIT
 *
 * Opening the device that tests run on.
 */
#ifndef PIGLIT_DEVICE_H
#define PIGLIT_DEVICE_H

#include <stddef.h>

#include "drm/asahi.h"

/* Opens the device, with the helper program for kernels that need stack memory. A virtual one that `spec` does not
 * say more of is opened without its timing model, which no test looks at; with `alone` false also with one host
 * thread, for there is a process a core. `used` is the spec that it was opened with, so that others can do the same.
 * 0, or a negative errno with the reason in `why`. */
int piglit_device_open(const char *spec, bool alone, struct asahi_device **out, char *used, size_t used_size, char *why,
                       size_t why_size);

#endif
