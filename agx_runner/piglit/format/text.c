/* SPDX-License-Identifier: MIT
 *
 * Reads lines, sections, keys and words of a program test. Invariant: a message about a line starts with the file and
 * the line.
 */
#include "agx_runner/piglit/format/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/array.h"
#include "util/file.h"

/* The largest of Piglit's tests has 300 KB. */
#define MAX_FILE_BYTES (64u << 20)

int piglit_verror(struct piglit_reader *reader, unsigned line, const char *format, va_list arguments)
{
   int length = snprintf(reader->message, reader->message_size, "%s:%u: ", reader->path, line);

   if (length >= 0 && (size_t)length < reader->message_size) {
      vsnprintf(reader->message + length, reader->message_size - (size_t)length, format, arguments);
   }
   return -EINVAL;
}

int piglit_error(struct piglit_reader *reader, unsigned line, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   int ret = piglit_verror(reader, line, format, arguments);
   va_end(arguments);
   return ret;
}

int piglit_no_memory(struct piglit_reader *reader)
{
   snprintf(reader->message, reader->message_size, "%s: out of memory", reader->path);
   return -ENOMEM;
}

bool piglit_is_blank(const char *text)
{
   return text[strspn(text, " \t\r\v\f")] == 0;
}

char *piglit_trim(char *text)
{
   while (isspace((unsigned char)*text)) {
      text++;
   }
   size_t length = strlen(text);
   while (length > 0 && isspace((unsigned char)text[length - 1])) {
      length--;
   }
   text[length] = 0;
   return text;
}

/* Takes one line of the file, without its comment, and consumes its end of line. */
static void take_line(struct piglit_reader *reader, const char **start, size_t *length)
{
   const char *line = reader->next;
   size_t left = (size_t)(reader->end - line);
   const char *newline = memchr(line, '\n', left);
   size_t whole = newline != NULL ? (size_t)(newline - line) : left;
   const char *comment = memchr(line, '#', whole);

   *start = line;
   *length = comment != NULL ? (size_t)(comment - line) : whole;
   reader->next = line + whole + (newline != NULL);
   reader->line++;
}

/* Whether the line continues; *length then excludes the backslash. */
static bool take_backslash(const char *start, size_t *length)
{
   size_t end = *length;

   while (end > 0 && isspace((unsigned char)start[end - 1])) {
      end--;
   }
   if (end == 0 || start[end - 1] != '\\') {
      return false;
   }
   *length = end - 1;
   return true;
}

int piglit_read_line(struct piglit_reader *reader, char **text, unsigned *line)
{
   const char *start;
   size_t length, used = 0, room = 0;
   bool more = true;

   if (reader->next >= reader->end) {
      return 0;
   }
   *line = reader->line;
   *text = NULL;
   while (more && reader->next < reader->end) {
      take_line(reader, &start, &length);
      more = take_backslash(start, &length);
      if (!ARRAY_RESERVE(*text, room, used + length + 2)) {
         free(*text);
         return piglit_no_memory(reader);
      }
      memcpy(*text + used, start, length);
      used += length;
      (*text)[used++] = ' ';
   }
   (*text)[used] = 0;
   if (memchr(*text, 0, used) != NULL) {
      free(*text);
      return piglit_error(reader, *line, "not text: there is a NUL byte in it");
   }
   return 1;
}

bool piglit_split_section(char *text, char **name)
{
   text = piglit_trim(text);
   size_t length = strlen(text);

   if (length < 3 || text[0] != '[' || text[length - 1] != ']') {
      return false;
   }
   text[length - 1] = 0;
   *name = piglit_trim(text + 1);
   for (const char *c = *name; *c != 0; c++) {
      if (!isalnum((unsigned char)*c) && *c != '_' && !isspace((unsigned char)*c)) {
         text[length - 1] = ']';
         return false;
      }
   }
   return **name != 0;
}

bool piglit_split_key(char *text, char **key, char **value)
{
   char *colon = strchr(text, ':');

   if (colon == NULL) {
      return false;
   }
   *colon = 0;
   *key = piglit_trim(text);
   *value = piglit_trim(colon + 1);
   bool is_key = **key != 0 && **value != 0;
   for (const char *c = *key; *c != 0; c++) {
      is_key &= isalnum((unsigned char)*c) || *c == '_';
   }
   return is_key;
}

char *piglit_next_word(char **text)
{
   char *word = *text;

   while (isspace((unsigned char)*word)) {
      word++;
   }
   char *end = word;
   while (*end != 0 && !isspace((unsigned char)*end)) {
      end++;
   }
   *text = *end != 0 ? end + 1 : end;
   *end = 0;
   return word;
}

int piglit_read_file(const char *path, char **text, size_t *size)
{
   struct stat status;
   int ret = 0;

   int fd = open(path, O_RDONLY | O_CLOEXEC);
   if (fd < 0) {
      return -errno;
   }
   if (fstat(fd, &status) < 0) {
      ret = -errno;
   } else if (S_ISDIR(status.st_mode)) {
      ret = -EISDIR;
   } else if (!S_ISREG(status.st_mode)) {
      ret = -EINVAL;
   } else if ((uintmax_t)status.st_size > MAX_FILE_BYTES) {
      ret = -EFBIG;
   }
   if (ret == 0) {
      *text = malloc((size_t)status.st_size + 1);
      ret = *text != NULL ? util_read_all(fd, *text, (size_t)status.st_size, size) : -ENOMEM;
      if (ret < 0) {
         free(*text);
      } else {
         (*text)[*size] = 0;
      }
   }
   close(fd);
   return ret;
}

char *piglit_path_beside(const char *path, const char *name)
{
   const char *slash = strrchr(path, '/');
   size_t folder = slash != NULL && name[0] != '/' ? (size_t)(slash + 1 - path) : 0;
   char *beside = malloc(folder + strlen(name) + 1);

   if (beside != NULL) {
      memcpy(beside, path, folder);
      strcpy(beside + folder, name);
   }
   return beside;
}
