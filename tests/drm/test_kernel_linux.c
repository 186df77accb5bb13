/* SPDX-License-Identifier: MIT
 *
 * The real system calls behind struct asahi_kernel. ioctl(2) is the linker's __wrap_ioctl here, to say EINTR; the rest
 * is done to a memfd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/device.h"
#include "tests/check.h"

static unsigned calls;
static int answers[4]; /* errnos, 0: success; the last one stays */

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
   (void)fd;
   (void)request;
   int error = answers[calls < 3 ? calls : 3];
   calls++;
   errno = error;
   return error == 0 ? 0 : -1;
}

static void test_ioctl(struct asahi_kernel *kernel, int first, int second, unsigned expected, int error)
{
   calls = 0;
   answers[0] = first;
   answers[1] = second;
   int result = kernel->ioctl(kernel, 0, 0, NULL);
   CHECK(calls == expected && result == (error == 0 ? 0 : -1) && (error == 0 || errno == error),
         "errnos %d, %d: %u calls, result %d", first, second, calls, result);
}

int main(void)
{
   int fd = memfd_create("agx-runner-test", MFD_CLOEXEC), other = memfd_create("agx-runner-test", MFD_CLOEXEC);
   struct asahi_kernel *kernel = asahi_kernel_linux(fd);
   if (!CHECK(fd >= 0 && other >= 0 && kernel != NULL && ftruncate(fd, 1 << 17) == 0, "%s", strerror(errno))) {
      return check_result();
   }
   test_ioctl(kernel, 0, 0, 1, 0);
   test_ioctl(kernel, EINTR, EAGAIN, 3, 0);
   test_ioctl(kernel, EINTR, ENODEV, 2, ENODEV);
   test_ioctl(kernel, EINVAL, 0, 1, EINVAL);

   CHECK(pwrite(fd, "here", 4, 1 << 16) == 4, "%s", strerror(errno));
   char *map = kernel->mmap(kernel, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 1 << 16);
   CHECK(map != MAP_FAILED && memcmp(map, "here", 4) == 0, "mmap at an offset");
   CHECK(kernel->munmap(kernel, map, 1 << 16) == 0, "munmap");
   CHECK(kernel->mmap(kernel, 1 << 16, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED && errno == EBADF,
         "mmap of no file");
   CHECK(kernel->close(kernel, other) == 0 && fcntl(other, F_GETFD) == -1, "close of a sync_file");
   CHECK(kernel->close(kernel, fd) == 0 && fcntl(fd, F_GETFD) == -1, "close of the device");
   return check_result();
}
