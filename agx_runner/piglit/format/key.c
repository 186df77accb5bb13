/* SPDX-License-Identifier: MIT
 *
 * The keys of [config] and [test]. arg_in and arg_out: argument.c.
 */
#include "agx_runner/piglit/format/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

bool piglit_is_null(const char *word)
{
   return strcmp(word, "NULL") == 0 || strcmp(word, "null") == 0;
}

int piglit_parse_bool(struct piglit_parser *parser, const char *word, bool *value)
{
   bool yes = strcmp(word, "true") == 0 || strcmp(word, "1") == 0;

   if (!yes && strcmp(word, "false") != 0 && strcmp(word, "0") != 0) {
      return piglit_error(&parser->reader, parser->line, "\"%s\": expected true or false", word);
   }
   *value = yes;
   return 0;
}

int piglit_parse_unsigned(struct piglit_parser *parser, const char *word, uint64_t *value)
{
   union piglit_value parsed;
   const char *wrong = piglit_value_parse(word, PIGLIT_ULONG, &parsed);

   if (wrong != NULL) {
      return piglit_error(&parser->reader, parser->line, "\"%s\": %s", word, wrong);
   }
   *value = parsed.u;
   return 0;
}

int piglit_set_string(struct piglit_parser *parser, char **string, const char *value)
{
   char *copy = strdup(value);

   if (copy == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   free(*string);
   *string = copy;
   return 0;
}

static int parse_three(struct piglit_parser *parser, char *value, uint64_t numbers[3])
{
   for (unsigned i = 0; i < 3; i++) {
      char *word = piglit_next_word(&value);
      if (*word == 0) {
         return piglit_error(&parser->reader, parser->line, "expected three numbers, found %u", i);
      }
      int ret = piglit_parse_unsigned(parser, word, &numbers[i]);
      if (ret < 0) {
         return ret;
      }
   }
   if (*piglit_next_word(&value) != 0) {
      return piglit_error(&parser->reader, parser->line, "expected three numbers, found more");
   }
   return 0;
}

static struct piglit_launch *launch(struct piglit_parser *parser)
{
   return parser->test != NULL ? &parser->test->launch : &parser->file->launch;
}

static int set_name(struct piglit_parser *parser, char *value)
{
   /* Piglit uses the names in paths and formats. */
   const char *bad = strpbrk(value, "/%");

   if (bad != NULL) {
      return piglit_error(&parser->reader, parser->line, "a name cannot contain \"%c\"", *bad);
   }
   return piglit_set_string(parser, parser->test != NULL ? &parser->test->name : &parser->file->name, value);
}

static int set_kernel_name(struct piglit_parser *parser, char *value)
{
   char **name = &launch(parser)->kernel_name;

   if (piglit_is_null(value)) {
      free(*name);
      *name = NULL;
      return 0;
   }
   return piglit_set_string(parser, name, value);
}

static int set_expect_test_fail(struct piglit_parser *parser, char *value)
{
   return piglit_parse_bool(parser, value, &launch(parser)->expect_test_fail);
}

static int set_dimensions(struct piglit_parser *parser, char *value)
{
   uint64_t dimensions = 0;
   int ret = piglit_parse_unsigned(parser, value, &dimensions);

   if (ret == 0 && (dimensions < 1 || dimensions > 3)) {
      ret = piglit_error(&parser->reader, parser->line, "%s dimensions: expected 1, 2 or 3", value);
   }
   launch(parser)->dimensions = (uint32_t)dimensions;
   return ret;
}

static int set_global_size(struct piglit_parser *parser, char *value)
{
   return parse_three(parser, value, launch(parser)->global_size);
}

static int set_local_size(struct piglit_parser *parser, char *value)
{
   launch(parser)->local_size_null = piglit_is_null(value);
   return piglit_is_null(value) ? 0 : parse_three(parser, value, launch(parser)->local_size);
}

static int set_global_offset(struct piglit_parser *parser, char *value)
{
   memset(launch(parser)->global_offset, 0, sizeof(launch(parser)->global_offset));
   return piglit_is_null(value) ? 0 : parse_three(parser, value, launch(parser)->global_offset);
}

static int set_argument_in(struct piglit_parser *parser, char *value)
{
   return piglit_parse_argument(parser, value, true);
}

static int set_argument_out(struct piglit_parser *parser, char *value)
{
   return piglit_parse_argument(parser, value, false);
}

static int parse_version(struct piglit_parser *parser, const char *word, int64_t *version)
{
   uint64_t number = 0;
   int ret = piglit_parse_unsigned(parser, word, &number);

   if (ret == 0 && number > 999) {
      ret = piglit_error(&parser->reader, parser->line, "version %s: expected ten times the version, as 12 for 1.2",
                         word);
   }
   *version = (int64_t)number;
   return ret;
}

static int set_clc_version_min(struct piglit_parser *parser, char *value)
{
   return parse_version(parser, value, &parser->file->clc_version_min);
}

static int set_clc_version_max(struct piglit_parser *parser, char *value)
{
   return parse_version(parser, value, &parser->file->clc_version_max);
}

static int set_platform_regex(struct piglit_parser *parser, char *value)
{
   return piglit_set_string(parser, &parser->file->platform_regex, value);
}

static int set_device_regex(struct piglit_parser *parser, char *value)
{
   return piglit_set_string(parser, &parser->file->device_regex, value);
}

static int set_require_platform_extensions(struct piglit_parser *parser, char *value)
{
   return piglit_set_string(parser, &parser->file->require_platform_extensions, value);
}

static int set_require_device_extensions(struct piglit_parser *parser, char *value)
{
   return piglit_set_string(parser, &parser->file->require_device_extensions, value);
}

static int set_build_options(struct piglit_parser *parser, char *value)
{
   return piglit_set_string(parser, &parser->file->build_options, value);
}

static int set_expect_build_fail(struct piglit_parser *parser, char *value)
{
   return piglit_parse_bool(parser, value, &parser->file->expect_build_fail);
}

static int set_need_image_support(struct piglit_parser *parser, char *value)
{
   return piglit_parse_bool(parser, value, &parser->file->need_image_support);
}

/* Registers the one program that a file may have. */
int piglit_claim_program(struct piglit_parser *parser)
{
   if (parser->file->source_name != NULL) {
      return piglit_error(&parser->reader, parser->line, "a second program; the first is %s",
                          parser->file->source_name);
   }
   return 0;
}

static int set_program_source_file(struct piglit_parser *parser, char *value)
{
   struct piglit_file *file = parser->file;
   int ret = piglit_claim_program(parser);

   if (ret < 0) {
      return ret;
   }
   file->source_name = piglit_path_beside(file->path, value);
   if (file->source_name == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   ret = piglit_read_file(file->source_name, &file->source, &file->source_size);
   if (ret < 0) {
      return piglit_error(&parser->reader, parser->line, "program_source_file %s: %s", file->source_name,
                          strerror(-ret));
   }
   return 0;
}

static int set_program_binary_file(struct piglit_parser *parser, char *value)
{
   int ret = piglit_claim_program(parser);

   return ret < 0 ? ret : piglit_set_string(parser, &parser->file->source_name, value);
}

struct key {
   const char *name;
   bool config, test; /* the sections that it may be in */
   int (*set)(struct piglit_parser *parser, char *value);
};

static const struct key keys[] = {
    {"name", true, true, set_name},
    {"kernel_name", true, true, set_kernel_name},
    {"expect_test_fail", true, true, set_expect_test_fail},
    {"dimensions", true, true, set_dimensions},
    {"global_size", true, true, set_global_size},
    {"local_size", true, true, set_local_size},
    {"global_offset", true, true, set_global_offset},
    {"arg_in", false, true, set_argument_in},
    {"arg_out", false, true, set_argument_out},
    {"clc_version_min", true, false, set_clc_version_min},
    {"clc_version_max", true, false, set_clc_version_max},
    {"platform_regex", true, false, set_platform_regex},
    {"device_regex", true, false, set_device_regex},
    {"require_platform_extensions", true, false, set_require_platform_extensions},
    {"require_device_extensions", true, false, set_require_device_extensions},
    {"build_options", true, false, set_build_options},
    {"expect_build_fail", true, false, set_expect_build_fail},
    {"need_image_support", true, false, set_need_image_support},
    {"program_source_file", true, false, set_program_source_file},
    {"program_binary_file", true, false, set_program_binary_file},
};

#define KEYS ARRAY_COUNT(keys)

int piglit_parse_key(struct piglit_parser *parser, const char *name, char *value)
{
   const char *names[KEYS];
   size_t count = 0;

   for (size_t i = 0; i < KEYS; i++) {
      const bool here = parser->test != NULL ? keys[i].test : keys[i].config;

      if (strcmp(name, keys[i].name) == 0) {
         return here ? keys[i].set(parser, value)
                     : piglit_error(&parser->reader, parser->line, "the key \"%s\" belongs into [%s]", name,
                                    parser->test != NULL ? "config" : "test");
      }
      names[count] = keys[i].name;
      count += here;
   }
   return piglit_unknown(parser, parser->test != NULL ? "key of a [test] section" : "key of a [config] section", name,
                         names, count);
}
