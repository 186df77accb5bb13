/* SPDX-License-Identifier: MIT
 *
 * Saved jobs. Memory is read page by page where the sparse memory file has data; zero pages are left out. Invariant:
 * the hash of each page before the job is kept until its end, to find the pages that the job changed.
 */
#include "vgpu/record/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)

struct page_list {
   struct saved_page *pages; /* by buffer, then by offset */
   size_t count, capacity;
};

struct vgpu_record {
   FILE *file;
   char *path, *part; /* the name that it gets, and the one that it has until then */
   const struct vgpu_record_job *job;
   struct vgpu_pages *pages;
   struct page_list before, after;
};

static const uint8_t zeros[DRM_ASAHI_PAGE_SIZE];

static int put(struct vgpu_record *record, enum saved_kind kind, const void *payload, size_t size)
{
   const struct saved_record header = {.kind = kind, .size = size};
   const size_t padding = -size & 7;
   const bool good = fwrite(&header, sizeof(header), 1, record->file) == 1 &&
                     (size == 0 || fwrite(payload, size, 1, record->file) == 1) &&
                     (padding == 0 || fwrite(zeros, padding, 1, record->file) == 1);
   return good ? 0 : errno ? -errno : -EIO;
}

static const uint8_t *bytes_of(const struct vgpu_record *record, uint32_t buffer, uint64_t offset)
{
   return record->job->buffers[buffer].host + offset;
}

static int add_page(struct vgpu_record *record, struct page_list *list, const struct saved_page *page)
{
   if (!ARRAY_RESERVE(list->pages, list->capacity, list->count + 1)) {
      return -ENOMEM;
   }
   list->pages[list->count++] = *page;
   return vgpu_pages_add(record->pages, bytes_of(record, page->buffer, page->offset), page->hash);
}

static int save_before(struct vgpu_record *record, uint32_t buffer, uint64_t offset)
{
   const uint8_t *bytes = bytes_of(record, buffer, offset);
   if (memcmp(bytes, zeros, PAGE) == 0) {
      return 0;
   }
   const struct saved_page page = {.buffer = buffer, .offset = offset, .hash = vgpu_page_hash(bytes)};
   return add_page(record, &record->before, &page);
}

static int compare_pages(const void *a, const void *b)
{
   const struct saved_page *left = a, *right = b;
   if (left->buffer != right->buffer) {
      return left->buffer < right->buffer ? -1 : 1;
   }
   return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static int save_after(struct vgpu_record *record, uint32_t buffer, uint64_t offset)
{
   const uint8_t *bytes = bytes_of(record, buffer, offset);
   const struct saved_page page = {.buffer = buffer, .offset = offset, .hash = vgpu_page_hash(bytes)};
   const struct page_list *list = &record->before;
   const struct saved_page *before =
       list->count ? bsearch(&page, list->pages, list->count, sizeof(page), compare_pages) : NULL;
   const bool same = before ? before->hash.low == page.hash.low && before->hash.high == page.hash.high
                            : memcmp(bytes, zeros, PAGE) == 0;
   return same ? 0 : add_page(record, &record->after, &page);
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

static int put_pages(struct vgpu_record *record, enum saved_kind kind, const struct page_list *list)
{
   return list->count ? put(record, kind, list->pages, list->count * sizeof(*list->pages)) : 0;
}

static int put_command(struct vgpu_record *record, const struct saved_either *from)
{
   if (from->kind == SAVED_RENDER) {
      struct saved_render render = {.barriers = {from->barriers[0], from->barriers[1]}, .render = from->render};
      memcpy(render.stamps, from->stamps, sizeof(render.stamps));
      return put(record, SAVED_RENDER, &render, sizeof(render));
   }
   const struct saved_command command = {.barriers = {from->barriers[0], from->barriers[1]},
                                         .compute = from->compute,
                                         .start = from->stamps[0],
                                         .end = from->stamps[1]};
   return put(record, SAVED_COMMAND, &command, sizeof(command));
}

static int put_job(struct vgpu_record *record)
{
   const struct vgpu_record_job *job = record->job;
   int error = fwrite(SAVED_JOB_MAGIC, sizeof(SAVED_JOB_MAGIC), 1, record->file) == 1 ? 0 : -errno;
   error = error ? error : put(record, SAVED_INFO, job->info, strlen(job->info));
   error = error ? error : put(record, SAVED_QUEUE, &job->queue, sizeof(job->queue));
   for (size_t i = 0; i < job->buffer_count && !error; i++) {
      const struct saved_buffer buffer = {.size = job->buffers[i].size};
      error = put(record, SAVED_BUFFER, &buffer, sizeof(buffer));
   }
   for (size_t i = 0; i < job->mapping_count && !error; i++) {
      error = put(record, SAVED_MAPPING, &job->mappings[i], sizeof(job->mappings[i]));
   }
   for (size_t i = 0; i < job->command_count && !error; i++) {
      error = put_command(record, &job->commands[i]);
   }
   const char *name = vgpu_pages_name(record->pages);
   error = error ? error : put(record, SAVED_PAGES, name, strlen(name));
   error = error ? error : each_page(record, save_before);
   return error ? error : put_pages(record, SAVED_PAGE, &record->before);
}

static void destroy(struct vgpu_record *record)
{
   if (record->file) {
      fclose(record->file);
   }
   if (record->part) {
      unlink(record->part);
   }
   free(record->before.pages);
   free(record->after.pages);
   free(record->path);
   free(record->part);
   free(record);
}

int vgpu_record_begin(const char *folder, const char *name, const struct vgpu_record_job *job,
                      struct vgpu_pages **pages, struct vgpu_record **out)
{
   *out = NULL;
   int error = vgpu_pages_open(pages, folder);
   if (error) {
      return error;
   }
   struct vgpu_record *record = calloc(1, sizeof(*record));
   if (!record) {
      return -ENOMEM;
   }
   record->job = job;
   record->pages = *pages;
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
   record->file = fopen(part, "wbx");
   if (!record->file) {
      error = -errno;
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
   int error = put(record, SAVED_RESULT, &result, sizeof(result));
   error = error ? error : each_page(record, save_after);
   error = error ? error : put_pages(record, SAVED_PAGE_AFTER, &record->after);
   error = error ? error : put(record, SAVED_END, NULL, 0);
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
