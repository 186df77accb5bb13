/* SPDX-License-Identifier: MIT
 *
 * Reads clang's messages from a file in memory. Invariant: whether the compilation succeeds does not depend on them.
 */
#include "compiler/front_end/diagnostics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/api/result.h"
#include "util/array.h"

int compiler_diagnostics_init(struct compiler_diagnostics *diagnostics)
{
   diagnostics->fd = memfd_create("diagnostics", MFD_CLOEXEC);
   if (diagnostics->fd < 0) {
      return -errno;
   }
   snprintf(diagnostics->path, sizeof(diagnostics->path), "/proc/self/fd/%d", diagnostics->fd);
   return 0;
}

void compiler_diagnostics_finish(struct compiler_diagnostics *diagnostics)
{
   close(diagnostics->fd);
}

/* The file is a property list, one element a line: <key>line</key>, then <integer>4</integer>. */

/* Copies the text between the first '>' and the last '<', and resolves the five entities of XML. */
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
      for (size_t i = 0; i < ARRAY_COUNT(entities); i++) {
         if (strncmp(in, entities[i].name, strlen(entities[i].name)) == 0) {
            to[length] = entities[i].meaning;
            taken = strlen(entities[i].name);
         }
      }
      in += taken;
   }
   to[length] = 0;
}

static void read_field(struct compiler_diagnostic *message, const char *key, const char *value)
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

   for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
      if (strstr(key, fields[i].key) != NULL) {
         copy_value(fields[i].to, fields[i].size, value);
      }
   }
}

static void read_file(FILE *file, compiler_diagnostic_visit *visit, void *data)
{
   struct compiler_diagnostic message = {0};
   char *line = NULL, *value = NULL;
   size_t line_size = 0, value_size = 0;

   while (getline(&line, &line_size, file) > 0) {
      if (strstr(line, "<key>") != NULL && getline(&value, &value_size, file) > 0) {
         read_field(&message, line, value);
      } else if (strstr(line, "</dict>") != NULL && message.text[0] != 0) {
         visit(data, &message);
         message = (struct compiler_diagnostic){0};
      }
   }
   free(line);
   free(value);
}

void compiler_diagnostics_each(const struct compiler_diagnostics *diagnostics, compiler_diagnostic_visit *visit,
                               void *data)
{
   FILE *file = fopen(diagnostics->path, "r");

   if (file != NULL) {
      read_file(file, visit, data);
      fclose(file);
   }
}

bool compiler_diagnostic_is_error(const struct compiler_diagnostic *diagnostic)
{
   return strstr(diagnostic->level, "error") != NULL; /* or "fatal error" */
}

/* A message without a place is about the command or the whole file. */
static void log_diagnostic(void *result, const struct compiler_diagnostic *diagnostic)
{
   if (diagnostic->file[0] != '\0') {
      compiler_log(result, "%s:%s:%s: ", diagnostic->file, diagnostic->line, diagnostic->column);
   }
   compiler_log(result, "%s: %s\n", diagnostic->level, diagnostic->text);
}

void compiler_diagnostics_log(const struct compiler_diagnostics *diagnostics, struct compiler_result *result)
{
   compiler_diagnostics_each(diagnostics, log_diagnostic, result);
}
