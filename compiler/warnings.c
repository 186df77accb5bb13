/* SPDX-License-Identifier: MIT
 *
 * Reads clang's diagnostics from a file in memory and adds them to the log of a result. Invariant: the compilation
 * succeeds or fails alike, whether or not there are warnings to read.
 */
#include "compiler/warnings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/result.h"

int compiler_warnings_init(struct compiler_warnings *warnings)
{
   warnings->fd = memfd_create("warnings", MFD_CLOEXEC);
   if (warnings->fd < 0) {
      return -errno;
   }
   snprintf(warnings->path, sizeof(warnings->path), "/proc/self/fd/%d", warnings->fd);
   return 0;
}

void compiler_warnings_finish(struct compiler_warnings *warnings)
{
   close(warnings->fd);
}

/* The file is a property list, one line an element: <key>line</key>, then <integer>4</integer>. */
struct message {
   char level[16], file[1024], line[16], column[16], text[4096];
};

/* Copies what stands between the first '>' and the last '<', resolving the five entities of XML. */
static void copy_value(char *to, size_t size, const char *line)
{
   static const struct {
      const char *name;
      char meaning;
   } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}, {"&quot;", '"'}};
   const char *in = strchr(line, '>');
   const char *end = strrchr(line, '<');
   size_t length = 0;

   for (in = in != NULL ? in + 1 : end; in < end && length + 1 < size; length++) {
      to[length] = *in;
      size_t taken = 1;
      for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
         if (strncmp(in, entities[i].name, strlen(entities[i].name)) == 0) {
            to[length] = entities[i].meaning;
            taken = strlen(entities[i].name);
         }
      }
      in += taken;
   }
   to[length] = 0;
}

static void read_field(struct message *message, const char *key, const char *value)
{
   const struct {
      const char *key;
      char *to;
      size_t size;
   } fields[] = {
       {"<key>level</key>", message->level, sizeof(message->level)},
       {"<key>filename</key>", message->file, sizeof(message->file)},
       {"<key>line</key>", message->line, sizeof(message->line)},
       {"<key>column</key>", message->column, sizeof(message->column)},
       {"<key>message</key>", message->text, sizeof(message->text)},
   };

   for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
      if (strstr(key, fields[i].key) != NULL) {
         copy_value(fields[i].to, fields[i].size, value);
      }
   }
}

static void log_file(FILE *file, struct compiler_result *result)
{
   struct message message = {0};
   char *line = NULL, *value = NULL;
   size_t line_size = 0, value_size = 0;

   while (getline(&line, &line_size, file) > 0) {
      if (strstr(line, "<key>") != NULL && getline(&value, &value_size, file) > 0) {
         read_field(&message, line, value);
      } else if (strstr(line, "</dict>") != NULL && message.text[0] != 0) {
         compiler_log(result, "%s:%s:%s: %s: %s\n", message.file, message.line, message.column, message.level,
                      message.text);
         message = (struct message){0};
      }
   }
   free(line);
   free(value);
}

void compiler_warnings_log(const struct compiler_warnings *warnings, struct compiler_result *result)
{
   FILE *file = fopen(warnings->path, "r");

   if (file != NULL) {
      log_file(file, result);
      fclose(file);
   }
}
