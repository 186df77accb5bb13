/* SPDX-License-Identifier: MIT
 *
 * The files of a store. Invariant: an error in this file costs an entry, and nothing else.
 */
#include "util/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "util/array.h"
#include "util/file.h"

#define FOLDERS 16u
#define NAME_SIZE 40 /* name of an entry: 32 hex digits */
#define PATH_SIZE UTIL_STORE_PATH
#define TEMPORARY "writing"
#define LOCK_TRIES 20 /* tries, a millisecond each */
#define NANOSECONDS 1000000000

/* The header of an entry. The saved bytes follow. */
struct entry_head {
   char magic[8];
   struct util_store_key key;
   uint64_t size;
   uint64_t check[2]; /* XXH3-128 of these bytes */
};

/* ---- Where ---- */

/* Creates the folder and its parents. */
static bool make_folders(const char *path)
{
   char part[PATH_SIZE + 8];

   for (size_t i = 1; path[i - 1] != '\0'; i++) {
      if (path[i] != '/' && path[i] != '\0') {
         continue;
      }
      memcpy(part, path, i);
      part[i] = '\0';
      if (mkdir(part, 0700) < 0 && errno != EEXIST) {
         return false;
      }
   }
   return true;
}

bool util_store_folder(char path[UTIL_STORE_PATH])
{
   static const struct {
      const char *variable, *folder;
   } places[] = {{UTIL_STORE_VARIABLE, ""}, {"XDG_CACHE_HOME", "/agx-runner"}, {"HOME", "/.cache/agx-runner"}};
   for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
      const char *base = getenv(places[i].variable);
      if (base != NULL && base[0] == '/') { /* the XDG specification ignores a relative path */
         return snprintf(path, UTIL_STORE_PATH, "%s%s", base, places[i].folder) < UTIL_STORE_PATH;
      }
   }
   return false;
}

static bool find_path(struct util_store *store, const char *name)
{
   char folder[UTIL_STORE_PATH];
   return util_store_folder(folder) &&
          snprintf(store->path, sizeof(store->path), "%s/%s", folder, name) < (int)sizeof(store->path);
}

bool util_store_open(struct util_store *store, const char *name, const char magic[8], uint64_t bytes)
{
   memcpy(store->magic, magic, sizeof(store->magic));
   store->folder_bytes = bytes / FOLDERS;
   return store->folder_bytes > 0 && find_path(store, name);
}

bool util_store_limit(const char *text, uint64_t otherwise, uint64_t *mib)
{
   char *end;

   *mib = otherwise;
   if (text == NULL || text[0] == '\0') {
      return true;
   }
   errno = 0;
   const unsigned long long number = strtoull(text, &end, 10);
   if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number >= UINT64_MAX >> 20) {
      return false;
   }
   *mib = number;
   return true;
}

static void folder_path(const struct util_store *store, const struct util_store_key *key, char path[PATH_SIZE + 8])
{
   snprintf(path, PATH_SIZE + 8, "%s/%x", store->path, (unsigned)(key->high >> 60));
}

static void entry_name(const struct util_store_key *key, char name[NAME_SIZE])
{
   snprintf(name, NAME_SIZE, "%016llx%016llx", (unsigned long long)key->high, (unsigned long long)key->low);
}

static void set_check(struct entry_head *head, const void *bytes)
{
   const XXH128_hash_t hash = XXH3_128bits(bytes, head->size);

   head->check[0] = hash.low64;
   head->check[1] = hash.high64;
}

/* ---- Reading ---- */

static bool read_all(int fd, void *bytes, size_t size)
{
   size_t got;

   return util_read_all(fd, bytes, size, &got) == 0 && got == size;
}

