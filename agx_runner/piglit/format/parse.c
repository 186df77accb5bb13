/* SPDX-License-Identifier: MIT
 *
 * Parses a program test's file and its sections. Keys: key.c; arg_in and arg_out: argument.c.
 */
#include "agx_runner/piglit/format/parse.h"
#include "agx_runner/terminal/suggest.h"
#include "util/array.h"
#include "util/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds a test, which starts with the launch that [config] describes. */
static int add_test(struct piglit_parser *parser)
{
   struct piglit_file *file = parser->file;
   if (!ARRAY_RESERVE_ONE(file->tests, file->test_count)) {
      return piglit_no_memory(&parser->reader);
   }
   parser->test = &file->tests[file->test_count++];
   *parser->test = (struct piglit_test){.line = parser->line, .launch = file->launch};
   /* NULL means the string of [config], which has one owner. */
   parser->test->launch.kernel_name = NULL;
   return 0;
}

static int set_source(struct piglit_parser *parser, const char *text, size_t size)
{
   char *source = malloc(size + 1);

   if (source == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   memcpy(source, text, size);
   source[size] = 0;
   parser->file->source = source;
   parser->file->source_size = size;
   return 0;
}

/* Takes the text from here to the next section as the program. */
static int take_program(struct piglit_parser *parser, bool binary)
{
   struct piglit_reader *reader = &parser->reader;
   const char *start = reader->next;
   int ret = piglit_claim_program(parser);

   if (ret == 0) {
      ret = piglit_set_string(parser, &parser->file->source_name, parser->file->path);
   }
   if (ret < 0) {
      return ret;
   }
   while (reader->next < reader->end) {
      const char *newline = memchr(reader->next, '\n', (size_t)(reader->end - reader->next));
      const char *end = newline != NULL ? newline : reader->end;
      char line[64], *name;
      if ((size_t)(end - reader->next) < sizeof(line)) {
         snprintf(line, sizeof(line), "%.*s", (int)(end - reader->next), reader->next);
         if (piglit_split_section(line, &name)) {
            break;
         }
      }
      reader->next = newline != NULL ? newline + 1 : reader->end;
      reader->line++;
   }
   if (binary) {
      return 0;
   }
   return set_source(parser, start, (size_t)(reader->next - start));
}

struct sections {
   bool any, config, test;
};

static const char *const section_names[] = {"config", "test", "program source", "program binary"};

int piglit_unknown(struct piglit_parser *parser, const char *what, const char *word, const char *const *names,
                   size_t count)
{
   struct suggestion suggestion = {.word = word};
   char nearest[SUGGEST_TEXT], list[256] = "";

   for (size_t i = 0; i < count; i++) {
      const size_t used = strlen(list);

      suggest_offer(&suggestion, names[i], strlen(names[i]));
      snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
   }
   suggest_print(&suggestion, nearest);
   return suggestion.best[0] != '\0'
              ? piglit_error(&parser->reader, parser->line, "unknown %s \"%s\"%s", what, word, nearest)
              : piglit_error(&parser->reader, parser->line, "unknown %s \"%s\": expected %s", what, word, list);
}

static int parse_section(struct piglit_parser *parser, const char *name, struct sections *seen)
{
   if (strcmp(name, "config") == 0) {
      if (seen->config || seen->test) {
         return piglit_error(&parser->reader, parser->line,
                             seen->config ? "a second [config] section" : "[config] must stand before any [test]");
      }
      seen->config = seen->any = parser->file->configured = true;
      return 0;
   }
   if (strcmp(name, "test") == 0) {
      if (!seen->config) {
         return piglit_error(&parser->reader, parser->line, "[config] must stand before any [test]");
      }
      if (parser->file->expect_build_fail) {
         return piglit_error(&parser->reader, parser->line, "expect_build_fail leaves nothing to test");
      }
      seen->test = seen->any = true;
      return add_test(parser);
   }
   if (strcmp(name, "program source") == 0 || strcmp(name, "program binary") == 0) {
      seen->any = false;
      return take_program(parser, strcmp(name, "program binary") == 0);
   }
   return piglit_unknown(parser, "section", name, section_names, ARRAY_COUNT(section_names));
}

static int parse_line(struct piglit_parser *parser, char *text, struct sections *seen)
{
   char *name = NULL, *value = NULL;

   if (piglit_is_blank(text)) {
      return 0;
   }
   if (piglit_split_section(text, &name)) {
      return parse_section(parser, name, seen);
   }
   if (piglit_split_key(text, &name, &value)) {
      return seen->any ? piglit_parse_key(parser, name, value)
                       : piglit_error(&parser->reader, parser->line, "the key \"%s\" stands in no section", name);
   }
   if (value != NULL && *value == 0 && *name != 0) {
      return piglit_error(&parser->reader, parser->line, "the key \"%.40s\" has no value", name);
   }
   return piglit_error(&parser->reader, parser->line, "\"%.40s\": expected \"[section]\" or \"key: value\"",
                       piglit_trim(text));
}

static int parse_configuration(struct piglit_parser *parser)
{
   struct sections seen = {0};
   char *text;
   int ret;

   while ((ret = piglit_read_line(&parser->reader, &text, &parser->line)) == 1) {
      ret = parse_line(parser, text, &seen);
      free(text);
      if (ret < 0) {
         return ret;
      }
   }
   if (ret == 0 && !seen.config) {
      ret = piglit_error(&parser->reader, parser->line, "there is no [config] section");
   }
   return ret;
}

/* Checks what involves several lines. */
static int check_file(struct piglit_parser *parser)
{
   struct piglit_file *file = parser->file;

   if (file->clc_version_max > 0 && file->clc_version_max < file->clc_version_min) {
      return piglit_error(&parser->reader, 1, "clc_version_max %d is lower than clc_version_min %d",
                          (int)file->clc_version_max, (int)file->clc_version_min);
   }
   if (file->expect_build_fail && file->launch.kernel_name != NULL) {
      return piglit_error(&parser->reader, 1, "kernel_name has no meaning beside expect_build_fail");
   }
   if (file->source_name == NULL) {
      return piglit_error(&parser->reader, 1, "there is no program: no [program source] and no program_source_file");
   }
   for (size_t i = 0; i < file->test_count; i++) {
      if (file->tests[i].launch.kernel_name == NULL && file->launch.kernel_name == NULL) {
         return piglit_error(&parser->reader, file->tests[i].line, "the test has no kernel_name, nor has [config]");
      }
   }
   return 0;
}

/* Parses a .cl file, which is its own program. Its configuration is in a comment; a file without one is no test. */
static int parse_source_file(struct piglit_parser *parser, const char *text, size_t size)
{
   struct piglit_file *file = parser->file;
   const char *start = memmem(text, size, "/*!", 3);

   int ret = piglit_set_string(parser, &file->source_name, file->path);
   if (ret == 0) {
      ret = set_source(parser, text, size);
   }
   if (ret < 0 || start == NULL) {
      return ret;
   }
   for (const char *c = text; c < start; c++) {
      parser->reader.line += *c == '\n';
   }
   start += 3;
   const char *end = memmem(start, size - (size_t)(start - text), "!*/", 3);
   if (end == NULL) {
      return piglit_error(&parser->reader, parser->reader.line, "the configuration comment has no end \"!*/\"");
   }
   parser->reader.next = start;
   parser->reader.end = end;
   return parse_configuration(parser);
}

static int parse_file(struct piglit_parser *parser, const char *text, size_t size)
{
   int ret;

   if (util_has_suffix(parser->file->path, ".cl") || util_has_suffix(parser->file->path, ".comp")) {
      ret = parse_source_file(parser, text, size);
   } else if (util_has_suffix(parser->file->path, ".program_test")) {
      parser->reader.next = text;
      parser->reader.end = text + size;
      ret = parse_configuration(parser);
   } else {
      return piglit_error(&parser->reader, 1, "not a program test: expected a name ending in .cl or .program_test");
   }
   return ret == 0 ? check_file(parser) : ret;
}

int piglit_file_parse(const char *path, const char *text, size_t size, struct piglit_file **out, char *message,
                      size_t message_size)
{
   struct piglit_parser parser = {
       .reader = {.path = path, .line = 1, .message = message, .message_size = message_size},
       .line = 1,
       .file = calloc(1, sizeof(*parser.file)),
   };

   *out = NULL;
   if (parser.file == NULL || (parser.file->path = strdup(path)) == NULL) {
      free(parser.file);
      return piglit_no_memory(&parser.reader);
   }
   /* Piglit's defaults: one work-item in a group of one. */
   parser.file->launch = (struct piglit_launch){
       .dimensions = 1,
       .global_size = {1, 1, 1},
       .local_size = {1, 1, 1},
   };
   int ret = parse_file(&parser, text, size);
   if (ret < 0) {
      piglit_file_destroy(parser.file);
      return ret;
   }
   *out = parser.file;
   return 0;
}

int piglit_file_load(const char *path, struct piglit_file **out, char *message, size_t message_size)
{
   char *text;
   size_t size;

   *out = NULL;
   int ret = piglit_read_file(path, &text, &size);
   if (ret < 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-ret));
      return ret;
   }
   ret = piglit_file_parse(path, text, size, out, message, message_size);
   free(text);
   return ret;
}

void piglit_file_destroy(struct piglit_file *file)
{
   if (file == NULL) {
      return;
   }
   for (size_t i = 0; i < file->test_count; i++) {
      free(file->tests[i].name);
      free(file->tests[i].launch.kernel_name);
      piglit_arguments_finish(&file->tests[i].in);
      piglit_arguments_finish(&file->tests[i].out);
   }
   free(file->tests);
   free(file->launch.kernel_name);
   free(file->platform_regex);
   free(file->device_regex);
   free(file->require_platform_extensions);
   free(file->require_device_extensions);
   free(file->build_options);
   free(file->source_name);
   free(file->source);
   free(file->name);
   free(file->path);
   free(file);
}
