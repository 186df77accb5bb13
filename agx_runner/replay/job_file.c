/* SPDX-License-Identifier: MIT
 *
 * Reads saved jobs. The file may come from anybody, so each record is checked before it is used.
 */
#include "agx_runner/replay/job_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/array.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)

struct reader {
   struct saved_job *job;
   const char *path;
   const uint8_t *payload; /* of the current record */
   uint64_t size;
   bool queue, result, end; /* these records have been read */
   char *why;
   size_t why_size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct reader *reader, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(reader->why, reader->why_size, format, arguments);
   va_end(arguments);
   return false;
}

/* Whether there was room for the element. */
#define APPEND(reader, list, count, element)                                                                           \
   (ARRAY_RESERVE_ONE((list), (count)) ? ((list)[(count)++] = (element), true) : refuse((reader), "out of memory"))

/* The record's struct. */
static bool take(struct reader *reader, void *to, size_t size)
{
   if (reader->size != size) {
      return refuse(reader, "a record has %" PRIu64 " bytes where %zu are expected", reader->size, size);
   }
   memcpy(to, reader->payload, size);
   return true;
}

static bool inside(const struct saved_job *job, uint32_t buffer, uint64_t offset, uint64_t size)
{
   return buffer < job->buffer_count && offset <= job->buffers[buffer].size &&
          size <= job->buffers[buffer].size - offset;
}

static bool read_info(struct reader *reader)
{
   snprintf(reader->job->info, sizeof(reader->job->info), "%.*s", reader->size < 120 ? (int)reader->size : 120,
            (const char *)reader->payload);
   return true;
}

static bool read_queue(struct reader *reader)
{
   if (reader->queue) {
      return refuse(reader, "it has a second queue");
   }
   reader->queue = true;
   return take(reader, &reader->job->queue, sizeof(reader->job->queue));
}

static bool read_buffer(struct reader *reader)
{
   struct saved_buffer buffer = {0};
   if (!take(reader, &buffer, sizeof(buffer))) {
      return false;
   }
   if (buffer.size == 0 || buffer.size % PAGE != 0 || buffer.size > UINT64_C(1) << 39) {
      return refuse(reader, "buffer %zu has %" PRIu64 " bytes", reader->job->buffer_count, buffer.size);
   }
   return APPEND(reader, reader->job->buffers, reader->job->buffer_count, buffer);
}

static bool read_mapping(struct reader *reader)
{
   struct saved_mapping mapping;
   if (!take(reader, &mapping, sizeof(mapping))) {
      return false;
   }
   const uint64_t bytes = mapping.flags & DRM_ASAHI_BIND_SINGLE_PAGE ? PAGE : mapping.range;
   if (!inside(reader->job, mapping.buffer, mapping.offset, bytes) || mapping.range == 0) {
      return refuse(reader, "mapping %zu is not inside a buffer", reader->job->mapping_count);
   }
   return APPEND(reader, reader->job->mappings, reader->job->mapping_count, mapping);
}

static bool read_piece(struct reader *reader, struct saved_piece *piece)
{
   struct saved_memory memory;
   if (reader->size < sizeof(memory)) {
      return refuse(reader, "a record of memory has %" PRIu64 " bytes", reader->size);
   }
   memcpy(&memory, reader->payload, sizeof(memory));
   *piece = (struct saved_piece){.buffer = memory.buffer,
                                 .offset = memory.offset,
                                 .size = reader->size - sizeof(memory),
                                 .bytes = reader->payload + sizeof(memory)};
   return inside(reader->job, piece->buffer, piece->offset, piece->size) ||
          refuse(reader, "a record of memory is not inside a buffer");
}

static bool read_before(struct reader *reader)
{
   struct saved_piece piece;
   return read_piece(reader, &piece) && APPEND(reader, reader->job->before, reader->job->before_count, piece);
}

static bool read_after(struct reader *reader)
{
   struct saved_piece piece;
   return read_piece(reader, &piece) && APPEND(reader, reader->job->after, reader->job->after_count, piece);
}

static bool read_pages(struct reader *reader)
{
   char name[256];
   if (reader->job->pages != NULL || reader->size >= sizeof(name)) {
      return refuse(reader, reader->job->pages != NULL ? "it has a second file of pages" : "it names no file of pages");
   }
   snprintf(name, sizeof(name), "%.*s", (int)reader->size, (const char *)reader->payload);
   reader->job->pages = saved_pages_open(reader->path, name, reader->why, reader->why_size);
   return reader->job->pages != NULL;
}

