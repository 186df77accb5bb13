/* SPDX-License-Identifier: MIT
 *
 * Reads files of pages. The file may come from anybody: entries are indexed up to the first invalid one, and a page is
 * used only if its content has its hash.
 */
#include "agx_runner/replay/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define PAGE ((size_t)DRM_ASAHI_PAGE_SIZE)

struct entry {
   struct saved_hash hash;
   uint64_t place; /* of the frame in the file, bytes; 0: a free slot */
   uint32_t size;
   uint8_t *bytes; /* NULL: not decompressed yet */
};

struct saved_pages {
   char name[256];
   const uint8_t *file;
   size_t size;
   uint64_t end; /* end of the readable entries; less than `size` if the file is damaged */
   struct entry *entries;
   size_t slots; /* a power of two */
};

/* The slot of a hash, or a free one. */
static struct entry *find(struct entry *entries, size_t slots, struct saved_hash hash)
{
   size_t at = hash.low & (slots - 1);
   while (entries[at].place != 0 && (entries[at].hash.low != hash.low || entries[at].hash.high != hash.high)) {
      at = (at + 1) & (slots - 1);
   }
   return &entries[at];
}

/* Reads the entry at *at, and advances *at. Returns false if there is no valid one. */
static bool next_entry(const struct saved_pages *pages, uint64_t *at, struct entry *entry)
{
   struct saved_page_entry head;
   if (pages->size - *at < sizeof(head)) {
      return false;
   }
   memcpy(&head, pages->file + *at, sizeof(head));
   const uint64_t place = *at + sizeof(head), size = ((uint64_t)head.size + 7) & ~UINT64_C(7);
   if (head.size == 0 || head.pad != 0 || head.size > ZSTD_compressBound(PAGE) || size > pages->size - place) {
      return false;
   }
   *entry = (struct entry){.hash = head.hash, .place = place, .size = head.size};
   *at = place + size;
   return true;
}

/* Returns false when out of memory. */
static bool make_index(struct saved_pages *pages)
{
   struct entry entry;
   size_t count = 0;
   for (uint64_t at = sizeof(SAVED_PAGES_MAGIC); next_entry(pages, &at, &entry);) {
      count++;
   }
   pages->slots = 16;
   while (pages->slots < 2 * count) {
      pages->slots *= 2;
   }
   pages->entries = calloc(pages->slots, sizeof(*pages->entries));
   if (pages->entries == NULL) {
      return false;
   }
   uint64_t at = sizeof(SAVED_PAGES_MAGIC);
   while (next_entry(pages, &at, &entry)) {
      *find(pages->entries, pages->slots, entry.hash) = entry;
   }
   pages->end = at;
   return true;
}

/* Maps the file. Returns false with the reason in `why`. */
static bool map_file(struct saved_pages *pages, const char *path, char *why, size_t why_size)
{
   struct stat status;
   const int fd = open(path, O_RDONLY | O_CLOEXEC);
   void *file = MAP_FAILED;
   if (fd >= 0 && fstat(fd, &status) == 0) {
      if (status.st_size < (off_t)sizeof(SAVED_PAGES_MAGIC)) {
         snprintf(why, why_size, "its pages' file %s is truncated", pages->name);
         close(fd);
         return false;
      }
      file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
   }
   const int error = errno;
   if (fd >= 0) {
      close(fd);
   }
   if (file == MAP_FAILED) {
      snprintf(why, why_size, "its pages are in %s: %s", pages->name, strerror(error));
      return false;
   }
   pages->file = file;
   pages->size = (size_t)status.st_size;
   return true;
}

struct saved_pages *saved_pages_open(const char *job_path, const char *name, char *why, size_t why_size)
{
   const char *slash = strrchr(job_path, '/');
   const size_t folder = slash != NULL ? (size_t)(slash - job_path) + 1 : 0, length = strlen(name);
   struct saved_pages *pages = calloc(1, sizeof(*pages));
   char *path = malloc(folder + length + 1);
   bool good = false;
   if (pages == NULL || path == NULL) {
      snprintf(why, why_size, "out of memory");
   } else if (length == 0 || length >= sizeof(pages->name) || strchr(name, '/') != NULL) {
      snprintf(why, why_size, "it names no file of pages");
   } else {
      memcpy(path, job_path, folder);
      memcpy(path + folder, name, length + 1);
      memcpy(pages->name, name, length + 1);
      good = map_file(pages, path, why, why_size);
   }
   if (good && memcmp(pages->file, SAVED_PAGES_MAGIC, sizeof(SAVED_PAGES_MAGIC)) != 0) {
      snprintf(why, why_size, "%s is no file of pages", name);
      good = false;
   } else if (good && !make_index(pages)) {
      snprintf(why, why_size, "out of memory");
      good = false;
   }
   free(path);
   if (!good) {
      saved_pages_close(pages);
      return NULL;
   }
   return pages;
}

void saved_pages_close(struct saved_pages *pages)
{
   if (pages == NULL) {
      return;
   }
   for (size_t i = 0; i < pages->slots && pages->entries != NULL; i++) {
      free(pages->entries[i].bytes);
   }
   free(pages->entries);
   if (pages->file != NULL) {
      munmap((void *)(uintptr_t)pages->file, pages->size);
   }
   free(pages);
}

const uint8_t *saved_pages_find(struct saved_pages *pages, struct saved_hash hash, char *why, size_t why_size)
{
   struct entry *entry = find(pages->entries, pages->slots, hash);
   if (entry->place == 0 && pages->end < pages->size) {
      snprintf(why, why_size, "a page is not in %s, which is truncated or damaged at byte %" PRIu64, pages->name,
               pages->end);
      return NULL;
   }
   if (entry->place == 0) {
      snprintf(why, why_size, "a page is not in %s, which is truncated or of other jobs", pages->name);
      return NULL;
   }
   if (entry->bytes != NULL) {
      return entry->bytes;
   }
   uint8_t *bytes = malloc(PAGE);
   if (bytes == NULL) {
      snprintf(why, why_size, "out of memory");
      return NULL;
   }
   const size_t size = ZSTD_decompress(bytes, PAGE, pages->file + entry->place, entry->size);
   const XXH128_hash_t found = size == PAGE ? XXH3_128bits(bytes, PAGE) : (XXH128_hash_t){0};
   if (size != PAGE || found.low64 != hash.low || found.high64 != hash.high) {
      snprintf(why, why_size, "%s is damaged at byte %" PRIu64 ": %s", pages->name, entry->place,
               ZSTD_isError(size) ? ZSTD_getErrorName(size) : "the page has another checksum");
      free(bytes);
      return NULL;
   }
   entry->bytes = bytes;
   return bytes;
}
