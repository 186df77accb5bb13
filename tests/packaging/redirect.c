/* SPDX-License-Identifier: MIT
 *
 * Preloaded by libclc.py: whoever opens the file named by REDIRECT_FROM gets the one named by REDIRECT_TO.
 */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);

static int pass_on(const char *function, const char *path, int flags, va_list arguments)
{
   int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, function);
   const char *from = getenv("REDIRECT_FROM"), *to = getenv("REDIRECT_TO");
   const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
   return next(from && to && !strcmp(path, from) ? to : path, flags, mode);
}

int open(const char *path, int flags, ...)
{
   va_list arguments;
   va_start(arguments, flags);
   const int fd = pass_on("open", path, flags, arguments);
   va_end(arguments);
   return fd;
}

int open64(const char *path, int flags, ...)
{
   va_list arguments;
   va_start(arguments, flags);
   const int fd = pass_on("open64", path, flags, arguments);
   va_end(arguments);
   return fd;
}
