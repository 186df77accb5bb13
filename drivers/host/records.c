/* SPDX-License-Identifier: MIT
 *
 * The files of drivers/host/protocol.h. A file is checked as a whole when it is read, so that what walks it has no
 * errors to meet.
 */
#include "drivers/host/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 34)

static size_t padded(uint64_t size)
{
   return (size_t)(size + 7) & ~(size_t)7;
}

/* Reads from a pipe or a file of /proc, whose sizes are not known in advance. */
static bool read_all(FILE *file, struct host_records *records)
{
   size_t room = 0;
   do {
      if (records->size == room) {
         const size_t more = room == 0 ? 1u << 16 : 2 * room;
         uint8_t *bytes = more > MOST_BYTES ? NULL : realloc(records->bytes, more);
         if (bytes == NULL) {
            errno = ENOMEM;
            return false;
         }
         records->bytes = bytes;
         room = more;
      }
      records->size += fread(records->bytes + records->size, 1, room - records->size, file);
   } while (!feof(file) && !ferror(file));
   return !ferror(file);
}

static bool is_complete(struct host_records *records)
{
   if (records->size < sizeof(HOST_MAGIC) || memcmp(records->bytes, HOST_MAGIC, sizeof(HOST_MAGIC)) != 0) {
      return false;
   }
   for (size_t at = sizeof(HOST_MAGIC); records->size - at >= sizeof(struct host_record);) {
      struct host_record record;
      memcpy(&record, records->bytes + at, sizeof(record));
      at += sizeof(record);
      if (record.kind == HOST_END) {
         return record.size == 0;
      }
      if (record.size > MOST_BYTES || padded(record.size) > records->size - at) {
         return false;
      }
      at += padded(record.size);
   }
   return false;
}

bool host_records_read(struct host_records *records, const char *path, const char **why)
{
   *records = (struct host_records){.at = sizeof(HOST_MAGIC)};
   FILE *file = fopen(path, "rb");
   if (file == NULL) {
      *why = strerror(errno);
      return false;
   }
   const bool read = read_all(file, records);
   const int error = errno;
   fclose(file);
   *why = read ? "it is not complete" : strerror(error);
   return read && is_complete(records);
}

const struct host_record *host_records_next(struct host_records *records, const void **payload)
{
   const struct host_record *record = (const void *)(records->bytes + records->at);
   if (record->kind == HOST_END) {
      return NULL;
   }
   *payload = record + 1;
   records->at += sizeof(*record) + padded(record->size);
   return record;
}

void host_records_finish(struct host_records *records)
{
   free(records->bytes);
   *records = (struct host_records){.size = 0};
}

FILE *host_records_create(const char *path)
{
   FILE *file = fopen(path, "wb");
   if (file != NULL) {
      fwrite(HOST_MAGIC, 1, sizeof(HOST_MAGIC), file);
   }
   return file;
}

void host_record_write_two(FILE *file, uint32_t kind, uint32_t number, const void *first, size_t first_size,
                           const void *second, size_t second_size)
{
   const struct host_record record = {kind, number, first_size + second_size};
   const char zeros[8] = {0};
   fwrite(&record, 1, sizeof(record), file);
   fwrite(first, 1, first_size, file);
   if (second_size > 0) {
      fwrite(second, 1, second_size, file);
   }
   fwrite(zeros, 1, padded(record.size) - record.size, file);
}

void host_record_write(FILE *file, uint32_t kind, uint32_t number, const void *payload, size_t size)
{
   host_record_write_two(file, kind, number, payload, size, NULL, 0);
}

void host_record_write_text(FILE *file, uint32_t kind, uint32_t number, const char *text)
{
   host_record_write(file, kind, number, text, strlen(text));
}

bool host_records_close(FILE *file)
{
   host_record_write(file, HOST_END, 0, "", 0);
   const bool written = !ferror(file);
   return fclose(file) == 0 && written;
}
