/* SPDX-License-Identifier: MIT
 *
 * Saved jobs. Memory is looked at page by page, where the sparse memory file has data; pages of zeros are left out.
 * Invariant: the copy of each page that is written before the job is kept until its end, so that the pages which the
 * job changed are known.
 */
#include "vgpu/record/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)

/* A page as it was before the job. */
struct page {
   uint32_t buffer;
   uint64_t offset;
   uint8_t *bytes;
};

struct vgpu_record {
   FILE *file;
   char *path, *part; /* the name that it gets, and the one that it has until then */
   const struct vgpu_record_job *job;
   struct page *pages; /* by buffer, then by offset */
   size_t count, capacity;
};

static const uint8_t zeros[DRM_ASAHI_PAGE_SIZE];

/* Payloads come in one or two parts. */
static int put(struct vgpu_record *record, enum saved_kind kind, const void *head, size_t head_size, const void *rest,
               size_t rest_size)
{
   const struct saved_record header = {.kind = kind, .size = head_size + rest_size};
   const size_t padding = -(head_size + rest_size) & 7;
   const bool good = fwrite(&header, sizeof(header), 1, record->file) == 1 &&
                     (head_size == 0 || fwrite(head, head_size, 1, record->file) == 1) &&
                     (rest_size == 0 || fwrite(rest, rest_size, 1, record->file) == 1) &&
                     (padding == 0 || fwrite(zeros, padding, 1, record->file) == 1);
   return good ? 0 : errno ? -errno : -EIO;
}

static int put_page(struct vgpu_record *record, enum saved_kind kind, uint32_t buffer, uint64_t offset)
{
   const struct saved_memory memory = {.buffer = buffer, .offset = offset};
   return put(record, kind, &memory, sizeof(memory), record->job->buffers[buffer].host + offset, PAGE);
}

static int save_before(struct vgpu_record *record, uint32_t buffer, uint64_t offset)
{
   const uint8_t *bytes = record->job->buffers[buffer].host + offset;
   if (memcmp(bytes, zeros, PAGE) == 0) {
      return 0;
   }
   if (record->count == record->capacity) {
      const size_t capacity = record->capacity ? 2 * record->capacity : 64;
      struct page *pages = realloc(record->pages, capacity * sizeof(*pages));
      if (!pages) {
         return -ENOMEM;
      }
      record->pages = pages;
      record->capacity = capacity;
   }
   struct page page = {.buffer = buffer, .offset = offset, .bytes = malloc(PAGE)};
   if (!page.bytes) {
      return -ENOMEM;
   }
   memcpy(page.bytes, bytes, PAGE);
   record->pages[record->count++] = page;
   return put_page(record, SAVED_MEMORY, buffer, offset);
}

