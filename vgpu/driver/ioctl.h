/* SPDX-License-Identifier: MIT
 *
 * The uAPI front: one handler per request. A handler gets the request's struct, already copied in and as long as
 * the kernel's, and returns 0 or a negative errno; what it leaves there is copied back when the request says so.
 */
#ifndef VGPU_IOCTL_H
#define VGPU_IOCTL_H

#include <stdint.h>

#include "vgpu/driver/device.h"

/* Limits that GET_PARAMS tells and SUBMIT keeps: spec/uapi.md 1.3. */
#define VGPU_MAX_COMMANDS 64u    /* render and compute commands of a submission */
#define VGPU_MAX_ATTACHMENTS 16u /* of a command */

typedef int vgpu_ioctl_handler(struct vgpu_file *file, void *data);

/* One request. `same_as`: the upstream request of that meaning, which injected faults name. */
struct vgpu_ioctl_row {
   unsigned long request;
   vgpu_ioctl_handler *handle;
   unsigned long same_as; /* 0: `request` itself */
};

/* A request of the given rows. The caller holds the device's lock. 0 or a negative errno. */
int vgpu_file_ioctl_rows(struct vgpu_file *file, const struct vgpu_ioctl_row *rows, size_t count, unsigned long request,
                         uint64_t argument);
/* On a device file, or on an exported sync_file. The caller holds the device's lock. 0 or a negative errno. */
int vgpu_file_ioctl(struct vgpu_file *file, unsigned long request, uint64_t argument);
int vgpu_sync_file_ioctl(struct vgpu_device *device, struct vgpu_fence *fence, unsigned long request,
                         uint64_t argument);
/* Drops whatever the file holds. */
void vgpu_file_release(struct vgpu_file *file);

/* ioctl_memory.c */
vgpu_ioctl_handler vgpu_ioctl_vm_create, vgpu_ioctl_vm_destroy, vgpu_ioctl_vm_bind, vgpu_ioctl_gem_create,
    vgpu_ioctl_gem_mmap_offset, vgpu_ioctl_gem_bind_object, vgpu_ioctl_gem_close, vgpu_ioctl_prime_handle_to_fd,
    vgpu_ioctl_prime_fd_to_handle;
/* ioctl_submit.c */
vgpu_ioctl_handler vgpu_ioctl_queue_create, vgpu_ioctl_queue_destroy, vgpu_ioctl_submit;
/* ioctl_sync.c */
vgpu_ioctl_handler vgpu_ioctl_syncobj_create, vgpu_ioctl_syncobj_destroy, vgpu_ioctl_syncobj_handle_to_fd,
    vgpu_ioctl_syncobj_fd_to_handle, vgpu_ioctl_syncobj_wait, vgpu_ioctl_syncobj_timeline_wait,
    vgpu_ioctl_syncobj_reset, vgpu_ioctl_syncobj_signal, vgpu_ioctl_syncobj_timeline_signal, vgpu_ioctl_syncobj_query,
    vgpu_ioctl_syncobj_transfer;

/* vgpu/driver/user.h with the device's file. */
int vgpu_copy_in(struct vgpu_device *device, void *to, uint64_t from, size_t size);
int vgpu_copy_out(struct vgpu_device *device, uint64_t to, const void *from, size_t size);

#endif
