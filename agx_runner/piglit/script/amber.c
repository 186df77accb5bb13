/* SPDX-License-Identifier: MIT
 *
 * The reader of AmberScript (Amber's docs/amber_script.md): the compute tests of it. Invariant: each command is a row
 * of one table, and a word that no row takes is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/script/parse.h"
#include "util/array.h"

/* Index of the thing with that name; a message says that there is none. */
static int find_shader(struct script_parser *parser, const char *name, size_t *index)
{
   for (*index = 0; *index < parser->script->shader_count; (*index)++) {
      if (strcmp(parser->script->shaders[*index].name, name) == 0) {
         return 0;
      }
   }
   return script_refuse(parser, "there is no shader '%s'", name);
}

static int find_buffer(struct script_parser *parser, const char *name, size_t *index)
{
   for (*index = 0; *index < parser->script->memory_count; (*index)++) {
      if (strcmp(parser->script->memories[*index].name, name) == 0) {
         return 0;
      }
   }
   return script_refuse(parser, "there is no buffer '%s'", name);
}

static int find_pipeline(struct script_parser *parser, const char *name, size_t *index)
{
   for (*index = 0; *index < parser->script->pipeline_count; (*index)++) {
      if (strcmp(parser->script->pipelines[*index].name, name) == 0) {
         return 0;
      }
   }
   return script_refuse(parser, "there is no pipeline '%s'", name);
}

/* ---- SHADER compute NAME GLSL|SPIRV-ASM [TARGET_ENV ENV] ... END ---- */

static bool is_end(const char *line, size_t length)
{
   const size_t blank = strspn(line, " \t");

   return length >= blank + 3 && memcmp(line + blank, "END", 3) == 0 &&
          strspn(line + blank + 3, " \t\r") >= length - blank - 3;
}

