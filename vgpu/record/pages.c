/* SPDX-License-Identifier: MIT
 *
 * Each entry of the file is written at a known offset by one call. After a failed write the next entry goes to the
 * same offset. So a full disk or a killed process can only damage the file's end.
 */
#include "vgpu/record/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define PAGE ((size_t)DRM_ASAHI_PAGE_SIZE)
#define LEVEL 1 /* of zstd: a job waits for it */
#define MOST_FILES 1000u

struct vgpu_pages {
   long process;
   int fd;
   char *folder, name[64];
   uint64_t end;             /* of the file, bytes */
   struct saved_hash *known; /* open addressing; all zero: free */
   size_t count, slots;      /* slots: a power of two */
   ZSTD_CCtx *zstd;
   size_t room; /* of `entry`, bytes */
   uint8_t *entry;
};

static bool is_free(struct saved_hash hash)
{
   return !hash.low && !hash.high;
}

static struct saved_hash *find(struct saved_hash *known, size_t slots, struct saved_hash hash)
{
   size_t at = hash.low & (slots - 1);
   while (!is_free(known[at]) && (known[at].low != hash.low || known[at].high != hash.high)) {
      at = (at + 1) & (slots - 1);
   }
   return &known[at];
}

static int grow(struct vgpu_pages *pages)
{
   const size_t slots = pages->slots ? 2 * pages->slots : 1024;
   struct saved_hash *known = calloc(slots, sizeof(*known));
   if (!known) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < pages->slots; i++) {
      if (!is_free(pages->known[i])) {
         *find(known, slots, pages->known[i]) = pages->known[i];
      }
   }
   free(pages->known);
   pages->known = known;
   pages->slots = slots;
   return 0;
}

static int write_at(struct vgpu_pages *pages, const void *bytes, size_t size)
{
   const uint8_t *rest = bytes;
   for (size_t done = 0; done < size;) {
      const ssize_t written = pwrite(pages->fd, rest + done, size - done, (off_t)(pages->end + done));
      if (written < 0 && errno == EINTR) {
         continue;
      }
      if (written <= 0) {
         return written < 0 ? -errno : -EIO;
      }
      done += (size_t)written;
   }
   pages->end += size;
   return 0;
}

/* A file that no other process and no other device of this process writes. */
static int make_file(struct vgpu_pages *pages)
{
   const size_t size = strlen(pages->folder) + sizeof(pages->name) + 2;
   char *path = malloc(size);
   if (!path) {
      return -ENOMEM;
   }
   for (unsigned i = 1; i < MOST_FILES && pages->fd < 0; i++) {
      char number[16] = "";
      if (i > 1) {
         snprintf(number, sizeof(number), "-%u", i);
      }
      snprintf(pages->name, sizeof(pages->name), "%ld%s" SAVED_PAGES_SUFFIX, pages->process, number);
      snprintf(path, size, "%s/%s", pages->folder, pages->name);
      pages->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (pages->fd < 0 && errno != EEXIST) {
         break;
      }
   }
   int error = pages->fd < 0 ? -errno : write_at(pages, SAVED_PAGES_MAGIC, sizeof(SAVED_PAGES_MAGIC));
   if (pages->fd >= 0 && error) {
      unlink(path);
   }
   free(path);
   return error;
}

int vgpu_pages_open(struct vgpu_pages **out, const char *folder)
{
   if (*out && (*out)->process == (long)getpid()) {
      return 0;
   }
   vgpu_pages_close(*out);
   *out = NULL;
   if (mkdir(folder, 0777) && errno != EEXIST) {
      return -errno;
   }
   struct vgpu_pages *pages = calloc(1, sizeof(*pages));
   if (!pages) {
      return -ENOMEM;
   }
   pages->process = (long)getpid();
   pages->fd = -1;
   pages->folder = strdup(folder);
   pages->zstd = ZSTD_createCCtx();
   pages->room = sizeof(struct saved_page_entry) + ZSTD_compressBound(PAGE) + 8;
   pages->entry = malloc(pages->room);
   int error = pages->folder && pages->zstd && pages->entry ? grow(pages) : -ENOMEM;
   error = error ? error : make_file(pages);
   if (error) {
      vgpu_pages_close(pages);
      return error;
   }
   *out = pages;
   return 0;
}

void vgpu_pages_close(struct vgpu_pages *pages)
{
   if (pages) {
      if (pages->fd >= 0) {
         close(pages->fd);
      }
      ZSTD_freeCCtx(pages->zstd);
      free(pages->known);
      free(pages->folder);
      free(pages->entry);
      free(pages);
   }
}

const char *vgpu_pages_name(const struct vgpu_pages *pages)
{
   return pages->name;
}

struct saved_hash vgpu_page_hash(const uint8_t *page)
{
   const XXH128_hash_t hash = XXH3_128bits(page, PAGE);
   return (struct saved_hash){.low = hash.low64, .high = hash.high64};
}

int vgpu_pages_add(struct vgpu_pages *pages, const uint8_t *page, struct saved_hash hash)
{
   if (is_free(hash)) {
      return -EINVAL; /* one of 2^128 pages cannot be saved */
   }
   struct saved_hash *slot = find(pages->known, pages->slots, hash);
   if (!is_free(*slot)) {
      return 0;
   }
   if (pages->count >= pages->slots / 2) {
      const int error = grow(pages);
      if (error) {
         return error;
      }
      slot = find(pages->known, pages->slots, hash);
   }
   struct saved_page_entry head = {.hash = hash};
   const size_t size =
       ZSTD_compressCCtx(pages->zstd, pages->entry + sizeof(head), pages->room - sizeof(head), page, PAGE, LEVEL);
   if (ZSTD_isError(size)) {
      return -ENOMEM; /* there is room for any page, so nothing else fails */
   }
   head.size = (uint32_t)size;
   memcpy(pages->entry, &head, sizeof(head));
   const size_t padding = -size & 7;
   memset(pages->entry + sizeof(head) + size, 0, padding);
   const int error = write_at(pages, pages->entry, sizeof(head) + size + padding);
   if (!error) {
      *slot = hash;
      pages->count++;
   }
   return error;
}