/* The record's pages, for `before` or `after`. */
static bool read_page_list(struct reader *reader, struct saved_piece **list, size_t *count)
{
   struct saved_page page;
   if (reader->size % sizeof(page) != 0 || reader->job->pages == NULL) {
      return refuse(reader, reader->job->pages == NULL ? "it names no file of pages"
                                                       : "a list of pages is not of whole entries");
   }
   for (uint64_t at = 0; at < reader->size; at += sizeof(page)) {
      memcpy(&page, reader->payload + at, sizeof(page));
      struct saved_piece piece = {.buffer = page.buffer, .offset = page.offset, .size = PAGE};
      if (!inside(reader->job, piece.buffer, piece.offset, piece.size)) {
         return refuse(reader, "a page is not inside a buffer");
      }
      piece.bytes = saved_pages_find(reader->job->pages, page.hash, reader->why, reader->why_size);
      if (piece.bytes == NULL || !APPEND(reader, *list, *count, piece)) {
         return false;
      }
   }
   return true;
}

static bool read_page_before(struct reader *reader)
{
   return read_page_list(reader, &reader->job->before, &reader->job->before_count);
}

static bool read_page_after(struct reader *reader)
{
   return read_page_list(reader, &reader->job->after, &reader->job->after_count);
}

static bool add_command(struct reader *reader, struct saved_either command)
{
   for (size_t i = 0; i < SAVED_STAMPS; i++) {
      const struct saved_stamp *stamp = &command.stamps[i];
      if (stamp->buffer != SAVED_NO_BUFFER && !inside(reader->job, stamp->buffer, stamp->offset, sizeof(uint64_t))) {
         return refuse(reader, "a timestamp of command %zu is not inside a buffer", reader->job->command_count);
      }
   }
   if (reader->job->command_count == SAVED_COMMANDS_MAX) {
      return refuse(reader, "it has more than %u commands", SAVED_COMMANDS_MAX);
   }
   return APPEND(reader, reader->job->commands, reader->job->command_count, command);
}

static bool read_command(struct reader *reader)
{
   static const struct saved_stamp none = {.buffer = SAVED_NO_BUFFER};
   struct saved_command from;
   return take(reader, &from, sizeof(from)) &&
          add_command(reader, (struct saved_either){.kind = SAVED_COMMAND,
                                                    .barriers = {from.barriers[0], from.barriers[1]},
                                                    .compute = from.compute,
                                                    .stamps = {from.start, from.end, none, none}});
}

static bool read_render(struct reader *reader)
{
   struct saved_render from;
   if (!take(reader, &from, sizeof(from))) {
      return false;
   }
   struct saved_either command = {
       .kind = SAVED_RENDER, .barriers = {from.barriers[0], from.barriers[1]}, .render = from.render};
   memcpy(command.stamps, from.stamps, sizeof(command.stamps));
   return add_command(reader, command);
}

static bool read_result(struct reader *reader)
{
   struct saved_result result;
   if (!take(reader, &result, sizeof(result))) {
      return false;
   }
   reader->job->error = result.error;
   reader->result = true;
   return true;
}

static bool read_end(struct reader *reader)
{
   reader->end = true;
   return true;
}

static bool read_record(struct reader *reader, uint32_t kind)
{
   static bool (*const readers[])(struct reader *) = {
       [SAVED_INFO] = read_info,       [SAVED_QUEUE] = read_queue,        [SAVED_BUFFER] = read_buffer,
       [SAVED_MAPPING] = read_mapping, [SAVED_MEMORY] = read_before,      [SAVED_COMMAND] = read_command,
       [SAVED_RESULT] = read_result,   [SAVED_MEMORY_AFTER] = read_after, [SAVED_END] = read_end,
       [SAVED_PAGES] = read_pages,     [SAVED_PAGE] = read_page_before,   [SAVED_PAGE_AFTER] = read_page_after,
       [SAVED_RENDER] = read_render,
   };
   if (kind >= ARRAY_COUNT(readers) || readers[kind] == NULL) {
      return refuse(reader, "it has a record of the unknown kind %" PRIu32, kind);
   }
   return readers[kind](reader);
}

/* Adds the place of a malformed record. */
static void add_place(struct reader *reader, uint64_t at)
{
   const size_t used = strlen(reader->why);
   snprintf(reader->why + used, reader->why_size - used, "; the record is at byte %" PRIu64, at);
}