static int compare_pages(const void *a, const void *b)
{
   const struct page *left = a, *right = b;
   if (left->buffer != right->buffer) {
      return left->buffer < right->buffer ? -1 : 1;
   }
   return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static int save_after(struct vgpu_record *record, uint32_t buffer, uint64_t offset)
{
   const struct page key = {.buffer = buffer, .offset = offset};
   const struct page *page =
       record->count ? bsearch(&key, record->pages, record->count, sizeof(key), compare_pages) : NULL;
   const uint8_t *before = page ? page->bytes : zeros;
   return memcmp(record->job->buffers[buffer].host + offset, before, PAGE) == 0
              ? 0
              : put_page(record, SAVED_MEMORY_AFTER, buffer, offset);
}

/* Calls `visit` for each page of the buffers that the memory file has data for. */
static int each_page(struct vgpu_record *record, int (*visit)(struct vgpu_record *, uint32_t, uint64_t))
{
   int error = 0;
   for (size_t i = 0; i < record->job->buffer_count && !error; i++) {
      const struct vgpu_record_buffer *buffer = &record->job->buffers[i];
      const uint64_t end = buffer->fd_offset + buffer->size;
      for (uint64_t at = buffer->fd_offset; at < end && !error;) {
         const off_t data = buffer->fd < 0 ? (off_t)at : lseek(buffer->fd, (off_t)at, SEEK_DATA);
         if (data < 0 || (uint64_t)data >= end) {
            break; /* ENXIO: nothing behind it */
         }
         const uint64_t offset = ((uint64_t)data - buffer->fd_offset) & ~(PAGE - 1);
         error = visit(record, (uint32_t)i, offset);
         at = buffer->fd_offset + offset + PAGE;
      }
   }
   return error;
}

static int put_job(struct vgpu_record *record)
{
   const struct vgpu_record_job *job = record->job;
   int error = fwrite(SAVED_JOB_MAGIC, sizeof(SAVED_JOB_MAGIC), 1, record->file) == 1 ? 0 : -errno;
   error = error ? error : put(record, SAVED_INFO, job->info, strlen(job->info), NULL, 0);
   error = error ? error : put(record, SAVED_QUEUE, &job->queue, sizeof(job->queue), NULL, 0);
   for (size_t i = 0; i < job->buffer_count && !error; i++) {
      const struct saved_buffer buffer = {.size = job->buffers[i].size};
      error = put(record, SAVED_BUFFER, &buffer, sizeof(buffer), NULL, 0);
   }
   for (size_t i = 0; i < job->mapping_count && !error; i++) {
      error = put(record, SAVED_MAPPING, &job->mappings[i], sizeof(job->mappings[i]), NULL, 0);
   }
   for (size_t i = 0; i < job->command_count && !error; i++) {
      error = put(record, SAVED_COMMAND, &job->commands[i], sizeof(job->commands[i]), NULL, 0);
   }
   return error ? error : each_page(record, save_before);
}

static void destroy(struct vgpu_record *record)
{
   if (record->file) {
      fclose(record->file);
   }
   if (record->part) {
      unlink(record->part);
   }
   for (size_t i = 0; i < record->count; i++) {
      free(record->pages[i].bytes);
   }
   free(record->pages);
   free(record->path);
   free(record->part);
   free(record);
}

int vgpu_record_begin(const char *folder, const char *name, const struct vgpu_record_job *job, struct vgpu_record **out)
{
   struct vgpu_record *record = calloc(1, sizeof(*record));
   *out = NULL;
   if (!record) {
      return -ENOMEM;
   }
   record->job = job;
   const size_t size = strlen(folder) + strlen(name) + sizeof("/" SAVED_JOB_SUFFIX ".part");
   char *path = malloc(size), *part = malloc(size);
   if (!path || !part) {
      free(path);
      free(part);
      destroy(record);
      return -ENOMEM;
   }
   snprintf(path, size, "%s/%s" SAVED_JOB_SUFFIX, folder, name);
   snprintf(part, size, "%s.part", path);
   record->path = path;
   int error = mkdir(folder, 0777) && errno != EEXIST ? -errno : 0;
   errno = 0;
   record->file = error ? NULL : fopen(part, "wbx");
   if (!record->file) {
      error = error ? error : -errno;
      free(part);
   } else {
      record->part = part;
      error = put_job(record);
   }
   if (error) {
      destroy(record);
      return error;
   }
   *out = record;
   return 0;
}

int vgpu_record_end(struct vgpu_record *record, int job_error)
{
   if (!record) {
      return 0;
   }
   const struct saved_result result = {.error = job_error};
   errno = 0;
   int error = put(record, SAVED_RESULT, &result, sizeof(result), NULL, 0);
   error = error ? error : each_page(record, save_after);
   error = error ? error : put(record, SAVED_END, NULL, 0, NULL, 0);
   if (fclose(record->file) && !error) {
      error = -errno;
   }
   record->file = NULL;
   if (!error && rename(record->part, record->path)) {
      error = -errno;
   }
   if (!error) {
      free(record->part);
      record->part = NULL;
   }
   destroy(record);
   return error;
}

void vgpu_record_cancel(struct vgpu_record *record)
{
   if (record) {
      destroy(record);
   }
}
