/* SPDX-License-Identifier: MIT
 *
 * arg_in and arg_out of a program test:
 *    INDEX TYPE VALUES
 *    INDEX buffer TYPE[LENGTH] CONTENT [tolerance NUMBER [ulp]]
 *    INDEX image TYPE CONTENT image_type T image_width W image_height H image_channel_order O
 *          image_channel_data_type D [tolerance NUMBER [ulp]]
 *    INDEX sampler normalized_coords BOOL addressing_mode A filter_mode F
 * where CONTENT is VALUES, "random", "repeat VALUES" or "NULL".
 */
#include "agx_runner/piglit/format/parse.h"
#include "agx_runner/terminal/suggest.h"
#include "util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* limit for one argument: a test that asks for more is considered a mistake */
#define MAX_ARGUMENT_BYTES ((uint64_t)1 << 30)

enum content_kind { CONTENT_VALUES, CONTENT_REPEAT, CONTENT_RANDOM, CONTENT_NULL };

/* The words of an argument, and the current one. */
struct cursor {
   struct piglit_parser *parser;
   struct piglit_argument *argument;
   bool in;
   char *rest;
   char *word; /* "" at the end */
};

struct content {
   enum content_kind kind;
   union piglit_value *values;
   size_t count;
};

static char *advance(struct cursor *cursor)
{
   cursor->word = piglit_next_word(&cursor->rest);
   return cursor->word;
}

__attribute__((format(printf, 2, 3))) static int fail(struct cursor *cursor, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   int ret = piglit_verror(&cursor->parser->reader, cursor->parser->line, format, arguments);
   va_end(arguments);
   return ret;
}

static bool is_keyword(const char *word)
{
   return strcmp(word, "tolerance") == 0 || strcmp(word, "image_type") == 0;
}

/* Returns the word among values that a misspelt one may have meant. */
static const char *near_word(const char *word, char nearest[SUGGEST_TEXT])
{
   static const char *const words[] = {"tolerance", "ulp", "repeat", "random", "image_type"};
   struct suggestion suggestion = {.word = word};

   for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
      suggest_offer(&suggestion, words[i], strlen(words[i]));
   }
   suggest_print(&suggestion, nearest);
   return nearest;
}

static int expect_end(struct cursor *cursor)
{
   char nearest[SUGGEST_TEXT];

   return *cursor->word == 0 ? 0
                             : fail(cursor, "\"%s\": expected the end of the argument%s", cursor->word,
                                    near_word(cursor->word, nearest));
}

static int parse_values(struct cursor *cursor, struct content *content)
{
   char nearest[SUGGEST_TEXT];
   size_t room = 0;

   for (; *cursor->word != 0 && !is_keyword(cursor->word); advance(cursor)) {
      if (!ARRAY_RESERVE(content->values, room, content->count + 1)) {
         return piglit_no_memory(&cursor->parser->reader);
      }
      const char *wrong =
          piglit_value_parse(cursor->word, cursor->argument->type.scalar, &content->values[content->count]);
      if (wrong != NULL) {
         return fail(cursor, "value %zu of argument %u, \"%s\": %s%s", content->count + 1, cursor->argument->index,
                     cursor->word, wrong, near_word(cursor->word, nearest));
      }
      content->count++;
   }
   return content->count > 0 ? 0 : fail(cursor, "expected values");
}

static int parse_content(struct cursor *cursor, struct content *content)
{
   if (strcasecmp(cursor->word, "random") == 0) {
      content->kind = CONTENT_RANDOM;
      advance(cursor);
      return cursor->in ? 0 : fail(cursor, "%s: nothing can be expected to be random", "arg_out");
   }
   if (piglit_is_null(cursor->word)) {
      content->kind = CONTENT_NULL;
      advance(cursor);
      return cursor->in ? 0 : fail(cursor, "%s: nothing can be expected of NULL", "arg_out");
   }
   if (strcasecmp(cursor->word, "repeat") == 0) {
      content->kind = CONTENT_REPEAT;
      advance(cursor);
   }
   return parse_values(cursor, content);
}

