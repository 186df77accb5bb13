/* SPDX-License-Identifier: MIT
 *
 * The C library's functions that make, copy and close descriptors. Invariant: a call that has nothing to do with the
 * virtual device goes to the C library as it came.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/shim/duplicate.h"
#include "vgpu/shim/next.h"
#include "vgpu/shim/process.h"
#include "vgpu/shim/tree.h"
#include "util/array.h"

/* The C library declares these for its own headers, or not at all. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

/* The descriptor of a path of the form /proc/self/fd/N, if it is one of ours; else NULL. */
static struct shim_file *find_proc(const char *path)
{
   static const char *const prefixes[] = {"/proc/self/fd/", "/dev/fd/"};
   for (size_t i = 0; path && i < ARRAY_COUNT(prefixes); i++) {
      size_t length = strlen(prefixes[i]);
      if (!strncmp(path, prefixes[i], length) && path[length]) {
         char *end;
         long fd = strtol(path + length, &end, 10);
         return *end || fd < 0 || fd > INT_MAX ? NULL : shim_file_get((int)fd);
      }
   }
   return NULL;
}

static int open_text(const struct shim_entry *entry, int flags)
{
   if ((flags & O_ACCMODE) != O_RDONLY) {
      errno = EACCES;
      return -1;
   }
   int fd = memfd_create(entry->name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
   size_t length = strlen(entry->content);
   if (fd >= 0 && (write(fd, entry->content, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET))) {
      NEXT(close)(fd);
      errno = EIO;
      return -1;
   }
   return fd;
}

/* True: *result is the answer. False: the C library shall answer. */
static bool open_ours(int directory, const char *path, int flags, int *result)
{
   const struct shim_entry *entry = shim_tree_find_at(directory, path, !(flags & O_NOFOLLOW));
   if (!entry) {
      struct shim_file *file = find_proc(path);
      bool node = file && shim_file_is_node(file);
      shim_file_put(file);
      if (node) {
         *result = shim_node_open(flags);
      }
      return node;
   }
   switch (entry->kind) {
   case SHIM_NODE:
      *result = shim_node_open(flags);
      return true;
   case SHIM_TEXT:
      *result = open_text(entry, flags);
      return true;
   case SHIM_LINK:
      errno = ELOOP;
      *result = -1;
      return true;
   case SHIM_DIRECTORY:
      return false; /* opendir() lists ours */
   }
   return false;
}

#define OPEN_MODE(flags, mode)                                                                                         \
   if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) {                                                          \
      va_list arguments;                                                                                               \
      va_start(arguments, flags);                                                                                      \
      mode = va_arg(arguments, mode_t);                                                                                \
      va_end(arguments);                                                                                               \
   }

SHIM_EXPORT int open(const char *path, int flags, ...)
{
   mode_t mode = 0;
   int fd;
   OPEN_MODE(flags, mode)
   return open_ours(AT_FDCWD, path, flags, &fd) ? fd : NEXT(open)(path, flags, mode);
}

SHIM_EXPORT int open64(const char *path, int flags, ...)
{
   mode_t mode = 0;
   int fd;
   OPEN_MODE(flags, mode)
   return open_ours(AT_FDCWD, path, flags, &fd) ? fd : NEXT(open64)(path, flags, mode);
}

SHIM_EXPORT int openat(int directory, const char *path, int flags, ...)
{
   mode_t mode = 0;
   int fd;
   OPEN_MODE(flags, mode)
   return open_ours(directory, path, flags, &fd) ? fd : NEXT(openat)(directory, path, flags, mode);
}

SHIM_EXPORT int openat64(int directory, const char *path, int flags, ...)
{
   mode_t mode = 0;
   int fd;
   OPEN_MODE(flags, mode)
   return open_ours(directory, path, flags, &fd) ? fd : NEXT(openat64)(directory, path, flags, mode);
}

SHIM_EXPORT int __open_2(const char *path, int flags)
{
   int fd;
   return open_ours(AT_FDCWD, path, flags, &fd) ? fd : NEXT(__open_2)(path, flags);
}

