/* SPDX-License-Identifier: MIT
 *
 * Pretends that the host's page has HOST_PAGE bytes, as Asahi Linux's has 16 KiB: linked with --wrap into a test, it
 * answers for sysconf(), and for mmap() and munmap() as such a kernel would: what is not on its page's boundary is
 * refused, what is mapped starts on one. (With 64-bit file offsets, which Meson asks for, mmap() is mmap64().)
 */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

long __real_sysconf(int name);
void *__real_mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t length);
long __wrap_sysconf(int name);
void *__wrap_mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *address, size_t length);

static size_t round_up(size_t length)
{
   return (length + HOST_PAGE - 1) & ~(size_t)(HOST_PAGE - 1);
}

long __wrap_sysconf(int name)
{
   return name == _SC_PAGESIZE ? HOST_PAGE : __real_sysconf(name);
}

void *__wrap_mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
   if (offset % HOST_PAGE || (flags & MAP_FIXED && (uintptr_t)address % HOST_PAGE)) {
      errno = EINVAL;
      return MAP_FAILED;
   }
   if (flags & MAP_FIXED || length == 0 || length > SIZE_MAX / 2) {
      return __real_mmap64(address, length, protection, flags, fd, offset);
   }
   /* Room with a whole page to spare; what is mapped takes its place in it, the rest goes back. */
   size_t whole = round_up(length);
   uint8_t *room = __real_mmap64(NULL, whole + HOST_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   if (room == MAP_FAILED) {
      return MAP_FAILED;
   }
   size_t before = (HOST_PAGE - (uintptr_t)room % HOST_PAGE) % HOST_PAGE;
   if (before) {
      __real_munmap(room, before);
   }
   if (before < HOST_PAGE) {
      __real_munmap(room + before + whole, HOST_PAGE - before);
   }
   void *mapped = __real_mmap64(room + before, length, protection, flags | MAP_FIXED, fd, offset);
   if (mapped == MAP_FAILED) {
      int error = errno;
      __real_munmap(room + before, whole);
      errno = error;
   }
   return mapped;
}

int __wrap_munmap(void *address, size_t length)
{
   if ((uintptr_t)address % HOST_PAGE) {
      errno = EINVAL;
      return -1;
   }
   return __real_munmap(address, round_up(length));
}
