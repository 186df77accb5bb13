/* SPDX-License-Identifier: MIT
 *
 * Exported buffers as descriptors of the system. Invariant: such a descriptor is a memory file of the buffer's size
 * that holds its bytes, so that any process that it is sent to can map it, or give it to its own virtual device.
 */
#ifndef VGPU_SHIM_BUFFERS_H
#define VGPU_SHIM_BUFFERS_H

#include <stdbool.h>

struct vgpu_device;

/* A descriptor for the device's exported buffer, or -1 and errno. Waits for the end of running jobs. */
int shim_buffer_open(struct vgpu_device *device, int virtual_fd, bool close_on_exec);
/* The device's number for a descriptor that shim_buffer_open() made here or in another process. -1: it is none. */
int shim_buffer_import(struct vgpu_device *device, int fd);

#endif