static int parse_tolerance(struct cursor *cursor)
{
   struct piglit_tolerance *tolerance = &cursor->argument->tolerance;
   enum piglit_scalar scalar = cursor->argument->type.scalar;

   if (strcmp(cursor->word, "tolerance") != 0) {
      return 0;
   }
   if (cursor->in) {
      return fail(cursor, "%s has no tolerance", "arg_in");
   }
   char *number = advance(cursor);
   bool ulp = strcmp(advance(cursor), "ulp") == 0;
   if (ulp && piglit_scalar_number(scalar) != PIGLIT_FLOATING) {
      return fail(cursor, "a tolerance in ulp for %s: only floats have them", piglit_scalar_name(scalar));
   }
   const char *wrong = piglit_value_parse(number, ulp ? PIGLIT_ULONG : scalar, &tolerance->value);
   if (wrong != NULL) {
      return fail(cursor, "tolerance \"%s\": %s", number, wrong);
   }
   tolerance->kind = ulp ? PIGLIT_ULP : PIGLIT_ABSOLUTE;
   if (!ulp && *number == '-') {
      return fail(cursor, "tolerance %s: expected a number from 0 up", number);
   }
   if (ulp) {
      advance(cursor);
   }
   return 0;
}

/* Computes the bytes of `length` elements; the limit keeps a typing mistake from using all memory. */
static int set_size(struct cursor *cursor, uint64_t length)
{
   struct piglit_argument *argument = cursor->argument;
   uint64_t size;

   if (length == 0) {
      return fail(cursor, "argument of length 0");
   }
   if (__builtin_mul_overflow(length, (uint64_t)piglit_type_stride(argument->type), &size) ||
       size > MAX_ARGUMENT_BYTES) {
      return fail(cursor, "an argument of %llu elements: more than 1 GiB", (unsigned long long)length);
   }
   argument->length = (size_t)length;
   argument->size = (size_t)size;
   return 0;
}

/* Fills in the same bytes in each run, so that a failure can be reproduced. */
static void fill_random(struct piglit_argument *argument)
{
   uint64_t state = 0x9e3779b97f4a7c15u * (argument->index + 1u);

   for (size_t i = 0; i < argument->size; i++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      argument->data[i] = (uint8_t)(state >> 32);
   }
}

static void fill_values(struct piglit_argument *argument, const struct content *content)
{
   size_t stride = piglit_type_stride(argument->type);
   size_t scalar = piglit_scalar_size(argument->type.scalar);
   size_t next = 0;

   for (size_t i = 0; i < argument->length; i++) {
      for (size_t c = 0; c < argument->type.components; c++) {
         piglit_value_store(argument->data + i * stride + c * scalar, argument->type.scalar, content->values[next]);
         next = next + 1 < content->count ? next + 1 : 0;
      }
   }
}

static int fill(struct cursor *cursor, const struct content *content)
{
   struct piglit_argument *argument = cursor->argument;
   size_t wanted = argument->length * argument->type.components;

   if (content->kind == CONTENT_VALUES && content->count != wanted) {
      return fail(cursor, "argument %u has %zu values, expected %zu", argument->index, content->count, wanted);
   }
   if (content->kind == CONTENT_NULL) {
      return 0;
   }
   argument->data = calloc(1, argument->size);
   if (argument->data == NULL) {
      return piglit_no_memory(&cursor->parser->reader);
   }
   if (content->kind == CONTENT_RANDOM) {
      fill_random(argument);
   } else {
      fill_values(argument, content);
   }
   return 0;
}

/* Reports that the word behind the index is not allowed there. */
static int unknown_kind(struct cursor *cursor)
{
   static const char *const kinds[] = {"buffer", "image", "sampler", "char",  "uchar", "short", "ushort",
                                       "int",    "uint",  "long",    "ulong", "half",  "float", "double"};
   const size_t outputs = 2, all = ARRAY_COUNT(kinds);

   return *cursor->word == 0
              ? fail(cursor, "argument %u: expected %s", cursor->argument->index,
                     cursor->in ? "a type, buffer, image or sampler" : "buffer or image")
              : piglit_unknown(cursor->parser, cursor->in ? "kind or type of an argument" : "kind of an output",
                               cursor->word, kinds, cursor->in ? all : outputs);
}

