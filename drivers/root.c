/* SPDX-License-Identifier: MIT
 *
 * A preloaded library for programs of another Debian that lies in a folder (ci/mesa-get): a file below /usr or /etc
 * that the folder AGX_ROOT has is read there, under the name that the program was built with. So rusticl finds its own
 * libclc and clang's headers, and Mesa its own drirc. Invariant: all other paths, and whatever is opened to be written,
 * go to the C library as they came. A library that a program opens by its path is found in the folder, too; those that
 * the dynamic loader needs itself do not come by here: it has --library-path.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
/* The C library's function of that name. */
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

/* For programs linked against a C library before 2.33, and fortified ones. */
int __xstat(int version, const char *path, struct stat *status);
int __xstat64(int version, const char *path, struct stat64 *status);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

struct place {
   char path[PATH_MAX];
};

/* The path, or that of the folder's file in *place. */
static const char *find(const char *path, struct place *place)
{
   const char *root = getenv("AGX_ROOT");
   if (!root || !path || (strncmp(path, "/usr/", 5) && strncmp(path, "/etc/", 5))) {
      return path;
   }
   const int length = snprintf(place->path, sizeof(place->path), "%s%s", root, path);
   /* The system call: access() is one of the functions below. */
   return length > 0 && (size_t)length < sizeof(place->path) && syscall(SYS_faccessat, AT_FDCWD, place->path, F_OK) == 0
              ? place->path
              : path;
}

static const char *find_to_open(const char *path, int flags, struct place *place)
{
   return (flags & O_ACCMODE) == O_RDONLY && !(flags & O_CREAT) ? find(path, place) : path;
}

/* The third or fourth argument, where there is one. */
#define TAKE_MODE(flags, mode)                                                                                         \
   do {                                                                                                                \
      if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                         \
         va_list arguments_;                                                                                           \
         va_start(arguments_, flags);                                                                                  \
         (mode) = va_arg(arguments_, mode_t);                                                                          \
         va_end(arguments_);                                                                                           \
      }                                                                                                                \
   } while (0)

#define OPEN(name)                                                                                                     \
   EXPORT int name(const char *path, int flags, ...)                                                                   \
   {                                                                                                                   \
      struct place place;                                                                                              \
      mode_t mode = 0;                                                                                                 \
      TAKE_MODE(flags, mode);                                                                                          \
      return NEXT(name)(find_to_open(path, flags, &place), flags, mode);                                               \
   }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
   EXPORT int name(int directory, const char *path, int flags, ...)                                                    \
   {                                                                                                                   \
      struct place place;                                                                                              \
      mode_t mode = 0;                                                                                                 \
      TAKE_MODE(flags, mode);                                                                                          \
      return NEXT(name)(directory, find_to_open(path, flags, &place), flags, mode);                                    \
   }
OPENAT(openat)
OPENAT(openat64)

#define OPEN_2(name)                                                                                                   \
   EXPORT int name(const char *path, int flags)                                                                        \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(find_to_open(path, flags, &place), flags);                                                     \
   }
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                                                 \
   EXPORT int name(int directory, const char *path, int flags)                                                         \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(directory, find_to_open(path, flags, &place), flags);                                          \
   }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define FOPEN(name)                                                                                                    \
   EXPORT FILE *name(const char *restrict path, const char *restrict mode)                                             \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(mode[0] == 'r' && !strchr(mode, '+') ? find(path, &place) : path, mode);                       \
   }
FOPEN(fopen)
FOPEN(fopen64)

#define STAT(name, type)                                                                                               \
   EXPORT int name(const char *restrict path, type *restrict status)                                                   \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(find(path, &place), status);                                                                   \
   }
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)

#define XSTAT(name, type)                                                                                              \
   EXPORT int name(int version, const char *path, type *status)                                                        \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(version, find(path, &place), status);                                                          \
   }
XSTAT(__xstat, struct stat)
XSTAT(__xstat64, struct stat64)

