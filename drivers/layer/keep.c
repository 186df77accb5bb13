/* SPDX-License-Identifier: MIT
 *
 * Keeps sources. Invariant: a file is complete when it has its name, whatever other process keeps the same source, and
 * a layer that cannot keep one changes nothing for the program.
 */
#include "drivers/layer/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PATH_BYTES 4096u

static void fail(const char *folder)
{
   static atomic_flag told = ATOMIC_FLAG_INIT;
   const int error = errno;
   if (!atomic_flag_test_and_set(&told)) {
      fprintf(stderr, "agx-sources: sources cannot be kept in %s: %s\n", folder, strerror(error));
   }
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
   for (size_t at = 0; at < size;) {
      const ssize_t wrote = write(fd, bytes + at, size - at);
      if (wrote < 0 && errno != EINTR) {
         return false;
      }
      at += wrote > 0 ? (size_t)wrote : 0;
   }
   return true;
}

bool keep_file(const void *bytes, size_t size, const char *suffix, char hash[KEEP_HASH])
{
   static atomic_uint files;
   const XXH128_hash_t sum = XXH3_128bits(bytes, size);
   const char *folder = getenv(KEEP_FOLDER);
   char path[PATH_BYTES], part[PATH_BYTES + 32];
   snprintf(hash, KEEP_HASH, "%016" PRIx64 "%016" PRIx64, (uint64_t)sum.high64, (uint64_t)sum.low64);
   if (folder == NULL || *folder == '\0') {
      return false;
   }
   if (snprintf(path, sizeof(path), "%s/%s%s", folder, hash, suffix) >= (int)sizeof(path)) {
      errno = ENAMETOOLONG;
      fail(folder);
      return false;
   }
   if (access(path, F_OK) == 0) {
      return true;
   }
   snprintf(part, sizeof(part), "%s.%ld-%u", path, (long)getpid(), atomic_fetch_add(&files, 1));
   (void)mkdir(folder, 0777);
   const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   bool good = fd >= 0 && write_all(fd, bytes, size);
   good = fd >= 0 && close(fd) == 0 && good;
   good = good && rename(part, path) == 0;
   if (!good) {
      fail(folder);
      unlink(part);
   }
   return good;
}

/* ---- Texts ---- */

void keep_start(struct keep_text *text)
{
   *text = (struct keep_text){.text = NULL};
   text->file = open_memstream(&text->text, &text->size);
}

char *keep_end(struct keep_text *text)
{
   if (text->file == NULL || fclose(text->file) != 0) {
      return NULL;
   }
   text->file = NULL;
   return text->text;
}

void keep_end_file(struct keep_text *text, const char *suffix)
{
   char hash[KEEP_HASH], *whole = keep_end(text);
   if (whole != NULL) {
      (void)keep_file(whole, text->size, suffix, hash);
   }
   free(whole);
}

/* ---- Handles ---- */

struct noted {
   const void *owner;
   uint64_t handle;
   char *text;
   char kind;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct noted *list;
static size_t count, room;

/* The newest first: programs build what they have just made. */
static struct noted *find(char kind, const void *owner, uint64_t handle)
{
   for (size_t i = count; i-- > 0;) {
      if (list[i].handle == handle && list[i].owner == owner && list[i].kind == kind) {
         return &list[i];
      }
   }
   return NULL;
}

static struct noted *add(void)
{
   if (count == room) {
      const size_t larger = room > 0 ? 2 * room : 64;
      struct noted *longer = realloc(list, larger * sizeof(*list));
      if (longer == NULL) {
         return NULL;
      }
      list = longer;
      room = larger;
   }
   list[count] = (struct noted){.text = NULL};
   return &list[count++];
}

void keep_note(char kind, const void *owner, uint64_t handle, char *text)
{
   pthread_mutex_lock(&lock);
   struct noted *noted = find(kind, owner, handle);
   noted = noted != NULL ? noted : add();
   if (noted != NULL) {
      free(noted->text);
      *noted = (struct noted){.kind = kind, .owner = owner, .handle = handle, .text = text};
   } else {
      free(text);
   }
   pthread_mutex_unlock(&lock);
}

char *keep_noted(char kind, const void *owner, uint64_t handle)
{
   pthread_mutex_lock(&lock);
   const struct noted *noted = find(kind, owner, handle);
   char *text = noted != NULL && noted->text != NULL ? strdup(noted->text) : NULL;
   pthread_mutex_unlock(&lock);
   return text;
}
