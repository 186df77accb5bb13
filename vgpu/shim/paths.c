/* SPDX-License-Identifier: MIT
 *
 * The C library's functions that ask about paths. Invariant: as in files.c, a path that is not ours goes to the C
 * library as it came.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "vgpu/shim/next.h"
#include "vgpu/shim/process.h"
#include "vgpu/shim/tree.h"

/* For programs linked against a C library before 2.33. */
int __xstat(int version, const char *path, struct stat *status);
int __xstat64(int version, const char *path, struct stat64 *status);
int __lxstat(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __fxstat(int version, int fd, struct stat *status);
int __fxstat64(int version, int fd, struct stat64 *status);
char *__realpath_chk(const char *path, char *resolved, size_t size);
ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t buffer_size);
ssize_t __readlinkat_chk(int directory, const char *path, char *buffer, size_t size, size_t buffer_size);

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit systems: one struct");

/* A directory of ours that the machine has too is the machine's, but for its listing. */
static const struct shim_entry *find(int directory, const char *path, bool follow)
{
   const struct shim_entry *entry = shim_tree_find_at(directory, path, follow);
   return entry && entry->kind == SHIM_DIRECTORY && NEXT(access)(entry->path, F_OK) == 0 ? NULL : entry;
}

static bool stat_ours(int directory, const char *path, bool follow, void *status)
{
   const struct shim_entry *entry = find(directory, path, follow);
   if (entry) {
      shim_tree_stat(entry, status);
   }
   return entry != NULL;
}

static bool fstat_ours(int fd, void *status)
{
   struct shim_file *file = shim_file_get(fd);
   bool node = file && shim_file_is_node(file);
   shim_file_put(file);
   if (node) {
      shim_tree_stat_node(status);
   }
   return node;
}

SHIM_EXPORT int stat(const char *restrict path, struct stat *restrict status)
{
   return stat_ours(AT_FDCWD, path, true, status) ? 0 : NEXT(stat)(path, status);
}

SHIM_EXPORT int stat64(const char *restrict path, struct stat64 *restrict status)
{
   return stat_ours(AT_FDCWD, path, true, status) ? 0 : NEXT(stat64)(path, status);
}

SHIM_EXPORT int lstat(const char *restrict path, struct stat *restrict status)
{
   return stat_ours(AT_FDCWD, path, false, status) ? 0 : NEXT(lstat)(path, status);
}

SHIM_EXPORT int lstat64(const char *restrict path, struct stat64 *restrict status)
{
   return stat_ours(AT_FDCWD, path, false, status) ? 0 : NEXT(lstat64)(path, status);
}

SHIM_EXPORT int fstat(int fd, struct stat *status)
{
   return fstat_ours(fd, status) ? 0 : NEXT(fstat)(fd, status);
}

SHIM_EXPORT int fstat64(int fd, struct stat64 *status)
{
   return fstat_ours(fd, status) ? 0 : NEXT(fstat64)(fd, status);
}

static bool fstatat_ours(int directory, const char *path, void *status, int flags)
{
   return path && !*path && flags & AT_EMPTY_PATH ? fstat_ours(directory, status)
                                                  : stat_ours(directory, path, !(flags & AT_SYMLINK_NOFOLLOW), status);
}

SHIM_EXPORT int fstatat(int directory, const char *restrict path, struct stat *restrict status, int flags)
{
   return fstatat_ours(directory, path, status, flags) ? 0 : NEXT(fstatat)(directory, path, status, flags);
}

SHIM_EXPORT int fstatat64(int directory, const char *restrict path, struct stat64 *restrict status, int flags)
{
   return fstatat_ours(directory, path, status, flags) ? 0 : NEXT(fstatat64)(directory, path, status, flags);
}

SHIM_EXPORT int statx(int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict out)
{
   struct stat status;
   if (!fstatat_ours(directory, path, &status, flags)) {
      return NEXT(statx)(directory, path, flags, mask, out);
   }
   *out = (struct statx){.stx_mask = STATX_BASIC_STATS,
                         .stx_blksize = (unsigned)status.st_blksize,
                         .stx_nlink = 1,
                         .stx_mode = (unsigned short)status.st_mode,
                         .stx_ino = status.st_ino,
                         .stx_size = (unsigned long long)status.st_size,
                         .stx_rdev_major = major(status.st_rdev),
                         .stx_rdev_minor = minor(status.st_rdev),
                         .stx_dev_major = major(status.st_dev),
                         .stx_dev_minor = minor(status.st_dev)};
   return 0;
}

#define OLD_STAT(name, type, follow)                                                                                   \
   SHIM_EXPORT int name(int version, const char *path, type *status)                                                   \
   {                                                                                                                   \
      return stat_ours(AT_FDCWD, path, follow, status) ? 0 : NEXT(name)(version, path, status);                        \
   }
OLD_STAT(__xstat, struct stat, true)
OLD_STAT(__xstat64, struct stat64, true)
OLD_STAT(__lxstat, struct stat, false)
OLD_STAT(__lxstat64, struct stat64, false)

SHIM_EXPORT int __fxstat(int version, int fd, struct stat *status)
{
   return fstat_ours(fd, status) ? 0 : NEXT(__fxstat)(version, fd, status);
}

SHIM_EXPORT int __fxstat64(int version, int fd, struct stat64 *status)
{
   return fstat_ours(fd, status) ? 0 : NEXT(__fxstat64)(version, fd, status);
}

