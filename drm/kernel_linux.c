/* SPDX-License-Identifier: MIT
 *
 * The system calls of this machine behind struct asahi_kernel.
 */
#include "drm/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct kernel_linux {
   struct asahi_kernel base;
   int fd; /* the device file; closing it frees the kernel */
};

/* DRM drivers may ask for a restart with either errno, as libdrm's drmIoctl() expects. */
static int linux_ioctl(struct asahi_kernel *kernel, int fd, unsigned long request, void *argument)
{
   (void)kernel;
   int result;
   do {
      result = ioctl(fd, request, argument);
   } while (result == -1 && (errno == EINTR || errno == EAGAIN));
   return result;
}

static void *linux_mmap(struct asahi_kernel *kernel, size_t length, int protection, int flags, int fd, uint64_t offset)
{
   (void)kernel;
   return mmap(NULL, length, protection, flags, fd, (off_t)offset);
}

static int linux_munmap(struct asahi_kernel *kernel, void *address, size_t length)
{
   (void)kernel;
   return munmap(address, length);
}

static int linux_close(struct asahi_kernel *kernel, int fd)
{
   if (fd == ((struct kernel_linux *)kernel)->fd) {
      free(kernel);
   }
   return close(fd);
}

static int linux_reopen(struct asahi_kernel *kernel, int fd)
{
   char path[32];
   (void)kernel;
   snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   return open(path, O_RDWR | O_CLOEXEC);
}

struct asahi_kernel *asahi_kernel_linux(int fd)
{
   struct kernel_linux *kernel = malloc(sizeof(*kernel));
   if (kernel == NULL) {
      return NULL;
   }
   *kernel = (struct kernel_linux){
       .base = {.ioctl = linux_ioctl,
                .mmap = linux_mmap,
                .munmap = linux_munmap,
                .close = linux_close,
                .reopen = linux_reopen},
       .fd = fd,
   };
   return &kernel->base;
}