static bool read_records(struct reader *reader, uint64_t size)
{
   const uint8_t *data = reader->job->data;
   uint64_t at = sizeof(SAVED_JOB_MAGIC);
   while (!reader->end) {
      struct saved_record record;
      if (size - at < sizeof(record)) {
         return refuse(
             reader, "it is truncated at byte %" PRIu64 ": a record begins at byte %" PRIu64 ", or the end is missing",
             size, at);
      }
      memcpy(&record, data + at, sizeof(record));
      at += sizeof(record);
      if (record.size > size - at || ((record.size + 7) & ~UINT64_C(7)) > size - at) {
         return refuse(reader,
                       "it is truncated at byte %" PRIu64 ", or damaged: the record at byte %" PRIu64
                       " says that it has %" PRIu64 " bytes",
                       size, at - sizeof(record), record.size);
      }
      reader->payload = data + at;
      reader->size = record.size;
      if (!read_record(reader, record.kind)) {
         add_place(reader, at - sizeof(record));
         return false;
      }
      at += (record.size + 7) & ~UINT64_C(7);
   }
   if (!reader->queue || !reader->result || reader->job->command_count == 0) {
      return refuse(reader, "it has no %s", !reader->queue ? "queue" : !reader->result ? "result" : "command");
   }
   return true;
}

/* Reads the file; *size 0 and false: `why` has the reason. */
static bool load(const char *path, uint8_t **data, size_t *size, char *why, size_t why_size)
{
   FILE *file = fopen(path, "rb");
   long length = 0;
   struct stat status;
   if (file != NULL && fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
      snprintf(why, why_size, "%s", strerror(EISDIR));
   } else if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0 ||
              fseek(file, 0, SEEK_SET) != 0) {
      snprintf(why, why_size, "%s", strerror(errno));
   } else if ((*data = malloc((size_t)length + 1)) == NULL) {
      snprintf(why, why_size, "out of memory");
   } else if (fread(*data, 1, (size_t)length, file) != (size_t)length) {
      snprintf(why, why_size, "%s", errno != 0 ? strerror(errno) : "it became shorter");
   } else {
      *size = (size_t)length;
      fclose(file);
      return true;
   }
   if (file != NULL) {
      fclose(file);
   }
   return false;
}

bool saved_job_is(const char *path)
{
   const size_t length = strlen(path), suffix = strlen(SAVED_JOB_SUFFIX);
   char magic[sizeof(SAVED_JOB_MAGIC)] = "";
   if (length > suffix && strcmp(path + length - suffix, SAVED_JOB_SUFFIX) == 0) {
      return true;
   }
   struct stat status;
   FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
   const bool read = file != NULL && fread(magic, 1, sizeof(magic), file) == sizeof(magic);
   if (file != NULL) {
      fclose(file);
   }
   return read &&
          (memcmp(magic, SAVED_JOB_MAGIC, sizeof(magic)) == 0 || memcmp(magic, SAVED_JOB_MAGIC_1, sizeof(magic)) == 0);
}

bool saved_job_read(const char *path, struct saved_job *job, char *why, size_t why_size)
{
   struct reader reader = {.job = job, .path = path, .why = why, .why_size = why_size};
   size_t size = 0;
   *job = (struct saved_job){0};
   errno = 0;
   if (!load(path, &job->data, &size, why, why_size)) {
      return false;
   }
   const size_t magic = sizeof(SAVED_JOB_MAGIC);
   if (size < magic ||
       (memcmp(job->data, SAVED_JOB_MAGIC, magic) != 0 && memcmp(job->data, SAVED_JOB_MAGIC_1, magic) != 0)) {
      const bool later = size >= magic && memcmp(job->data, SAVED_JOB_MAGIC, magic - 2) == 0;
      return later ? refuse(&reader, "it is a saved job of a later agx-runner")
                   : refuse(&reader, "it is no saved job: byte 0 does not begin with %s, and the file has %zu bytes",
                            SAVED_JOB_MAGIC, size);
   }
   return read_records(&reader, size);
}

void saved_job_finish(struct saved_job *job)
{
   saved_pages_close(job->pages);
   free(job->data);
   free(job->buffers);
   free(job->mappings);
   free(job->commands);
   free(job->before);
   free(job->after);
   *job = (struct saved_job){0};
}
