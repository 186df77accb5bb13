/* SPDX-License-Identifier: MIT
 *
 * The readers of Piglit's .shader_test and of VkRunner's .vk_shader_test, which have the same sections. Invariant: a
 * section of another stage is refused, since it would need a rasteriser.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/script/commands.h"
#include "util/array.h"

struct sections {
   struct commands commands;
   char version[16];     /* of GLSL without #version: "430", "310 es" */
   char environment[32]; /* of VkRunner: "vulkan1.1" */
};

/* ---- [require] ---- */

/* "GLSL >= 4.30", "GLSL ES >= 3.10": the version of a shader that says none. */
static int parse_version(struct sections *sections, bool es)
{
   struct script_parser *parser = sections->commands.parser;
   unsigned major, minor;

   if (sscanf(parser->words[parser->count - 1], "%u.%2u", &major, &minor) != 2) {
      return script_refuse(parser, "'%s' is no version", parser->words[parser->count - 1]);
   }
   snprintf(sections->version, sizeof(sections->version), "%u%02u%s", major % 100, minor % 100, es ? " es" : "");
   return 0;
}

static int require_opengl(struct sections *sections)
{
   struct script_parser *parser = sections->commands.parser;
   const bool es = script_word_is(parser, 1, "ES");
   const bool at_least = parser->count == (es ? 4u : 3u) && script_word_is(parser, es ? 2 : 1, ">=");

   if (script_word_is(parser, 0, "GLSL") && at_least) {
      return parse_version(sections, es);
   }
   if (script_word_is(parser, 0, "GL") && at_least) {
      return 0; /* the context has 4.5 or more, with what ES 3.2 has */
   }
   if (parser->count == 1 && strncmp(parser->words[0], "GL_", 3) == 0) {
      return script_add_text(&parser->script->extensions, &parser->script->extension_count, parser->words[0])
                 ? 0
                 : piglit_no_memory(&parser->reader);
   }
   return script_refuse(parser, "the requirement '%s%s%s' is not understood", parser->words[0],
                        parser->count > 1 ? " " : "", parser->count > 1 ? parser->words[1] : "");
}

/* All features of the device are on, and the shader's capabilities say which it needs. */
static int require_vulkan(struct sections *sections)
{
   struct script_parser *parser = sections->commands.parser;
   unsigned major, minor;

   if (parser->count == 1) {
      return 0;
   }
   if (parser->count == 2 && script_word_is(parser, 0, "vulkan") &&
       sscanf(parser->words[1], "%u.%u", &major, &minor) >= 2) {
      snprintf(sections->environment, sizeof(sections->environment), "vulkan%u.%u", major, minor);
      return 0;
   }
   return script_refuse(parser, "the requirement '%s %s' is not understood", parser->words[0], parser->words[1]);
}

/* ---- [compute shader] ---- */

static bool is_section(const char *line, size_t length)
{
   return length > 0 && line[0] == '[';
}

static bool has_version(const char *text, size_t length)
{
   for (size_t at = 0; at < length;) {
      const char *line = text + at, *newline = memchr(line, '\n', length - at);
      const size_t blank = strspn(line, " \t");
      if (strncmp(line + blank, "#version", 8) == 0) {
         return true;
      }
      at = newline != NULL ? (size_t)(newline + 1 - text) : length;
   }
   return false;
}

static int parse_shader(struct sections *sections, bool assembly)
{
   struct script_parser *parser = sections->commands.parser;
   struct script *script = parser->script;
   const char *start = parser->reader.next, *end = start;
   const unsigned first = parser->reader.line;
   char version[32] = "";
   size_t length;

   if (script->shader_count > 0) {
      return script_refuse(parser, "a second compute shader, which would have to be linked with the first one");
   }
   struct script_shader *shader = script_add_shader(parser, "compute shader");
   if (shader == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   while (end < parser->reader.end && !is_section(end, (size_t)(parser->reader.end - end))) {
      (void)script_raw_line(parser, &length);
      end = parser->reader.next;
   }
   shader->language = assembly ? SCRIPT_SPIRV_ASSEMBLY : SCRIPT_GLSL;
   snprintf(shader->environment, sizeof(shader->environment), "%s", sections->environment);
   if (!sections->commands.vulkan && !has_version(start, (size_t)(end - start))) {
      snprintf(version, sizeof(version), "#version %s\n", sections->version);
   }
   const unsigned line = version[0] != '\0' && first > 1 ? first - 1 : first;
   return script_set_text(parser, shader, version, start, (size_t)(end - start), line);
}

/* ---- Sections ---- */

static int parse_lines(struct sections *sections, int (*parse)(struct sections *sections))
{
   struct script_parser *parser = sections->commands.parser;
   int ret = 0;

   while (ret == 0 && parser->reader.next < parser->reader.end &&
          !is_section(parser->reader.next, (size_t)(parser->reader.end - parser->reader.next))) {
      ret = script_take_line(parser);
      ret = ret > 0 ? (parser->count > 0 ? parse(sections) : 0) : ret;
   }
   return ret;
}

static int parse_command(struct sections *sections)
{
   return commands_parse(&sections->commands);
}

static int parse_section(struct sections *sections, const char *name)
{
   struct script_parser *parser = sections->commands.parser;
   const bool vulkan = sections->commands.vulkan;

   if (strcmp(name, "require") == 0) {
      return parse_lines(sections, vulkan ? require_vulkan : require_opengl);
   }
   if (strcmp(name, "compute shader") == 0 || (vulkan && strcmp(name, "compute shader spirv") == 0)) {
      return parse_shader(sections, strstr(name, "spirv") != NULL);
   }
   if (strcmp(name, "test") == 0) {
      return parser->script->shader_count > 0 ? parse_lines(sections, parse_command)
                                              : script_refuse(parser, "there is no compute shader before [test]");
   }
   return script_refuse(parser, "a section [%s]: only compute shaders are run, which need no rasteriser", name);
}

static int parse(struct script_parser *parser, bool vulkan)
{
   struct sections sections = {
       .commands = {.parser = parser, .vulkan = vulkan, .target = COMMANDS_NO_IMAGE, .tolerance = 0.01},
       .version = "430"};
   const char *line;
   char name[64];
   size_t length;
   int ret = script_add_pipeline(parser, "compute") != NULL ? 0 : piglit_no_memory(&parser->reader);

   while (ret == 0 && (line = script_raw_line(parser, &length)) != NULL) {
      if (is_section(line, length) && sscanf(line, "[%63[^]\n]", name) == 1) {
         ret = parse_section(&sections, name);
      } /* what stands before the first section is a comment */
   }
   return ret;
}

int script_parse_piglit(struct script_parser *parser)
{
   return parse(parser, false);
}

int script_parse_vkrunner(struct script_parser *parser)
{
   return parse(parser, true);
}