static int parse_value(struct cursor *cursor, struct content *content)
{
   cursor->argument->kind = PIGLIT_VALUE;
   if (!piglit_type_parse(cursor->word, &cursor->argument->type)) {
      return unknown_kind(cursor);
   }
   if (!cursor->in) {
      return fail(cursor, "%s must be a buffer or an image: a kernel cannot write values", "arg_out");
   }
   advance(cursor);
   int ret = set_size(cursor, 1);
   if (ret == 0 && piglit_is_null(cursor->word)) {
      content->kind = CONTENT_NULL;
      advance(cursor);
   } else if (ret == 0) {
      ret = parse_values(cursor, content);
   }
   return ret == 0 ? fill(cursor, content) : ret;
}

static int parse_buffer(struct cursor *cursor, struct content *content)
{
   char *word = advance(cursor);
   char *bracket = strchr(word, '[');
   size_t length = strlen(word);
   uint64_t count = 0;

   cursor->argument->kind = PIGLIT_BUFFER;
   if (bracket == NULL || word[length - 1] != ']') {
      return fail(cursor, "\"%s\": expected TYPE[LENGTH]", word);
   }
   word[length - 1] = 0;
   *bracket = 0;
   if (!piglit_type_parse(word, &cursor->argument->type)) {
      return fail(cursor, "\"%s\": no type of OpenCL C that a buffer can have", word);
   }
   int ret = piglit_parse_unsigned(cursor->parser, bracket + 1, &count);
   if (ret == 0) {
      ret = set_size(cursor, count);
   }
   advance(cursor);
   if (ret == 0) {
      ret = parse_content(cursor, content);
   }
   if (ret == 0) {
      ret = fill(cursor, content);
   }
   return ret == 0 ? parse_tolerance(cursor) : ret;
}

static int unexpected(struct cursor *cursor, const char *key)
{
   return *cursor->word != 0 ? fail(cursor, "\"%s\": expected %s", cursor->word, key)
                             : fail(cursor, "expected %s", key);
}

/* Parses "key value", where value is one of the words of `choices` ("" ends them); case is ignored. */
static int parse_property(struct cursor *cursor, const char *key, const char *const *choices)
{
   size_t count = 0;

   if (strcmp(cursor->word, key) != 0) {
      return unexpected(cursor, key);
   }
   advance(cursor);
   for (; choices[count][0] != 0; count++) {
      if (strcasecmp(cursor->word, choices[count]) == 0) {
         advance(cursor);
         return 0;
      }
   }
   return piglit_unknown(cursor->parser, key, cursor->word, choices, count);
}

static int parse_property_number(struct cursor *cursor, const char *key, uint64_t *number)
{
   if (strcmp(cursor->word, key) != 0) {
      return unexpected(cursor, key);
   }
   int ret = piglit_parse_unsigned(cursor->parser, advance(cursor), number);
   advance(cursor);
   return ret;
}

static int parse_image(struct cursor *cursor, struct content *content)
{
   static const char *const types[] = {"2d", "3d", ""};
   static const char *const orders[] = {"r",  "rx",  "a",    "intensity", "luminance", "rg",   "rgx",
                                        "ra", "rgb", "rgbx", "rgba",      "argb",      "bgra", ""};
   static const char *const data_types[] = {"snorm_int8",
                                            "snorm_int16",
                                            "unorm_int8",
                                            "unorm_int16",
                                            "unorm_short_565",
                                            "unorm_short_555",
                                            "unorm_int_101010",
                                            "signed_int8",
                                            "signed_int16",
                                            "signed_int32",
                                            "unsigned_int8",
                                            "unsigned_int16",
                                            "unsigned_int32",
                                            "half_float",
                                            "float",
                                            ""};
   uint64_t width = 0, height = 0, texels;

   cursor->argument->kind = PIGLIT_IMAGE;
   if (!piglit_type_parse(advance(cursor), &cursor->argument->type)) {
      return fail(cursor, "\"%s\": no type that an image can have", cursor->word);
   }
   advance(cursor);
   int ret = parse_content(cursor, content);
   if (ret < 0 || (ret = parse_property(cursor, "image_type", types)) < 0 ||
       (ret = parse_property_number(cursor, "image_width", &width)) < 0 ||
       (ret = parse_property_number(cursor, "image_height", &height)) < 0 ||
       (ret = parse_property(cursor, "image_channel_order", orders)) < 0 ||
       (ret = parse_property(cursor, "image_channel_data_type", data_types)) < 0) {
      return ret;
   }
   if (__builtin_mul_overflow(width, height, &texels)) {
      return fail(cursor, "an image of more than 1 GiB");
   }
   ret = set_size(cursor, texels);
   return ret == 0 ? parse_tolerance(cursor) : ret;
}

