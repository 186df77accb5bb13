/* SPDX-License-Identifier: MIT
 *
 * A device without the client, for callers that use the uAPI directly: the uapi/ tests.
 */
#ifndef DRM_RAW_H
#define DRM_RAW_H

#include <stdbool.h>
#include <stddef.h>

#include "drm/asahi.h"
#include "drm/uapi/asahi_drm.h"
#include "drm/uapi/kernel.h"

/* The result of opening a spec (see asahi_device_open), before any request. */
struct asahi_raw {
   struct asahi_kernel *kernel;
   int fd; /* the device file */
   char path[128];
   bool is_virtual;
};

/* Returns 0 or an error of asahi_device_open(), with the reason in `why`. Close it with raw->kernel->close(raw->kernel,
 * raw->fd). */
int asahi_raw_open(const char *spec, struct asahi_raw *raw, char *why, size_t why_size);

/* Tells whether the client wants to stop. requested NULL: it never does. */
struct asahi_interrupt {
   bool (*requested)(void *data);
   void *data;
};

/* Waits until all of these sync objects are signalled. -ETIME: not within timeout_ns. A virtual device limits its jobs
 * itself, so they are waited for without a limit; -ETIME there means a job that cannot end (option inject=hang). When
 * the client wants to stop, a virtual device aborts the job. interrupt may be NULL. Other negative errnos are those of
 * the request. */
int asahi_raw_wait(struct asahi_kernel *kernel, int fd, bool is_virtual, const uint32_t *syncobjs, uint32_t count,
                   uint64_t timeout_ns, const struct asahi_interrupt *interrupt);
/* Returns the work that stands for a time limit on a virtual device: simdgroup instructions of a job, at least 1. */
uint64_t asahi_work_of(uint64_t timeout_ns);

/* Returns the device below a client. The client still owns it and its path: the returned path is empty. */
struct asahi_raw asahi_device_raw(const struct asahi_device *device);

/* Fills in the GPU's description from the kernel's parameters. -ENOTSUP, with the reason: this client cannot drive such
 * a GPU. */
int asahi_info_fill(const struct drm_asahi_params_global *params, struct asahi_device_info *info, char *why,
                    size_t why_size);

/* "EIO"; "" when the table has no such errno. */
const char *asahi_errno_name(int error);

#endif
