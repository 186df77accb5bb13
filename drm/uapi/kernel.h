/* SPDX-License-Identifier: MIT
 *
 * The only interface between the client (drm/) and what answers the uAPI: the Linux kernel or the virtual GPU. The
 * functions have the meaning of the system calls of the same name: -1 (mmap: MAP_FAILED) and errno on failure. `fd` is
 * the device file, or a sync_file that an ioctl on it returned.
 */
#ifndef DRM_KERNEL_H
#define DRM_KERNEL_H

#include <stddef.h>
#include <stdint.h>

struct asahi_kernel {
   int (*ioctl)(struct asahi_kernel *kernel, int fd, unsigned long request, void *argument);
   void *(*mmap)(struct asahi_kernel *kernel, size_t length, int protection, int flags, int fd, uint64_t offset);
   int (*munmap)(struct asahi_kernel *kernel, void *address, size_t length);
   /* Closing the last device file of a virtual device also frees `kernel` itself. */
   int (*close)(struct asahi_kernel *kernel, int fd);
   /* Opens the device of the device file `fd` again, as another process would: a new device file. On a real device,
    * close it before the first one. */
   int (*reopen)(struct asahi_kernel *kernel, int fd);
};

#endif