static int parse_shader(struct script_parser *parser)
{
   const bool glsl = script_word_is(parser, 3, "GLSL");
   const unsigned declared = parser->line;
   size_t length = 0;

   if (!script_word_is(parser, 1, "compute") || parser->count < 4) {
      return script_refuse(parser, "a shader of kind '%s': only compute shaders are run",
                           parser->count > 1 ? parser->words[1] : "");
   }
   if ((!glsl && !script_word_is(parser, 3, "SPIRV-ASM")) ||
       (parser->count > 4 && (parser->count != 6 || !script_word_is(parser, 4, "TARGET_ENV")))) {
      return script_refuse(parser, "a shader in %s: expected GLSL or SPIRV-ASM, and TARGET_ENV", parser->words[3]);
   }
   struct script_shader *shader = script_add_shader(parser, parser->words[2]);
   if (shader == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   shader->language = glsl ? SCRIPT_GLSL : SCRIPT_SPIRV_ASSEMBLY;
   snprintf(shader->environment, sizeof(shader->environment), "%s", parser->count > 4 ? parser->words[5] : "");
   const char *start = parser->reader.next, *line = script_raw_line(parser, &length);
   while (line != NULL && !is_end(line, length)) {
      line = script_raw_line(parser, &length);
   }
   if (line == NULL) {
      parser->line = declared;
      return script_refuse(parser, "the shader has no END");
   }
   return script_set_text(parser, shader, "", start, (size_t)(line - start), declared + 1);
}

/* ---- BUFFER NAME DATA_TYPE TYPE [STD430] DATA|SIZE ... ---- */

static const struct {
   const char *name;
   enum piglit_scalar scalar;
} scalars[] = {
    {"int8", PIGLIT_CHAR},   {"uint8", PIGLIT_UCHAR},   {"int16", PIGLIT_SHORT},  {"uint16", PIGLIT_USHORT},
    {"int32", PIGLIT_INT},   {"uint32", PIGLIT_UINT},   {"int64", PIGLIT_LONG},   {"uint64", PIGLIT_ULONG},
    {"float", PIGLIT_FLOAT}, {"double", PIGLIT_DOUBLE}, {"float16", PIGLIT_HALF},
};

/* A scalar's name, or vec2<NAME>, vec4<NAME>. */
static int parse_type(struct script_parser *parser, const char *word, struct script_type *type)
{
   char name[16] = "", close = '\0';
   unsigned width = 1;

   if (sscanf(word, "vec%u<%15[a-z0-9]%c", &width, name, &close) != 3 || close != '>') {
      width = 1;
      snprintf(name, sizeof(name), "%s", word);
   }
   for (size_t i = 0; i < ARRAY_COUNT(scalars); i++) {
      if (strcmp(name, scalars[i].name) == 0 && (width == 1 || width == 2 || width == 4)) {
         *type = (struct script_type){scalars[i].scalar, width, 1};
         return 0;
      }
   }
   return script_refuse(parser, "DATA_TYPE %s: expected a scalar's name, or vec2 or vec4 of one", word);
}

/* Adds the line's words from `first` on to the values; *ended: END was among them. */
static int take_data(struct script_parser *parser, size_t first, enum piglit_scalar scalar, union piglit_value **values,
                     size_t *count, bool *ended)
{
   size_t words = parser->count - first;
   union piglit_value *more;

   *ended = words > 0 && script_word_is(parser, parser->count - 1, "END");
   words -= *ended;
   if (words == 0) {
      return 0;
   }
   int ret = script_values(parser, first, words, scalar, &more);
   union piglit_value *all = ret == 0 ? realloc(*values, (*count + words) * sizeof(**values)) : NULL;
   if (all != NULL) {
      memcpy(all + *count, more, words * sizeof(*more));
      *values = all;
      *count += words;
   } else if (ret == 0) {
      ret = piglit_no_memory(&parser->reader);
   }
   free(more);
   return ret;
}

static int parse_data(struct script_parser *parser, size_t first, enum piglit_scalar scalar,
                      union piglit_value **values, size_t *count)
{
   const unsigned declared = parser->line;
   bool ended = false;
   int ret = take_data(parser, first, scalar, values, count, &ended);

   while (ret == 0 && !ended) {
      ret = script_next_line(parser);
      if (ret == 0) {
         parser->line = declared;
         return script_refuse(parser, "the data has no END");
      }
      ret = ret > 0 ? take_data(parser, 0, scalar, values, count, &ended) : ret;
   }
   return ret == 0 && *count == 0 ? script_refuse(parser, "the data has no values") : ret;
}

/* SIZE COUNT [FILL VALUE | SERIES_FROM VALUE INC_BY VALUE]. */
static int parse_size(struct script_parser *parser, size_t first, struct script_type type, union piglit_value **values,
                      size_t *count)
{
   const size_t words = parser->count - first;
   const bool filled = words == 3 && script_word_is(parser, first + 1, "FILL");
   const bool series =
       words == 5 && script_word_is(parser, first + 1, "SERIES_FROM") && script_word_is(parser, first + 3, "INC_BY");
   union piglit_value *start = NULL, *step = NULL;
   uint64_t elements;
   int ret = script_number(parser, first, SCRIPT_MOST_BYTES / 64, &elements);

   if (ret == 0 && words != 1 && !filled && !series) {
      ret = script_refuse(parser, "'%s': expected FILL VALUE, or SERIES_FROM VALUE INC_BY VALUE",
                          parser->words[first + 1]);
   }
   if (ret == 0 && words > 1) {
      ret = script_values(parser, first + 2, 1, type.scalar, &start);
   }
   if (ret == 0 && series) {
      ret = script_values(parser, first + 4, 1, type.scalar, &step);
   }
   *count = ret == 0 ? elements * type.rows : 0;
   *values = ret == 0 ? calloc(*count + 1, sizeof(**values)) : NULL;
   ret = ret == 0 && *values == NULL ? piglit_no_memory(&parser->reader) : ret;
   for (size_t i = 0; ret == 0 && start != NULL && i < *count; i++) {
      if (piglit_scalar_number(type.scalar) == PIGLIT_FLOATING) {
         (*values)[i].f = start->f + (step != NULL ? step->f * (double)i : 0);
      } else {
         (*values)[i].u = start->u + (step != NULL ? step->u * i : 0);
      }
   }
   free(start);
   free(step);
   return ret == 0 && *count == 0 ? script_refuse(parser, "the buffer has no elements") : ret;
}

static int parse_buffer(struct script_parser *parser)
{
   struct script_type type;
   union piglit_value *values = NULL;
   size_t count = 0;

   if (parser->count < 5 || !script_word_is(parser, 2, "DATA_TYPE")) {
      return script_refuse(parser, "a buffer: expected BUFFER NAME DATA_TYPE TYPE, then DATA or SIZE");
   }
   const size_t rest = script_word_is(parser, 4, "STD430") ? 5 : 4;
   int ret = parse_type(parser, parser->words[3], &type);
   struct script_memory *memory = ret == 0 ? script_add_memory(parser) : NULL;
   if (memory == NULL) {
      return ret == 0 ? piglit_no_memory(&parser->reader) : ret;
   }
   const size_t index = (size_t)(memory - parser->script->memories);
   snprintf(memory->name, sizeof(memory->name), "%s", parser->words[1]);
   if (script_word_is(parser, rest, "DATA")) {
      ret = parse_data(parser, rest + 1, type.scalar, &values, &count);
   } else if (script_word_is(parser, rest, "SIZE")) {
      ret = parse_size(parser, rest + 1, type, &values, &count);
   } else {
      ret = script_refuse(parser, "'%s': expected DATA or SIZE", rest < parser->count ? parser->words[rest] : "");
   }
   memory = &parser->script->memories[index];
   memory->type = type;
   memory->size = count * piglit_scalar_size(type.scalar);
   ret = ret == 0 ? script_add_write(parser, index, 0, type.scalar, values, count, 0) : ret;
   free(values);
   return ret;
}

/* ---- PIPELINE compute NAME ... END ---- */

static int parse_bind(struct script_parser *parser, struct script_pipeline *pipeline)
{
   const bool push = parser->count == 5 && script_word_is(parser, 4, "push_constant");
   const bool uniform = script_word_is(parser, 4, "uniform");
   uint64_t set = 0, number = 0;
   size_t memory;

   if (!script_word_is(parser, 1, "BUFFER") || !script_word_is(parser, 3, "AS") ||
       (!push && (parser->count != 9 || !script_word_is(parser, 5, "DESCRIPTOR_SET") ||
                  !script_word_is(parser, 7, "BINDING") || (!uniform && !script_word_is(parser, 4, "storage"))))) {
      return script_refuse(parser, "a binding that is none of a buffer as storage, uniform or push_constant");
   }
   int ret = find_buffer(parser, parser->words[2], &memory);
   if (ret == 0 && !push) {
      ret = script_number(parser, 6, UINT32_MAX, &set);
      ret = ret == 0 ? script_number(parser, 8, UINT32_MAX, &number) : ret;
   }
   if (ret < 0) {
      return ret;
   }
   const struct script_memory *buffer = &parser->script->memories[memory];
   const size_t element = buffer->type.rows * piglit_scalar_size(buffer->type.scalar);
   if (uniform && buffer->size > element && element % 16 != 0) {
      return script_refuse(parser, "uniform buffer '%s': its elements would need std140's padding", buffer->name);
   }
   struct script_binding *binding = script_add_binding(pipeline);
   if (binding == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   binding->memory = memory;
   if (push) {
      strcpy(binding->name, "push");
   } else {
      snprintf(binding->name, sizeof(binding->name), "%u.%u", (unsigned)set, (unsigned)number);
   }
   return 0;
}

static int parse_constant(struct script_parser *parser, struct script_pipeline *pipeline)
{
   char text[96];

   if (parser->count != 5 || !script_word_is(parser, 2, "AS")) {
      return script_refuse(parser, "expected SPECIALIZE ID AS TYPE VALUE");
   }
   snprintf(text, sizeof(text), "%s=%s", parser->words[1], parser->words[4]);
   return script_add_text(&pipeline->constants, &pipeline->constant_count, text) ? 0
                                                                                 : piglit_no_memory(&parser->reader);
}

static int parse_pipeline(struct script_parser *parser)
{
   const unsigned declared = parser->line;
   bool attached = false;
   int ret;

   if (parser->count != 3 || !script_word_is(parser, 1, "compute")) {
      return script_refuse(parser, "a pipeline that is no compute pipeline");
   }
   struct script_pipeline *pipeline = script_add_pipeline(parser, parser->words[2]);
   if (pipeline == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   while ((ret = script_next_line(parser)) > 0 && !script_word_is(parser, 0, "END")) {
      if (script_word_is(parser, 0, "ATTACH") && parser->count == 2) {
         ret = find_shader(parser, parser->words[1], &pipeline->shader);
         attached = true;
      } else if (script_word_is(parser, 0, "SPECIALIZE")) {
         ret = parse_constant(parser, pipeline);
      } else if (script_word_is(parser, 0, "BIND")) {
         ret = parse_bind(parser, pipeline);
      } else {
         ret = script_refuse(parser, "'%s' is not understood in a pipeline", parser->words[0]);
      }
      if (ret < 0) {
         return ret;
      }
   }
   if (ret <= 0 || !attached) {
      parser->line = declared;
      return ret < 0 ? ret : script_refuse(parser, "the pipeline has no %s", ret == 0 ? "END" : "shader");
   }
   return 0;
}

/* ---- Commands ---- */

static int parse_run(struct script_parser *parser)
{
   uint64_t groups[3];
   size_t pipeline;

   if (parser->count != 5) {
      return script_refuse(parser, "expected RUN PIPELINE X Y Z");
   }
   int ret = find_pipeline(parser, parser->words[1], &pipeline);
   for (unsigned i = 0; ret == 0 && i < 3; i++) {
      ret = script_number(parser, 2 + i, UINT16_MAX, &groups[i]);
   }
   struct script_step *step = ret == 0 ? script_add_step(parser, STEP_RUN) : NULL;
   if (step == NULL) {
      return ret == 0 ? piglit_no_memory(&parser->reader) : ret;
   }
   step->pipeline = pipeline;
   for (unsigned i = 0; i < 3; i++) {
      step->groups[i] = (uint32_t)groups[i];
   }
   return 0;
}

/* EXPECT BUFFER EQ_BUFFER BUFFER. */
static int parse_same(struct script_parser *parser, size_t memory)
{
   size_t other;
   const int ret = find_buffer(parser, parser->words[3], &other);
   struct script_step *step = ret == 0 ? script_add_step(parser, STEP_SAME) : NULL;

   if (step == NULL) {
      return ret == 0 ? piglit_no_memory(&parser->reader) : ret;
   }
   step->memory = memory;
   step->other = other;
   return 0;
}

/* "1%" or "0.5". */
static int parse_tolerance(struct script_parser *parser, size_t index, double *tolerance, bool *percent)
{
   char *end;

   *tolerance = strtod(parser->words[index], &end);
   *percent = strcmp(end, "%") == 0;
   return (*end == '\0' || *percent) && *tolerance >= 0
              ? 0
              : script_refuse(parser, "TOLERANCE %s: expected a number, or one with %%", parser->words[index]);
}

static int parse_expect(struct script_parser *parser)
{
   union piglit_value *values;
   enum script_compare compare;
   double tolerance = 0;
   bool percent = false;
   uint64_t offset;
   size_t memory, at = 4;
   int ret = parser->count > 1 ? find_buffer(parser, parser->words[1], &memory)
                               : script_refuse(parser, "expected EXPECT BUFFER");

   if (ret == 0 && parser->count == 4 && script_word_is(parser, 2, "EQ_BUFFER")) {
      return parse_same(parser, memory);
   }
   if (ret == 0 && (parser->count < 6 || !script_word_is(parser, 2, "IDX"))) {
      ret = script_refuse(parser, "expected EXPECT BUFFER IDX BYTE and a comparison, or EQ_BUFFER");
   }
   ret = ret == 0 ? script_number(parser, 3, SCRIPT_MOST_BYTES, &offset) : ret;
   if (ret == 0 && script_word_is(parser, at, "TOLERANCE") && parser->count > at + 3) {
      ret = parse_tolerance(parser, at + 1, &tolerance, &percent);
      at += 2;
   }
   if (ret == 0 && !script_compare_parse(parser->words[at], &compare)) {
      ret = script_refuse(parser, "'%s' is no comparison that is understood", parser->words[at]);
   }
   if (ret < 0) {
      return ret;
   }
   const enum piglit_scalar scalar = parser->script->memories[memory].type.scalar;
   const size_t count = parser->count - at - 1;
   ret = script_values(parser, at + 1, count, scalar, &values);
   struct script_step *step = ret == 0 ? script_add_step(parser, STEP_EXPECT) : NULL;
   if (step == NULL) {
      return ret == 0 ? piglit_no_memory(&parser->reader) : ret;
   }
   step->memory = memory;
   step->offset = offset;
   step->scalar = scalar;
   step->values = values;
   step->value_count = count;
   step->compare = compare;
   step->tolerance = tolerance;
   step->percent = percent;
   return 0;
}

/* All features of the device are on. */
static int parse_nothing(struct script_parser *parser)
{
   (void)parser;
   return 0;
}

int script_parse_amber(struct script_parser *parser)
{
   static const struct {
      const char *name;
      int (*parse)(struct script_parser *parser);
   } commands[] = {
       {"SHADER", parse_shader},
       {"BUFFER", parse_buffer},
       {"PIPELINE", parse_pipeline},
       {"RUN", parse_run},
       {"EXPECT", parse_expect},
       {"DEVICE_FEATURE", parse_nothing},
       {"DEVICE_EXTENSION", parse_nothing},
   };
   const char *start = parser->reader.next;
   int ret;

   if ((size_t)(parser->reader.end - start) < 7 || memcmp(start, "#!amber", 7) != 0) {
      return script_refuse(parser, "the first line is not #!amber");
   }
   while ((ret = script_next_line(parser)) > 0) {
      size_t i = 0;
      while (i < ARRAY_COUNT(commands) && !script_word_is(parser, 0, commands[i].name)) {
         i++;
      }
      ret = i < ARRAY_COUNT(commands) ? commands[i].parse(parser)
                                      : script_refuse(parser, "'%s' is not understood", parser->words[0]);
      if (ret < 0) {
         return ret;
      }
   }
   return ret;
}
