/* SPDX-License-Identifier: MIT
 *
 * Directory streams of directories that are ours: the machine's own entries first, where it has that directory, then
 * ours. A directory that the machine lacks has no "." and "..", as its parent is not ours. Invariant: a stream of ours
 * is in the list until closedir(); all others go to the C library as they came.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/shim/next.h"
#include "vgpu/shim/tree.h"

struct listing {
   struct listing *next;
   const struct shim_entry *directory;
   DIR *real; /* NULL: the machine has no such directory */
   size_t index;
   struct dirent entry;
};

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "64-bit systems: one struct");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listing *_Atomic list;

static struct listing *find(DIR *stream)
{
   struct listing *found = atomic_load(&list);
   if (!found) {
      return NULL;
   }
   pthread_mutex_lock(&lock);
   for (found = list; found && (void *)found != (void *)stream; found = found->next) {
   }
   pthread_mutex_unlock(&lock);
   return found;
}

SHIM_EXPORT DIR *opendir(const char *path)
{
   const struct shim_entry *directory = shim_tree_find(path, true);
   if (!directory || directory->kind != SHIM_DIRECTORY) {
      if (directory) {
         errno = ENOTDIR;
         return NULL;
      }
      return NEXT(opendir)(path);
   }
   struct listing *made = calloc(1, sizeof(*made));
   if (!made) {
      return NULL;
   }
   made->directory = directory;
   made->real = NEXT(opendir)(directory->path);
   pthread_mutex_lock(&lock);
   made->next = list;
   list = made;
   pthread_mutex_unlock(&lock);
   return (DIR *)made;
}

static struct dirent *read_ours(struct listing *listing)
{
   static const unsigned char types[] = {
       [SHIM_DIRECTORY] = DT_DIR, [SHIM_LINK] = DT_LNK, [SHIM_TEXT] = DT_REG, [SHIM_NODE] = DT_CHR};
   struct dirent *entry = listing->real ? NEXT(readdir)(listing->real) : NULL;
   if (entry) {
      return entry;
   }
   const struct shim_entry *child = shim_tree_child(listing->directory, listing->index);
   if (!child) {
      return NULL;
   }
   struct stat status;
   shim_tree_stat(child, &status);
   listing->index++;
   listing->entry = (struct dirent){.d_ino = status.st_ino,
                                    .d_off = (off_t)listing->index,
                                    .d_reclen = sizeof(listing->entry),
                                    .d_type = types[child->kind]};
   snprintf(listing->entry.d_name, sizeof(listing->entry.d_name), "%s", child->name);
   return &listing->entry;
}

SHIM_EXPORT struct dirent *readdir(DIR *stream)
{
   struct listing *listing = find(stream);
   return listing ? read_ours(listing) : NEXT(readdir)(stream);
}

SHIM_EXPORT struct dirent64 *readdir64(DIR *stream)
{
   struct listing *listing = find(stream);
   return listing ? (struct dirent64 *)(void *)read_ours(listing) : NEXT(readdir64)(stream);
}

SHIM_EXPORT void rewinddir(DIR *stream)
{
   struct listing *listing = find(stream);
   if (!listing) {
      NEXT(rewinddir)(stream);
      return;
   }
   listing->index = 0;
   if (listing->real) {
      NEXT(rewinddir)(listing->real);
   }
}

SHIM_EXPORT int dirfd(DIR *stream)
{
   struct listing *listing = find(stream);
   if (listing && !listing->real) {
      errno = ENOTSUP;
      return -1;
   }
   return NEXT(dirfd)(listing ? listing->real : stream);
}

SHIM_EXPORT int closedir(DIR *stream)
{
   struct listing *listing = find(stream);
   if (!listing) {
      return NEXT(closedir)(stream);
   }
   pthread_mutex_lock(&lock);
   struct listing *head = list, **link = &head;
   while (*link != listing) {
      link = &(*link)->next;
   }
   *link = listing->next;
   list = head;
   pthread_mutex_unlock(&lock);
   int result = listing->real ? NEXT(closedir)(listing->real) : 0;
   free(listing);
   return result;
}
