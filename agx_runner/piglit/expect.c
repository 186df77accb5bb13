/* SPDX-License-Identifier: MIT */
#include "agx_runner/piglit/expect.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agx_runner/piglit/text.h"

struct fail {
   char *name;
   enum piglit_status status;
};

struct patterns {
   regex_t *list;
   size_t count;
};

struct piglit_expectations {
   struct fail *fails;
   size_t fail_count;
   struct patterns skips, flakes;
};

static int parse_status(const char *word, enum piglit_status *status)
{
   static const enum piglit_status failures[] = {PIGLIT_FAIL, PIGLIT_CRASH, PIGLIT_TIMEOUT, PIGLIT_WARN};

   for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
      if (strcasecmp(word, piglit_status_name(failures[i])) == 0) {
         *status = failures[i];
         return 0;
      }
   }
   return -EINVAL;
}

static int add_fail(struct piglit_reader *reader, char *line, void *data)
{
   struct piglit_expectations *expectations = data;
   /* Names hold commas, statuses do not. */
   char *comma = strrchr(line, ',');
   enum piglit_status status;

   if (comma == NULL || comma == line || parse_status(comma + 1, &status) < 0) {
      return piglit_error(reader, reader->line - 1, "expected \"NAME,STATUS\" with Fail, Crash, Timeout or Warn");
   }
   *comma = 0;
   struct fail *grown = realloc(expectations->fails, (expectations->fail_count + 1) * sizeof(*grown));
   char *name = strdup(line);
   if (grown != NULL) {
      expectations->fails = grown;
   }
   if (grown == NULL || name == NULL) {
      free(name);
      return piglit_no_memory(reader);
   }
   grown[expectations->fail_count++] = (struct fail){.name = name, .status = status};
   return 0;
}

static int add_pattern(struct piglit_reader *reader, char *line, void *data)
{
   struct patterns *patterns = data;
   regex_t *grown = realloc(patterns->list, (patterns->count + 1) * sizeof(*grown));
   char why[128];

   if (grown == NULL) {
      return piglit_no_memory(reader);
   }
   patterns->list = grown;
   int ret = regcomp(&grown[patterns->count], line, REG_EXTENDED | REG_NOSUB);
   if (ret != 0) {
      regerror(ret, &grown[patterns->count], why, sizeof(why));
      return piglit_error(reader, reader->line - 1, "%s: %s", line, why);
   }
   patterns->count++;
   return 0;
}

/* Each line that is no comment goes to `add`. */
static int parse_lines(struct piglit_reader *reader, int (*add)(struct piglit_reader *, char *, void *), void *data)
{
   int ret = 0;

   while (ret == 0 && reader->next < reader->end) {
      size_t length = strcspn(reader->next, "\n");
      char *line = strndup(reader->next, length);
      reader->next += reader->next[length] == '\n' ? length + 1 : length;
      reader->line++;
      if (line == NULL) {
         return piglit_no_memory(reader);
      }
      while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL) {
         line[--length] = 0;
      }
      if (length > 0 && line[0] != '#') {
         ret = add(reader, line, data);
      }
      free(line);
   }
   return ret;
}

static int load_file(const char *folder, const char *name, int (*add)(struct piglit_reader *, char *, void *),
                     void *data, char *message, size_t message_size)
{
   char *path, *text;
   size_t size;

   if (asprintf(&path, "%s/%s", folder, name) < 0) {
      snprintf(message, message_size, "out of memory");
      return -ENOMEM;
   }
   int ret = piglit_read_file(path, &text, &size);
   if (ret == -ENOENT) {
      ret = 0;
   } else if (ret < 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-ret));
   } else {
      struct piglit_reader reader = {.path = path,
                                     .next = text,
                                     .end = text + strlen(text),
                                     .line = 1,
                                     .message = message,
                                     .message_size = message_size};
      ret = reader.end == text + size ? parse_lines(&reader, add, data)
                                      : piglit_error(&reader, 1, "not text: there is a NUL byte in it");
      free(text);
   }
   free(path);
   return ret;
}

int piglit_expectations_load(const char *folder, struct piglit_expectations **out, char *message, size_t message_size)
{
   struct piglit_expectations *expectations = calloc(1, sizeof(*expectations));

   *out = NULL;
   if (expectations == NULL) {
      snprintf(message, message_size, "out of memory");
      return -ENOMEM;
   }
   int ret = load_file(folder, "fails.txt", add_fail, expectations, message, message_size);
   if (ret == 0) {
      ret = load_file(folder, "skips.txt", add_pattern, &expectations->skips, message, message_size);
   }
   if (ret == 0) {
      ret = load_file(folder, "flakes.txt", add_pattern, &expectations->flakes, message, message_size);
   }
   if (ret < 0) {
      piglit_expectations_destroy(expectations);
      return ret;
   }
   *out = expectations;
   return 0;
}

static void patterns_finish(struct patterns *patterns)
{
   for (size_t i = 0; i < patterns->count; i++) {
      regfree(&patterns->list[i]);
   }
   free(patterns->list);
}

void piglit_expectations_destroy(struct piglit_expectations *expectations)
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

bool piglit_expect_skip(const struct piglit_expectations *expectations, const char *name)
{
   return expectations != NULL && matches(&expectations->skips, name);
}

enum piglit_verdict piglit_expect(const struct piglit_expectations *expectations, const char *name,
                                  enum piglit_status status)
{
   const bool good = status == PIGLIT_PASS || status == PIGLIT_SKIP;
   const struct fail *fail = NULL;

   for (size_t i = 0; expectations != NULL && i < expectations->fail_count && fail == NULL; i++) {
      fail = strcmp(expectations->fails[i].name, name) == 0 ? &expectations->fails[i] : NULL;
   }
   if (fail != NULL ? fail->status == status : good) {
      return PIGLIT_EXPECTED;
   }
   if (expectations != NULL && matches(&expectations->flakes, name)) {
      return PIGLIT_FLAKE;
   }
   return good ? PIGLIT_IMPROVED : PIGLIT_UNEXPECTED;
}
