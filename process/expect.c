/* SPDX-License-Identifier: MIT
 *
 * Reads expectation files. Reading ends at the first malformed line.
 */
#include "process/expect.h"

#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

#include "util/array.h"

struct fail {
   char *name;
   const char *status; /* one of the caller's words */
};

struct patterns {
   regex_t *list;
   size_t count;
};

struct expectations {
   struct fail *fails;
   size_t fail_count;
   struct patterns skips, flakes;
};

/* A file that is being read. */
struct reader {
   struct expectations *expectations;
   enum expect_file kind;
   const char *path;
   unsigned line;
   const char *const *statuses;
   char *message;
   size_t message_size;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct reader *reader, const char *format, ...)
{
   const int used = snprintf(reader->message, reader->message_size, "%s:%u: ", reader->path, reader->line);
   va_list arguments;

   if (used >= 0 && (size_t)used < reader->message_size) {
      va_start(arguments, format);
      vsnprintf(reader->message + used, reader->message_size - (size_t)used, format, arguments);
      va_end(arguments);
   }
   return -EINVAL;
}

static int no_memory(const struct reader *reader)
{
   snprintf(reader->message, reader->message_size, "out of memory");
   return -ENOMEM;
}

static const char *find_status(const struct reader *reader, const char *word)
{
   for (const char *const *status = reader->statuses; *status != NULL; status++) {
      if (strcasecmp(word, *status) == 0) {
         return *status;
      }
   }
   return NULL;
}

static int wrong_status(const struct reader *reader)
{
   char list[128] = "";

   for (const char *const *status = reader->statuses; *status != NULL; status++) {
      const size_t used = strlen(list);
      const char *before = status == reader->statuses ? "" : status[1] == NULL ? " or " : ", ";
      snprintf(list + used, sizeof(list) - used, "%s%s", before, *status);
   }
   return wrong(reader, "expected \"NAME,STATUS\" with %s", list);
}

static int add_fail(const struct reader *reader, char *line)
{
   struct expectations *expectations = reader->expectations;
   /* names may contain commas, statuses may not */
   char *comma = strrchr(line, ',');
   const char *status = comma != NULL && comma != line ? find_status(reader, comma + 1) : NULL;

   if (status == NULL) {
      return wrong_status(reader);
   }
   *comma = '\0';
   char *name = strdup(line);
   if (name == NULL || !ARRAY_RESERVE_ONE(expectations->fails, expectations->fail_count)) {
      free(name);
      return no_memory(reader);
   }
   expectations->fails[expectations->fail_count++] = (struct fail){.name = name, .status = status};
   return 0;
}

static int add_pattern(const struct reader *reader, const char *line, struct patterns *patterns)
{
   char why[128];

   if (!ARRAY_RESERVE_ONE(patterns->list, patterns->count)) {
      return no_memory(reader);
   }
   const int ret = regcomp(&patterns->list[patterns->count], line, REG_EXTENDED | REG_NOSUB);
   if (ret != 0) {
      regerror(ret, &patterns->list[patterns->count], why, sizeof(why));
      return wrong(reader, "%s: %s", line, why);
   }
   patterns->count++;
   return 0;
}

static int add_line(const struct reader *reader, char *line, size_t length)
{
   if (strlen(line) != length) {
      return wrong(reader, "not text: there is a NUL byte in it");
   }
   while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL) {
      line[--length] = '\0';
   }
   if (length == 0 || line[0] == '#') {
      return 0;
   }
   return reader->kind == EXPECT_FAILS   ? add_fail(reader, line)
          : reader->kind == EXPECT_SKIPS ? add_pattern(reader, line, &reader->expectations->skips)
                                         : add_pattern(reader, line, &reader->expectations->flakes);
}

int expectations_load(struct expectations *expectations, enum expect_file kind, const char *path,
                      const char *const *statuses, char *message, size_t message_size)
{
   struct reader reader = {expectations, kind, path, 0, statuses, message, message_size};
   FILE *file = fopen(path, "re");
   char *line = NULL;
   size_t room = 0;
   ssize_t length;
   int error = file == NULL ? -errno : 0;

   while (error == 0 && (length = getline(&line, &room, file)) >= 0) {
      reader.line++;
      error = add_line(&reader, line, (size_t)length);
      if (error != 0) {
         goto out;
      }
   }
   if (error == 0 && ferror(file)) {
      error = -EIO;
   }
   if (error != 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-error));
   }
out:
   free(line);
   if (file != NULL) {
      fclose(file);
   }
   return error;
}

struct expectations *expectations_create(void)
{
   return calloc(1, sizeof(struct expectations));
}

static void patterns_finish(struct patterns *patterns)
{
   for (size_t i = 0; i < patterns->count; i++) {
      regfree(&patterns->list[i]);
   }
   free(patterns->list);
}

void expectations_destroy(struct expectations *expectations)
{
   if (expectations == NULL) {
      return;
   }
   for (size_t i = 0; i < expectations->fail_count; i++) {
      free(expectations->fails[i].name);
   }
   free(expectations->fails);
   patterns_finish(&expectations->skips);
   patterns_finish(&expectations->flakes);
   free(expectations);
}

static bool matches(const struct patterns *patterns, const char *name)
{
   for (size_t i = 0; i < patterns->count; i++) {
      if (regexec(&patterns->list[i], name, 0, NULL, 0) == 0) {
         return true;
      }
   }
   return false;
}

bool expect_skip(const struct expectations *expectations, const char *name)
{
   return expectations != NULL && matches(&expectations->skips, name);
}

bool expect_flake(const struct expectations *expectations, const char *name)
{
   return expectations != NULL && matches(&expectations->flakes, name);
}

const char *expect_fail(const struct expectations *expectations, const char *name)
{
   for (size_t i = 0; expectations != NULL && i < expectations->fail_count; i++) {
      if (strcmp(expectations->fails[i].name, name) == 0) {
         return expectations->fails[i].status;
      }
   }
   return NULL;
}
