/* SPDX-License-Identifier: MIT
 *
 * Copies from and to pointers of unknown worth, by letting the kernel do it: pwrite(2) from such a pointer into a
 * memory file, and pread(2) from the file into such a pointer, stop with EFAULT where a load or store would be
 * SIGSEGV. process_vm_readv(2) on the own process would do it in one call, but qemu-user does not know it and
 * container profiles forbid it; a file works everywhere, and valgrind and the sanitizers understand it.
 */
#include "vgpu/driver/user.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK 65536u

int vgpu_user_open(int *fd)
{
   *fd = memfd_create("vgpu-copy", MFD_CLOEXEC);
   return *fd < 0 ? -errno : 0;
}

/* pread and pwrite on a memory file come up short only at a bad address. */
static int copy_error(ssize_t done, size_t wanted)
{
   if (done == (ssize_t)wanted) {
      return 0;
   }
   return done >= 0 || errno == EFAULT ? -EFAULT : -ENOMEM;
}

int vgpu_user_read(int fd, void *to, uint64_t from, size_t size)
{
   for (size_t done = 0; done < size;) {
      size_t chunk = size - done < CHUNK ? size - done : CHUNK;
      int error = copy_error(pwrite(fd, (const void *)(uintptr_t)(from + done), chunk, 0), chunk);
      if (error) {
         return error;
      }
      if (pread(fd, (uint8_t *)to + done, chunk, 0) != (ssize_t)chunk) {
         return -ENOMEM;
      }
      done += chunk;
   }
   return 0;
}

int vgpu_user_write(int fd, uint64_t to, const void *from, size_t size)
{
   for (size_t done = 0; done < size;) {
      size_t chunk = size - done < CHUNK ? size - done : CHUNK;
      if (pwrite(fd, (const uint8_t *)from + done, chunk, 0) != (ssize_t)chunk) {
         return -ENOMEM;
      }
      int error = copy_error(pread(fd, (void *)(uintptr_t)(to + done), chunk, 0), chunk);
      if (error) {
         return error;
      }
      done += chunk;
   }
   return 0;
}
