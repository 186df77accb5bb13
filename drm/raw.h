/* SPDX-License-Identifier: MIT
 *
 * The device without the client on top of it, for callers that speak the uAPI themselves: the uapi/ tests.
 */
#ifndef DRM_RAW_H
#define DRM_RAW_H

#include <stdbool.h>
#include <stddef.h>

#include "drm/asahi.h"
#include "drm/uapi/asahi_drm.h"
#include "drm/uapi/kernel.h"

/* What a spec (see asahi_device_open) opens, before anything has been asked of it. */
struct asahi_raw {
   struct asahi_kernel *kernel;
   int fd; /* the device file */
   char path[128];
   bool is_virtual;
};

/* 0 or what asahi_device_open() returns, with why. Close it with raw->kernel->close(raw->kernel, raw->fd). */
int asahi_raw_open(const char *spec, struct asahi_raw *raw, char *why, size_t why_size);

/* Names what the kernel said of the GPU; -ENOTSUP, with why, when this client cannot drive such a one. */
int asahi_info_fill(const struct drm_asahi_params_global *params, struct asahi_device_info *info, char *why,
                    size_t why_size);

/* "EIO"; "" when the table has no such errno. */
const char *asahi_errno_name(int error);

#endif