SHIM_EXPORT int __open64_2(const char *path, int flags)
{
   int fd;
   return open_ours(AT_FDCWD, path, flags, &fd) ? fd : NEXT(__open64_2)(path, flags);
}

SHIM_EXPORT int __openat_2(int directory, const char *path, int flags)
{
   int fd;
   return open_ours(directory, path, flags, &fd) ? fd : NEXT(__openat_2)(directory, path, flags);
}

SHIM_EXPORT int __openat64_2(int directory, const char *path, int flags)
{
   int fd;
   return open_ours(directory, path, flags, &fd) ? fd : NEXT(__openat64_2)(directory, path, flags);
}

/* Only sysfs's texts are opened as streams. */
static bool stream_ours(const char *path, const char *mode, FILE **stream)
{
   const struct shim_entry *entry = shim_tree_find(path, true);
   if (!entry || entry->kind != SHIM_TEXT) {
      return false;
   }
   int fd = open_text(entry, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY | O_CLOEXEC : O_RDWR);
   *stream = fd < 0 ? NULL : fdopen(fd, "r");
   return true;
}

SHIM_EXPORT FILE *fopen(const char *path, const char *mode)
{
   FILE *stream;
   return stream_ours(path, mode, &stream) ? stream : NEXT(fopen)(path, mode);
}

SHIM_EXPORT FILE *fopen64(const char *path, const char *mode)
{
   FILE *stream;
   return stream_ours(path, mode, &stream) ? stream : NEXT(fopen64)(path, mode);
}

/* ---- Copies ---- */

/* After dup() of a descriptor: the copy refers to the same object. */
static int share(int from, int to)
{
   struct shim_file *file = shim_file_get(from);
   if (file && to >= 0) {
      to = shim_file_share(file, to);
   }
   shim_file_put(file);
   return to;
}

/* The number is taken over, whatever it stood for. */
static int share_over(int from, int to)
{
   if (to >= 0 && to != from) {
      shim_fd_forget(to);
   }
   return to == from ? to : share(from, to);
}

/* ---- Closing ---- */

SHIM_EXPORT int close(int fd)
{
   shim_fd_forget(fd);
   return NEXT(close)(fd);
}

SHIM_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
   int result = NEXT(close_range)(first, last, flags);
   if (!result && !((unsigned)flags & CLOSE_RANGE_CLOEXEC)) {
      shim_fds_forget(first, last);
   }
   return result;
}

SHIM_EXPORT void closefrom(int first)
{
   shim_fds_forget(first > 0 ? (unsigned)first : 0, UINT_MAX);
   NEXT(closefrom)(first);
}

/* ---- Requests and memory ---- */

SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
   va_list arguments;
   va_start(arguments, request);
   void *argument = va_arg(arguments, void *);
   va_end(arguments);
   struct shim_file *file = _IOC_TYPE(request) == DMA_BUF_BASE ? shim_buffer_get(fd) : shim_file_get(fd);
   if (!file) {
      return NEXT(ioctl)(fd, request, argument);
   }
   int result = shim_file_ioctl(file, request, argument);
   shim_file_put(file);
   return result;
}

SHIM_EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
   struct shim_file *file = flags & MAP_ANONYMOUS ? NULL : shim_file_get(fd);
   if (!file) {
      return NEXT(mmap)(address, length, protection, flags, fd, offset);
   }
   void *mapped = shim_file_mmap(file, length, protection, flags, (uint64_t)offset);
   shim_file_put(file);
   return mapped;
}

SHIM_EXPORT void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
   return mmap(address, length, protection, flags, fd, offset);
}

SHIM_EXPORT int munmap(void *address, size_t length)
{
   return shim_munmap(address, length);
}

/* ---- What the virtual device itself calls (the linker's --wrap) ---- */

int __wrap_close(int fd);
void *__wrap_mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset);
int __wrap_munmap(void *address, size_t length);

int __wrap_close(int fd)
{
   return NEXT(close)(fd);
}

void *__wrap_mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
   return NEXT(mmap64)(address, length, protection, flags, fd, offset);
}

int __wrap_munmap(void *address, size_t length)
{
   return NEXT(munmap)(address, length);
}