static int parse_sampler(struct cursor *cursor)
{
   static const char *const modes[] = {"none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat", ""};
   static const char *const filters[] = {"nearest", "linear", ""};
   static const char *const booleans[] = {"0", "1", "false", "true", ""};

   cursor->argument->kind = PIGLIT_SAMPLER;
   if (!cursor->in) {
      return fail(cursor, "%s must be a buffer or an image", "arg_out");
   }
   advance(cursor);
   int ret = parse_property(cursor, "normalized_coords", booleans);
   if (ret == 0) {
      ret = parse_property(cursor, "addressing_mode", modes);
   }
   return ret == 0 ? parse_property(cursor, "filter_mode", filters) : ret;
}

static int parse_kind(struct cursor *cursor)
{
   struct content content = {.kind = CONTENT_VALUES};
   uint64_t index;
   int ret = piglit_parse_unsigned(cursor->parser, cursor->word, &index);

   if (ret < 0) {
      return ret;
   }
   if (index > 1023) {
      return fail(cursor, "argument %s: no kernel has so many", cursor->word);
   }
   cursor->argument->index = (uint32_t)index;
   advance(cursor);
   if (strcmp(cursor->word, "buffer") == 0) {
      ret = parse_buffer(cursor, &content);
   } else if (strcmp(cursor->word, "image") == 0) {
      ret = parse_image(cursor, &content);
   } else if (strcmp(cursor->word, "sampler") == 0) {
      ret = parse_sampler(cursor);
   } else {
      ret = parse_value(cursor, &content);
   }
   free(content.values);
   return ret == 0 ? expect_end(cursor) : ret;
}

/* Checks that an index occurs at most once among the inputs and once among the outputs; the same index means the same
 * memory. */
static int check_index(struct cursor *cursor, const struct piglit_test *test)
{
   const struct piglit_argument *argument = cursor->argument;
   const struct piglit_arguments *same = cursor->in ? &test->in : &test->out;
   const struct piglit_arguments *other = cursor->in ? &test->out : &test->in;

   for (size_t i = 0; i < same->count; i++) {
      if (same->list[i].index == argument->index) {
         return fail(cursor, "argument %u is already given in line %u", argument->index, same->list[i].line);
      }
   }
   for (size_t i = 0; i < other->count; i++) {
      if (other->list[i].index == argument->index &&
          (other->list[i].kind != argument->kind || other->list[i].size != argument->size)) {
         return fail(cursor, "argument %u has %zu bytes, but in line %u it has %zu or is of another kind",
                     argument->index, argument->size, other->list[i].line, other->list[i].size);
      }
   }
   return 0;
}

int piglit_parse_argument(struct piglit_parser *parser, char *value, bool in)
{
   struct piglit_arguments *arguments = in ? &parser->test->in : &parser->test->out;
   if (!ARRAY_RESERVE_ONE(arguments->list, arguments->count)) {
      return piglit_no_memory(&parser->reader);
   }
   struct piglit_argument argument = {.line = parser->line};
   struct cursor cursor = {.parser = parser, .argument = &argument, .in = in, .rest = value};
   advance(&cursor);
   int ret = parse_kind(&cursor);
   if (ret == 0) {
      ret = check_index(&cursor, parser->test);
   }
   if (ret < 0) {
      free(argument.data);
      return ret;
   }
   arguments->list[arguments->count++] = argument;
   return 0;
}

void piglit_arguments_finish(struct piglit_arguments *arguments)
{
   for (size_t i = 0; i < arguments->count; i++) {
      free(arguments->list[i].data);
   }
   free(arguments->list);
}
