/* SPDX-License-Identifier: MIT
 *
 * The C library's functions that copy a descriptor, for a preloaded library to define: included once, by the file that
 * follows descriptors. Each calls the next library's function, and then share() or share_over() of that file, whose
 * result the caller gets.
 */
#ifndef VGPU_SHIM_DUPLICATE_H
#define VGPU_SHIM_DUPLICATE_H

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "vgpu/shim/next.h"

int fcntl64(int fd, int command, ...);

/* `to` is a copy of `from`, or negative: the copy failed. */
static int share(int from, int to);
/* The same; the number `to` may have stood for another file, or be `from`. */
static int share_over(int from, int to);

SHIM_EXPORT int dup(int fd)
{
   return share(fd, NEXT(dup)(fd));
}

SHIM_EXPORT int dup2(int from, int to)
{
   return share_over(from, NEXT(dup2)(from, to));
}

SHIM_EXPORT int dup3(int from, int to, int flags)
{
   return share_over(from, NEXT(dup3)(from, to, flags));
}

/* The third argument is an int, a pointer or not there; registers carry it all the same. */
#define SHIM_FCNTL(name)                                                                                               \
   SHIM_EXPORT int name(int fd, int command, ...)                                                                      \
   {                                                                                                                   \
      va_list arguments;                                                                                               \
      va_start(arguments, command);                                                                                    \
      void *argument = va_arg(arguments, void *);                                                                      \
      va_end(arguments);                                                                                               \
      int result = NEXT(name)(fd, command, argument);                                                                  \
      return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? share(fd, result) : result;                            \
   }
SHIM_FCNTL(fcntl)
SHIM_FCNTL(fcntl64)

#endif
