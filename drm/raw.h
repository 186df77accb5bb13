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

/* Whether the client wants to stop. requested NULL: it never does. */
struct asahi_interrupt {
   bool (*requested)(void *data);
   void *data;
};

/* Waits until all of these sync objects are signalled. -ETIME: not within timeout_ns. A virtual device ends its jobs
 * itself, so it is waited for until it has; -ETIME is for a job there that will not end (option inject=hang). When the
 * client wants to stop, a virtual device is told to give the job up. interrupt may be NULL. Another negative errno: the
 * request's. */
int asahi_raw_wait(struct asahi_kernel *kernel, int fd, bool is_virtual, const uint32_t *syncobjs, uint32_t count,
                   uint64_t timeout_ns, const struct asahi_interrupt *interrupt);
/* What a time limit counts as on a virtual device: simdgroup instructions of a job, at least 1. */
uint64_t asahi_work_of(uint64_t timeout_ns);

/* The device below a client. It stays the client's, and so does its path: path is empty. */
struct asahi_raw asahi_device_raw(const struct asahi_device *device);

/* Names what the kernel said of the GPU; -ENOTSUP, with why, when this client cannot drive such a one. */
int asahi_info_fill(const struct drm_asahi_params_global *params, struct asahi_device_info *info, char *why,
                    size_t why_size);

/* "EIO"; "" when the table has no such errno. */
const char *asahi_errno_name(int error);

#endif
