/* SPDX-License-Identifier: MIT
 *
 * Reads a test by the reader of its format. Invariant: formats and readers are the rows of one table.
 */
#include "agx_runner/piglit/script/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/script/parse.h"
#include "util/array.h"
#include "util/text.h"

static const struct {
   const char *suffix;
   enum script_api api;
   int (*parse)(struct script_parser *parser);
} formats[] = {
    {".shader_test", SCRIPT_OPENGL, script_parse_piglit},
    {".vk_shader_test", SCRIPT_VULKAN, script_parse_vkrunner},
    {".amber", SCRIPT_VULKAN, script_parse_amber},
};

static size_t format_of(const char *path)
{
   size_t i = 0;

   while (i < ARRAY_COUNT(formats) && !util_has_suffix(path, formats[i].suffix)) {
      i++;
   }
   return i;
}

bool script_is_one(const char *path)
{
   return format_of(path) < ARRAY_COUNT(formats);
}

/* A test that expects nothing would always pass. */
static int check_expectations(struct script_parser *parser)
{
   for (size_t i = 0; i < parser->script->step_count; i++) {
      const enum script_step_kind kind = parser->script->steps[i].kind;
      if (kind == STEP_EXPECT || kind == STEP_TEXELS || kind == STEP_SAME || kind == STEP_LINKS ||
          kind == STEP_REFUSED) {
         return 0;
      }
   }
   return script_refuse(parser, "the test expects nothing");
}

int script_parse(const char *path, const char *text, size_t size, struct script **out, char *message,
                 size_t message_size)
{
   const size_t format = format_of(path);
   struct script_parser parser = {.reader = {.path = path,
                                             .next = text,
                                             .end = text + size,
                                             .line = 1,
                                             .message = message,
                                             .message_size = message_size},
                                  .line = 1,
                                  .words = calloc(SCRIPT_WORDS + 1, sizeof(char *)),
                                  .script = calloc(1, sizeof(struct script))};
   int ret = piglit_no_memory(&parser.reader);

   if (parser.script != NULL) {
      parser.script->api = formats[format].api;
      parser.script->path = strdup(path);
   }
   if (parser.words != NULL && parser.script != NULL && parser.script->path != NULL) {
      message[0] = '\0';
      ret = formats[format].parse(&parser);
      ret = ret == 0 ? check_expectations(&parser) : ret;
   }
   if (ret < 0) {
      script_destroy(parser.script);
      parser.script = NULL;
   }
   free(parser.words);
   free(parser.text);
   *out = parser.script;
   return ret;
}

int script_load(const char *path, struct script **out, char *message, size_t message_size)
{
   char *text = NULL;
   size_t size = 0;
   int ret = piglit_read_file(path, &text, &size);

   *out = NULL;
   if (ret < 0) {
      snprintf(message, message_size, "%s: %s", path, strerror(-ret));
      return ret == -EINVAL ? -EIO : ret;
   }
   ret = script_parse(path, text, size, out, message, message_size);
   free(text);
   return ret;
}
