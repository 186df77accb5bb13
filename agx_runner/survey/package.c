/* SPDX-License-Identifier: MIT
 *
 * Writes and reads the archive of a survey with libarchive.
 */
#include "agx_runner/survey/package.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

#define ENTRY_MAX (64u << 20) /* bytes that are read of an archive */
#define READ_LEAST 4096u      /* bytes that are asked for at a time, and a zero byte */

int package_add(struct package *package, const char *name, char *data, size_t size)
{
   if (!ARRAY_RESERVE_ONE(package->entries, package->count)) {
      free(data);
      return -ENOMEM;
   }
   struct package_entry *entry = &package->entries[package->count++];
   *entry = (struct package_entry){.data = data, .size = size};
   snprintf(entry->name, sizeof(entry->name), "%s", name);
   return 0;
}

void package_finish(struct package *package)
{
   for (size_t i = 0; i < package->count; i++) {
      free(package->entries[i].data);
   }
   free(package->entries);
   *package = (struct package){0};
}

static int write_entries(struct archive *out, const struct package *package, long long time)
{
   struct archive_entry *header = archive_entry_new();
   int ret = header == NULL ? ARCHIVE_FATAL : ARCHIVE_OK;

   for (size_t i = 0; ret == ARCHIVE_OK && i < package->count; i++) {
      const struct package_entry *entry = &package->entries[i];

      archive_entry_clear(header);
      archive_entry_set_pathname(header, entry->name);
      archive_entry_set_size(header, (la_int64_t)entry->size);
      archive_entry_set_filetype(header, AE_IFREG);
      archive_entry_set_perm(header, 0644);
      archive_entry_set_mtime(header, (time_t)time, 0);
      ret = archive_write_header(out, header);
      if (ret == ARCHIVE_OK && archive_write_data(out, entry->data, entry->size) != (la_ssize_t)entry->size) {
         ret = ARCHIVE_FATAL;
      }
   }
   archive_entry_free(header);
   return ret;
}

int package_write(const struct package *package, const char *path, long long time)
{
   char temporary[512];
   struct archive *out = archive_write_new();
   int ret = ARCHIVE_FATAL, code = EXIT_OK;

   if (out == NULL || (size_t)snprintf(temporary, sizeof(temporary), "%s.new", path) >= sizeof(temporary)) {
      archive_write_free(out);
      return complain(EXIT_FAILED, "%s: out of memory, or the name is too long", path);
   }
   if (archive_write_set_format_pax_restricted(out) == ARCHIVE_OK && archive_write_add_filter_zstd(out) == ARCHIVE_OK) {
      ret = archive_write_open_filename(out, temporary);
   }
   ret = ret == ARCHIVE_OK ? write_entries(out, package, time) : ret;
   if (ret != ARCHIVE_OK || archive_write_close(out) != ARCHIVE_OK) {
      const char *why = archive_error_string(out);
      code = complain(EXIT_FAILED, "%s: %s", temporary, why != NULL ? why : "cannot be written");
      unlink(temporary);
   } else if (rename(temporary, path) < 0) {
      code = complain(EXIT_FAILED, "%s: %s", path, strerror(errno));
   }
   archive_write_free(out);
   return code;
}

/* Reads the data of the current entry. */
static char *read_data(struct archive *in, size_t *size)
{
   char *data = NULL;
   size_t used = 0, room = 0;

   for (;;) {
      if (used > ENTRY_MAX || !ARRAY_RESERVE(data, room, used + READ_LEAST)) {
         free(data);
         return NULL;
      }
      const la_ssize_t n = archive_read_data(in, data + used, room - used - 1);
      if (n < 0) {
         free(data);
         return NULL;
      }
      if (n == 0) {
         data[used] = '\0';
         *size = used;
         return data;
      }
      used += (size_t)n;
   }
}

char *package_read_entry(const char *path, const char *name, size_t *size)
{
   struct archive *in = archive_read_new();
   struct archive_entry *header;
   char *data = NULL;
   bool found = false;

   if (in == NULL) {
      complain(EXIT_FAILED, "out of memory");
      return NULL;
   }
   archive_read_support_format_tar(in);
   archive_read_support_filter_zstd(in);
   if (archive_read_open_filename(in, path, 65536) == ARCHIVE_OK) {
      while (!found && archive_read_next_header(in, &header) == ARCHIVE_OK) {
         const char *entry = archive_entry_pathname(header);

         found = entry != NULL && !strcmp(entry, name);
      }
      data = found ? read_data(in, size) : NULL;
   }
   if (data == NULL) {
      const char *why = archive_error_string(in);
      complain(EXIT_INVALID, "%s: %s", path, why != NULL ? why : "this is no archive of a survey");
   }
   archive_read_free(in);
   return data;
}