/* Reads the bytes from an open file. NULL: it is damaged, or memory ran out. */
static uint8_t *read_entry(const struct util_store *store, int fd, const struct util_store_key *key, size_t *size)
{
   struct entry_head head, computed;
   struct stat file;

   if (fstat(fd, &file) < 0 || !read_all(fd, &head, sizeof(head)) ||
       memcmp(head.magic, store->magic, sizeof(store->magic)) != 0 || memcmp(&head.key, key, sizeof(*key)) != 0 ||
       head.size != (uint64_t)file.st_size - sizeof(head)) {
      return NULL;
   }
   uint8_t *bytes = malloc(head.size + 1);
   if (bytes == NULL || !read_all(fd, bytes, head.size)) {
      free(bytes);
      return NULL;
   }
   computed = head;
   set_check(&computed, bytes);
   if (memcmp(computed.check, head.check, sizeof(head.check)) != 0) {
      free(bytes);
      return NULL;
   }
   *size = head.size;
   return bytes;
}

/* Records that the entry was used now. The kernel's own file times advance in steps of some milliseconds, so that many
 * would be equal. */
static void set_used(int fd)
{
   struct timespec times[2];

   (void)clock_gettime(CLOCK_REALTIME, &times[0]);
   times[1] = times[0];
   (void)futimens(fd, times);
}

static void entry_path(const struct util_store *store, const struct util_store_key *key,
                       char path[PATH_SIZE + 8 + NAME_SIZE])
{
   char folder[PATH_SIZE + 8], name[NAME_SIZE];

   folder_path(store, key, folder);
   entry_name(key, name);
   snprintf(path, PATH_SIZE + 8 + NAME_SIZE, "%s/%s", folder, name);
}

bool util_store_has(const struct util_store *store, const struct util_store_key *key)
{
   char path[PATH_SIZE + 8 + NAME_SIZE];

   entry_path(store, key, path);
   return access(path, R_OK) == 0;
}

bool util_store_load(const struct util_store *store, const struct util_store_key *key, uint8_t **bytes, size_t *size)
{
   char path[PATH_SIZE + 8 + NAME_SIZE];

   *bytes = NULL;
   entry_path(store, key, path);
   const int fd = open(path, O_RDONLY | O_CLOEXEC);
   if (fd >= 0) {
      *bytes = read_entry(store, fd, key, size);
      set_used(fd);
      close(fd);
   }
   return *bytes != NULL;
}

static bool parse_name(const char *name, struct util_store_key *key)
{
   char again[NAME_SIZE];
   unsigned long long high, low;

   if (sscanf(name, "%16llx%16llx", &high, &low) != 2) {
      return false;
   }
   *key = (struct util_store_key){.low = low, .high = high};
   entry_name(key, again);
   return !strcmp(name, again);
}

void util_store_list(const struct util_store *store, bool (*each)(void *data, const struct util_store_key *key),
                     void *data)
{
   bool more = true;

   for (uint64_t folder = 0; more && folder < FOLDERS; folder++) {
      const struct util_store_key inside = {.high = folder << 60};
      struct util_store_key key;
      char path[PATH_SIZE + 8];

      folder_path(store, &inside, path);
      DIR *listing = opendir(path);
      for (struct dirent *item; more && listing != NULL && (item = readdir(listing)) != NULL;) {
         more = !parse_name(item->d_name, &key) || each(data, &key);
      }
      if (listing != NULL) {
         closedir(listing);
      }
   }
}

/* ---- Writing ---- */

struct kept {
   char name[NAME_SIZE];
   uint64_t size;
   int64_t used; /* time of the last use in nanoseconds */
};

static int oldest_first(const void *a, const void *b)
{
   const struct kept *one = a, *other = b;

   return (one->used > other->used) - (one->used < other->used);
}

/* Lists the folder's entries, and removes files that a killed writer left. NULL with *count 0: there are none, or
 * memory ran out. */
static struct kept *list_entries(int folder, size_t *count, uint64_t *bytes)
{
   const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   DIR *listing = copy >= 0 ? fdopendir(copy) : NULL;
   struct kept *entries = NULL;
   size_t room = 0;

