/* SPDX-License-Identifier: MIT
 *
 * The journal is append-only. A line that a crash cut off is removed when the run is resumed.
 */
#include "process/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"

#define LOCK_TRIES 100
#define LOCK_PAUSE_NS 50000000

/* The contents of each kind of line after its first word. */
static const struct {
   const char *word;
   bool index, try, text;
} kinds[JOURNAL_KINDS] = {
    [JOURNAL_RUN] = {"run", false, false, true},
    [JOURNAL_DIRECTORY] = {"directory", false, false, true},
    [JOURNAL_BEGIN] = {"begin", true, true, true},
    [JOURNAL_RESULT] = {"result", true, true, true},
    [JOURNAL_INTERRUPTED] = {"interrupted", true, false, false},
};

/* Workers inherit the lock, so that it lasts until the last of them has ended. */
static int lock(int fd)
{
   for (int i = 0; i < LOCK_TRIES; i++) {
      if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
         return 0;
      }
      if (errno != EWOULDBLOCK) {
         return -errno;
      }
      nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
   }
   return -EWOULDBLOCK;
}

/* Returns the offset of the end of the last whole line. */
static off_t whole_lines(int fd)
{
   char bytes[4096];

   for (off_t end = lseek(fd, 0, SEEK_END); end > 0;) {
      const size_t size = end < (off_t)sizeof(bytes) ? (size_t)end : sizeof(bytes);
      const off_t start = end - (off_t)size;

      if (pread(fd, bytes, size, start) != (ssize_t)size) {
         return -1;
      }
      const char *newline = memrchr(bytes, '\n', size);
      if (newline != NULL) {
         return start + (newline - bytes) + 1;
      }
      end = start;
   }
   return 0;
}

static int open_locked(struct journal *journal, const char *path, int flags)
{
   journal->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
   if (journal->fd < 0) {
      return -errno;
   }
   const int error = lock(journal->fd);
   if (error < 0) {
      journal_close(journal);
   }
   return error;
}

int journal_create(struct journal *journal, const char *path)
{
   return open_locked(journal, path, O_CREAT | O_EXCL);
}

int journal_continue(struct journal *journal, const char *path)
{
   int error = open_locked(journal, path, 0);
   if (error < 0) {
      return error;
   }
   const off_t end = whole_lines(journal->fd);
   if (end < 0 || ftruncate(journal->fd, end) < 0) {
      error = end < 0 ? -EIO : -errno;
      journal_close(journal);
   }
   return error;
}

void journal_close(struct journal *journal)
{
   if (journal->fd >= 0) {
      close(journal->fd);
   }
   journal->fd = -1;
}

int journal_append(const struct journal *journal, enum journal_sync when, const char *format, ...)
{
   va_list arguments;
   char *line;

   va_start(arguments, format);
   int length = vasprintf(&line, format, arguments);
   va_end(arguments);
   if (length < 0) {
      return -ENOMEM;
   }
   line[length] = '\n'; /* in place of the final zero: the length is known */
   const int error = util_write_all(journal->fd, line, (size_t)length + 1);
   free(line);
   return error < 0 || when == JOURNAL_LATER ? error : journal_sync(journal);
}

int journal_sync(const struct journal *journal)
{
   /* EINVAL: a pipe or a device cannot be synced */
   return fdatasync(journal->fd) < 0 && errno != EINVAL ? -errno : 0;
}

static bool read_number(char **rest, size_t *value)
{
   char *end, *text = strsep(rest, " ");

   if (text == NULL || text[0] < '0' || text[0] > '9') {
      return false;
   }
   errno = 0;
   *value = strtoull(text, &end, 10);
   return errno == 0 && *end == '\0';
}

static bool parse(char *line, struct journal_entry *entry)
{
   char *rest = line;
   const char *word = strsep(&rest, " ");
   size_t try = 0;

   *entry = (struct journal_entry){.kind = 0};
   while (entry->kind < JOURNAL_KINDS && strcmp(kinds[entry->kind].word, word) != 0) {
      entry->kind++;
   }
   if (entry->kind == JOURNAL_KINDS || (kinds[entry->kind].index && !read_number(&rest, &entry->index)) ||
       (kinds[entry->kind].try && (!read_number(&rest, &try) || try == 0))) {
      return false;
   }
   entry->try = (unsigned)try;
   entry->text = rest;
   return (rest != NULL) == kinds[entry->kind].text;
}

int journal_read(const struct journal *journal, int (*each)(void *data, const struct journal_entry *entry), void *data,
                 size_t *damaged)
{
   const int fd = dup(journal->fd);
   FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
   char *line = NULL;
   size_t room = 0;
   ssize_t length;
   int error = 0;

   *damaged = 0;
   if (file == NULL) {
      error = -errno;
      if (fd >= 0) {
         close(fd);
      }
      return error;
   }
   rewind(file);
   while (error == 0 && (length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
      struct journal_entry entry;

      line[length - 1] = '\0';
      if (parse(line, &entry)) {
         error = each(data, &entry);
      } else {
         ++*damaged;
      }
   }
   if (error == 0 && ferror(file)) {
      error = -EIO;
   }
   free(line);
   fclose(file);
   return error;
}
