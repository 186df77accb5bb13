/* SPDX-License-Identifier: MIT
 *
 * The commands of Piglit's shader tests about textures. A texture that is the framebuffer is cleared and probed without
 * a draw. Invariant: what would touch the window's framebuffer is refused, but for a clear, which no probe can see.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/script/commands.h"
#include "util/array.h"

/* Of 8 bits, as Piglit's piglit_set_tolerance_for_bits() has it. */
#define TEXEL_TOLERANCE (3.0 / 256.0)

/* The line's words from `first` on, each behind a space. */
static void join(const struct script_parser *parser, size_t first, char *text, size_t size)
{
   size_t used = 0;

   text[0] = '\0';
   for (size_t i = first; i < parser->count && used < size; i++) {
      const int added = snprintf(text + used, size - used, "%s ", parser->words[i]);
      used += added > 0 ? (size_t)added : 0;
   }
}

/* "GL_RGBA32F" is "rgba32f". */
static void format_name(const char *word, char *name, size_t size)
{
   snprintf(name, size, "%s", strncmp(word, "GL_", 3) == 0 ? word + 3 : word);
   for (char *c = name; *c != '\0'; c++) {
      *c = (char)tolower((unsigned char)*c);
   }
}

/* texture rgbw UNIT (WIDTH, HEIGHT) [FORMAT]. */
static int parse_rgbw(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   char text[256], format[24] = "GL_RGBA8", name[64];
   unsigned unit, sizes[2];
   size_t memory;
   bool found;

   join(parser, 2, text, sizeof(text));
   if (sscanf(text, "%u ( %u , %u ) %23s", &unit, &sizes[0], &sizes[1], format) < 3 || sizes[0] == 0 || sizes[1] == 0 ||
       sizes[0] > 4096 || sizes[1] > 4096) {
      return script_refuse(parser, "expected texture rgbw UNIT (WIDTH, HEIGHT) FORMAT");
   }
   (void)commands_find(commands, PLACE_TEXTURE, "", unit, &found);
   if (found) {
      return script_refuse(parser, "texture %u is made a second time", unit);
   }
   snprintf(name, sizeof(name), "texture %u", unit);
   int ret = commands_memory(commands, PLACE_TEXTURE, "", unit, name, &memory);
   if (ret < 0) {
      return ret;
   }
   struct script_memory *made = &parser->script->memories[memory];
   format_name(format, made->format, sizeof(made->format));
   memcpy(made->image_sizes, sizes, sizeof(sizes));
   struct script_step *step = script_add_step(parser, STEP_RGBW);
   if (step == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   step->memory = memory;
   return 0;
}

/* The texture of the unit in that word. */
static int find_texture(struct commands *commands, size_t word, unsigned *unit, size_t *memory)
{
   uint64_t number;
   bool found;
   const int ret = script_number(commands->parser, word, UINT16_MAX, &number);

   if (ret < 0) {
      return ret;
   }
   *unit = (unsigned)number;
   *memory = commands_find(commands, PLACE_TEXTURE, "", *unit, &found);
   return found ? 0 : script_refuse(commands->parser, "there is no texture %u", *unit);
}

/* image texture UNIT FORMAT. */
static int parse_image(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   char format[24] = "";
   unsigned unit;
   size_t memory;
   int ret = find_texture(commands, 2, &unit, &memory);

   if (ret < 0) {
      return ret;
   }
   if (parser->count == 4) {
      format_name(parser->words[3], format, sizeof(format));
   }
   if (strcmp(format, parser->script->memories[memory].format) != 0) {
      return script_refuse(parser, "image '%s': the texture's format is %s", format,
                           parser->script->memories[memory].format);
   }
   struct script_binding *binding = script_add_binding(&parser->script->pipelines[0]);
   if (binding == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   *binding = (struct script_binding){.kind = PLACE_IMAGE, .number = unit, .memory = memory};
   return 0;
}

/* fb tex 2d UNIT. */
static int parse_target(struct commands *commands)
{
   unsigned unit;

   if (commands->parser->count != 4 || !script_word_is(commands->parser, 2, "2d")) {
      return script_refuse(commands->parser, "a framebuffer that is no texture needs a rasteriser");
   }
   return find_texture(commands, 3, &unit, &commands->target);
}

/* clear color R G B A, clear. */
static int parse_clear(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   union piglit_value *values = NULL;
   int ret = 0;

   if (parser->count == 6 && script_word_is(parser, 1, "color")) {
      ret = script_values(parser, 2, 4, PIGLIT_DOUBLE, &values);
      for (unsigned i = 0; ret == 0 && i < 4; i++) {
         commands->clear_color[i] = values[i].f;
      }
   } else if (parser->count == 1 && commands->target != COMMANDS_NO_IMAGE) {
      struct script_step *step = script_add_step(parser, STEP_FILL);
      values = calloc(4, sizeof(*values));
      if (step == NULL || values == NULL) {
         free(values);
         return piglit_no_memory(&parser->reader);
      }
      for (unsigned i = 0; i < 4; i++) {
         values[i].f = commands->clear_color[i];
      }
      step->memory = commands->target;
      step->values = values;
      step->value_count = 4;
      values = NULL;
   } else if (parser->count > 1) {
      ret = script_refuse(parser, "'clear %s' needs a rasteriser", parser->words[1]);
   }
   free(values);
   return ret;
}

/* probe [all] rgb|rgba [X Y] VALUE...: one value too many is passed over, as Piglit does. */
static int parse_probe(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   const bool all = script_word_is(parser, 1, "all");
   const size_t kind = all ? 2 : 1, first = kind + (all ? 1 : 3);
   const unsigned count = script_word_is(parser, kind, "rgb") ? 3 : script_word_is(parser, kind, "rgba") ? 4 : 0;
   union piglit_value *values = NULL;
   uint64_t texel[2] = {0, 0};
   int ret = 0;

   if (count == 0 || parser->count < first + count || parser->count > first + 4) {
      return script_refuse(parser, "a probe that is none of ssbo, of atomic counter, or of rgb or rgba at X Y");
   }
   if (commands->target == COMMANDS_NO_IMAGE) {
      return script_refuse(parser, "a probe of the window needs a rasteriser");
   }
   const struct script_memory *target = &parser->script->memories[commands->target];
   for (unsigned i = 0; ret == 0 && !all && i < 2; i++) {
      ret = script_number(parser, kind + 1 + i, target->image_sizes[i] - 1, &texel[i]);
   }
   ret = ret == 0 ? script_values(parser, first, count, PIGLIT_DOUBLE, &values) : ret;
   struct script_step *step = ret == 0 ? script_add_step(parser, STEP_TEXELS) : NULL;
   if (step == NULL) {
      free(values);
      return ret == 0 ? piglit_no_memory(&parser->reader) : ret;
   }
   step->memory = commands->target;
   step->values = values;
   step->value_count = count;
   step->tolerance = TEXEL_TOLERANCE;
   step->all = all;
   step->texel[0] = (unsigned)texel[0];
   step->texel[1] = (unsigned)texel[1];
   return 0;
}

const struct command_row commands_images[] = {
    {{"texture", "rgbw"}, parse_rgbw}, {{"image", "texture"}, parse_image},
    {{"fb", "tex"}, parse_target},     {{"clear"}, parse_clear},
    {{"probe"}, parse_probe},
};
const size_t commands_images_count = ARRAY_COUNT(commands_images);