   *count = 0;
   *bytes = 0;
   if (listing == NULL && copy >= 0) {
      close(copy);
   }
   for (struct dirent *item; listing != NULL && (item = readdir(listing)) != NULL;) {
      struct stat file;

      if (!strcmp(item->d_name, TEMPORARY)) {
         (void)unlinkat(folder, TEMPORARY, 0);
         continue;
      }
      if (strlen(item->d_name) >= NAME_SIZE || fstatat(folder, item->d_name, &file, AT_SYMLINK_NOFOLLOW) < 0 ||
          !S_ISREG(file.st_mode)) {
         continue;
      }
      if (!ARRAY_RESERVE(entries, room, *count + 1)) {
         break;
      }
      struct kept *entry = &entries[(*count)++];
      strcpy(entry->name, item->d_name);
      entry->size = (uint64_t)file.st_size;
      entry->used = (int64_t)file.st_mtim.tv_sec * NANOSECONDS + file.st_mtim.tv_nsec;
      *bytes += entry->size;
   }
   if (listing != NULL) {
      closedir(listing);
   }
   return entries;
}

/* Makes room for `size` bytes. If a folder is full, an eighth is removed at once, so that not every entry removes
 * one. */
static void make_room(const struct util_store *store, int folder, uint64_t size)
{
   size_t count;
   uint64_t bytes;
   struct kept *entries = list_entries(folder, &count, &bytes);

   if (bytes + size > store->folder_bytes) {
      const uint64_t most = store->folder_bytes - store->folder_bytes / 8;
      const uint64_t wanted = size < most ? most - size : 0;

      qsort(entries, count, sizeof(*entries), oldest_first);
      for (size_t i = 0; i < count && bytes > wanted; i++) {
         if (unlinkat(folder, entries[i].name, 0) == 0) {
            bytes -= entries[i].size;
         }
      }
   }
   free(entries);
}

/* Returns false if another writer holds the folder, or its file system has no locks. */
static bool lock(int folder)
{
   const struct timespec wait = {.tv_nsec = 1000000};

   for (unsigned tries = 0; flock(folder, LOCK_EX | LOCK_NB) < 0; tries++) {
      if (errno != EWOULDBLOCK || tries == LOCK_TRIES) {
         return false;
      }
      (void)nanosleep(&wait, NULL);
   }
   return true;
}

static bool write_entry(int folder, const struct entry_head *head, const void *bytes)
{
   char name[NAME_SIZE];
   const int fd = openat(folder, TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

   if (fd < 0) {
      return false;
   }
   entry_name(&head->key, name);
   bool written = util_write_all(fd, head, sizeof(*head)) == 0 && util_write_all(fd, bytes, head->size) == 0;
   set_used(fd);
   written = close(fd) == 0 && written && renameat(folder, TEMPORARY, folder, name) == 0;
   if (!written) {
      (void)unlinkat(folder, TEMPORARY, 0);
   }
   return written;
}

/* Opens the key's folder, and makes it if there is none. -1: it cannot. */
static int open_folder(const struct util_store *store, const struct util_store_key *key)
{
   char path[PATH_SIZE + 8];

   folder_path(store, key, path);
   return make_folders(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* The caller holds the folder's lock. */
static bool save_locked(const struct util_store *store, int folder, const struct util_store_key *key, const void *bytes,
                        size_t size)
{
   struct entry_head head = {.key = *key, .size = size};

   if (size + sizeof(head) > store->folder_bytes) {
      return false;
   }
   memcpy(head.magic, store->magic, sizeof(head.magic));
   set_check(&head, bytes);
   make_room(store, folder, size + sizeof(head));
   return write_entry(folder, &head, bytes);
}

bool util_store_save(const struct util_store *store, const struct util_store_key *key, const void *bytes, size_t size)
{
   const int folder = open_folder(store, key);
   if (folder < 0) {
      return false;
   }
   const bool saved = lock(folder) && save_locked(store, folder, key, bytes, size);
   close(folder); /* releases the lock, because no fork has inherited it */
   return saved;
}

bool util_store_change(const struct util_store *store, const struct util_store_key *key,
                       uint8_t *(*change)(void *data, const uint8_t *bytes, size_t *size), void *data)
{
   const int folder = open_folder(store, key);
   uint8_t *before = NULL;
   size_t size = 0;
   bool saved = false;

   if (folder < 0) {
      return false;
   }
   if (lock(folder)) {
      size = util_store_load(store, key, &before, &size) ? size : 0;
      uint8_t *bytes = change(data, before, &size);
      saved = bytes != NULL && save_locked(store, folder, key, bytes, size);
      free(bytes);
      free(before);
   }
   close(folder);
   return saved;
}