/* ---- Access ---- */

static int access_ours(const struct shim_entry *entry, int mode)
{
   struct stat status;
   shim_tree_stat(entry, &status);
   if (mode & W_OK && !(status.st_mode & S_IWOTH)) {
      errno = EACCES;
      return -1;
   }
   if (mode & X_OK && !(status.st_mode & S_IXOTH)) {
      errno = EACCES;
      return -1;
   }
   return 0;
}

SHIM_EXPORT int access(const char *path, int mode)
{
   const struct shim_entry *entry = find(AT_FDCWD, path, true);
   return entry ? access_ours(entry, mode) : NEXT(access)(path, mode);
}

SHIM_EXPORT int faccessat(int directory, const char *path, int mode, int flags)
{
   const struct shim_entry *entry = find(directory, path, true);
   return entry ? access_ours(entry, mode) : NEXT(faccessat)(directory, path, mode, flags);
}

SHIM_EXPORT int euidaccess(const char *path, int mode)
{
   const struct shim_entry *entry = find(AT_FDCWD, path, true);
   return entry ? access_ours(entry, mode) : NEXT(euidaccess)(path, mode);
}

/* ---- Extended attributes: none; `ls -l` asks for them ---- */

#define XATTR(name, follow)                                                                                            \
   SHIM_EXPORT ssize_t name(const char *path, const char *attribute, void *value, size_t size)                         \
   {                                                                                                                   \
      if (find(AT_FDCWD, path, follow)) {                                                                              \
         errno = ENOTSUP;                                                                                              \
         return -1;                                                                                                    \
      }                                                                                                                \
      return NEXT(name)(path, attribute, value, size);                                                                 \
   }
XATTR(getxattr, true)
XATTR(lgetxattr, false)

/* ---- Links ---- */

/* A descriptor of ours under /proc is a link to the node. */
static bool is_proc_node(const char *path)
{
   static const char prefix[] = "/proc/self/fd/";
   if (!path || strncmp(path, prefix, sizeof(prefix) - 1)) {
      return false;
   }
   char *end;
   long fd = strtol(path + sizeof(prefix) - 1, &end, 10);
   struct shim_file *file = *end || fd < 0 || fd > INT_MAX ? NULL : shim_file_get((int)fd);
   bool node = file && shim_file_is_node(file);
   shim_file_put(file);
   return node;
}

static bool readlink_ours(int directory, const char *path, char *buffer, size_t size, ssize_t *result)
{
   char node[64];
   const struct shim_entry *entry = find(directory, path, false);
   const char *target = entry ? entry->content : NULL;
   if (!entry && is_proc_node(path)) {
      snprintf(node, sizeof(node), "/dev/dri/renderD%u", shim_tree_minor());
      target = node;
   } else if (!entry) {
      return false;
   } else if (entry->kind != SHIM_LINK) {
      errno = EINVAL;
      *result = -1;
      return true;
   }
   size_t length = strlen(target);
   length = length < size ? length : size;
   memcpy(buffer, target, length);
   *result = (ssize_t)length;
   return true;
}

SHIM_EXPORT ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
   ssize_t result;
   return readlink_ours(AT_FDCWD, path, buffer, size, &result) ? result : NEXT(readlink)(path, buffer, size);
}

SHIM_EXPORT ssize_t readlinkat(int directory, const char *restrict path, char *restrict buffer, size_t size)
{
   ssize_t result;
   return readlink_ours(directory, path, buffer, size, &result) ? result
                                                                : NEXT(readlinkat)(directory, path, buffer, size);
}

SHIM_EXPORT ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t buffer_size)
{
   ssize_t result;
   return size <= buffer_size && readlink_ours(AT_FDCWD, path, buffer, size, &result)
              ? result
              : NEXT(__readlink_chk)(path, buffer, size, buffer_size);
}

SHIM_EXPORT ssize_t __readlinkat_chk(int directory, const char *path, char *buffer, size_t size, size_t buffer_size)
{
   ssize_t result;
   return size <= buffer_size && readlink_ours(directory, path, buffer, size, &result)
              ? result
              : NEXT(__readlinkat_chk)(directory, path, buffer, size, buffer_size);
}

/* True: *resolved is the answer (or NULL and errno). */
static bool realpath_ours(const char *path, char **resolved)
{
   const struct shim_entry *entry = find(AT_FDCWD, path, true);
   if (!entry) {
      return false;
   }
   if (!*resolved) {
      *resolved = strdup(entry->path);
   } else {
      strcpy(*resolved, entry->path); /* PATH_MAX bytes by realpath()'s contract */
   }
   return true;
}

SHIM_EXPORT char *realpath(const char *restrict path, char *restrict resolved)
{
   char *found = resolved;
   return realpath_ours(path, &found) ? found : NEXT(realpath)(path, resolved);
}

SHIM_EXPORT char *__realpath_chk(const char *path, char *resolved, size_t size)
{
   return size >= PATH_MAX && realpath_ours(path, &resolved) ? resolved : NEXT(__realpath_chk)(path, resolved, size);
}

SHIM_EXPORT char *canonicalize_file_name(const char *path)
{
   char *resolved = NULL;
   return realpath_ours(path, &resolved) ? resolved : NEXT(canonicalize_file_name)(path);
}
