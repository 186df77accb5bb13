/* SPDX-License-Identifier: MIT
 *
 * Makes descriptors of sync files readable when their fence is signalled, so that poll, select and epoll work on them.
 */
#ifndef VGPU_SHIM_WATCH_H
#define VGPU_SHIM_WATCH_H

#include "vgpu/driver/device.h"

/* A new descriptor (an eventfd) for the sync file `virtual_fd` of the device: readable from the moment its fence is
 * signalled. -1 and errno. */
int shim_watch_open(struct vgpu_device *device, int virtual_fd);
/* After fork(): the thread is not in this process. */
void shim_watch_forked(void);

#endif
