/* SPDX-License-Identifier: MIT
 *
 * The front for clients of the unstable uAPI (abi.h): the same objects as the upstream front's, asked for by other
 * structs. Request numbers of both mean different things, so that a client must be known by its first request.
 */
#ifndef VGPU_UNSTABLE_H
#define VGPU_UNSTABLE_H

#include <stdbool.h>

#include "drm/uapi/kernel.h"
#include "vgpu/driver/ioctl.h"

/* Is it one of the driver's own requests? All others are DRM's, and the same in both. */
bool vgpu_unstable_is_driver_request(unsigned long request);
/* Is this the request that a client of the unstable uAPI begins with? Upstream's of that number has another size and
 * direction. */
bool vgpu_unstable_begins(unsigned long request);
/* ioctl(2) on a device file of a virtual device (vgpu_open) whose client speaks the unstable uAPI. */
int vgpu_unstable_ioctl(struct asahi_kernel *kernel, int fd, unsigned long request, void *argument);

vgpu_ioctl_handler vgpu_unstable_submit; /* submit.c */

#endif