#define FSTATAT(name, type)                                                                                            \
   EXPORT int name(int directory, const char *restrict path, type *restrict status, int flags)                         \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(directory, find(path, &place), status, flags);                                                 \
   }
FSTATAT(fstatat, struct stat)
FSTATAT(fstatat64, struct stat64)

EXPORT int statx(int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict status)
{
   struct place place;
   return NEXT(statx)(directory, find(path, &place), flags, mask, status);
}

EXPORT int access(const char *path, int mode)
{
   struct place place;
   return NEXT(access)(find(path, &place), mode);
}

EXPORT int faccessat(int directory, const char *path, int mode, int flags)
{
   struct place place;
   return NEXT(faccessat)(directory, find(path, &place), mode, flags);
}

static bool is_own_program(const char *path)
{
   char own[32];
   snprintf(own, sizeof(own), "/proc/%ld/exe", (long)getpid());
   return !strcmp(path, "/proc/self/exe") || !strcmp(path, own);
}

/* The file that the program was started from, where `run` has started it: the system says the dynamic loader's. Its
 * name is the one that it has where it is installed, so that it finds its files as it does there. */
static size_t name_program(const char *path, char *bytes, size_t length, size_t size)
{
   static const char loader[] = "/ld-linux";
   const char *program = getenv("AGX_PROGRAM"), *root = getenv("AGX_ROOT");
   if (!program || !is_own_program(path) || !memmem(bytes, length, loader, sizeof(loader) - 1)) {
      return length;
   }
   const size_t above = root ? strlen(root) : 0;
   program += above && !strncmp(program, root, above) && program[above] == '/' ? above : 0;
   const size_t given = strlen(program), taken = given < size ? given : size;
   memcpy(bytes, program, taken);
   return taken;
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict bytes, size_t size)
{
   struct place place;
   const ssize_t length = NEXT(readlink)(find(path, &place), bytes, size);
   return length > 0 ? (ssize_t)name_program(path, bytes, (size_t)length, size) : length;
}

ssize_t __readlink_chk(const char *restrict path, char *restrict bytes, size_t size, size_t room);
EXPORT ssize_t __readlink_chk(const char *restrict path, char *restrict bytes, size_t size, size_t room)
{
   return size <= room ? readlink(path, bytes, size) : NEXT(__readlink_chk)(path, bytes, size, room);
}

/* Without the folder in front, as the path that was asked for. */
EXPORT char *realpath(const char *restrict path, char *restrict resolved)
{
   struct place place;
   const char *root = getenv("AGX_ROOT"), *found = find(path, &place);
   char *real = NEXT(realpath)(found, resolved);
   const size_t above = real && root && found != path ? strlen(root) : 0;
   if (above && !strncmp(real, root, above) && real[above] == '/') {
      memmove(real, real + above, strlen(real + above) + 1);
   }
   return real;
}

EXPORT DIR *opendir(const char *path)
{
   struct place place;
   return NEXT(opendir)(find(path, &place));
}

/* In memory of the thread, so that nothing is left on the stack when dlopen() is called: a compiler then makes a jump
 * of the call, and dlopen() sees its real caller, whose search path counts. */
static __attribute__((noinline)) const char *find_library(const char *path)
{
   static __thread struct place place;
   return find(path, &place);
}

EXPORT void *dlopen(const char *path, int flags)
{
   return NEXT(dlopen)(find_library(path), flags);
}

#define SCANDIR(name, type)                                                                                            \
   EXPORT int name(const char *restrict path, type ***restrict list, int (*filter)(const type *),                      \
                   int (*compare)(const type **, const type **))                                                       \
   {                                                                                                                   \
      struct place place;                                                                                              \
      return NEXT(name)(find(path, &place), list, filter, compare);                                                    \
   }
SCANDIR(scandir, struct dirent)
SCANDIR(scandir64, struct dirent64)
