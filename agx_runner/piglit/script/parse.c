/* SPDX-License-Identifier: MIT
 *
 * Lines, words and numbers of the formats, and the growing parts of a script. Invariant: a message starts with the file
 * and the line that is being parsed.
 */
#include "agx_runner/piglit/script/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* ---- Lines and words ---- */

int script_refuse(struct script_parser *parser, const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   const int ret = piglit_verror(&parser->reader, parser->line, format, arguments);
   va_end(arguments);
   return ret;
}

static int split(struct script_parser *parser)
{
   char *rest = parser->text;

   parser->count = 0;
   for (char *word = piglit_next_word(&rest); word[0] != '\0'; word = piglit_next_word(&rest)) {
      if (parser->count == SCRIPT_WORDS) {
         return script_refuse(parser, "more than %u words", SCRIPT_WORDS);
      }
      parser->words[parser->count++] = word;
   }
   parser->words[parser->count] = NULL;
   return 1;
}

int script_take_line(struct script_parser *parser)
{
   free(parser->text);
   parser->text = NULL;
   parser->count = 0;
   const int ret = piglit_read_line(&parser->reader, &parser->text, &parser->line);
   return ret > 0 ? split(parser) : ret;
}

int script_next_line(struct script_parser *parser)
{
   int ret;

   do {
      ret = script_take_line(parser);
   } while (ret > 0 && parser->count == 0);
   return ret;
}

const char *script_raw_line(struct script_parser *parser, size_t *length)
{
   struct piglit_reader *reader = &parser->reader;
   const char *line = reader->next;

   if (line >= reader->end) {
      return NULL;
   }
   const char *newline = memchr(line, '\n', (size_t)(reader->end - line));
   *length = (size_t)((newline != NULL ? newline : reader->end) - line);
   reader->next = newline != NULL ? newline + 1 : reader->end;
   parser->line = reader->line++;
   return line;
}

bool script_word_is(const struct script_parser *parser, size_t index, const char *text)
{
   return index < parser->count && strcmp(parser->words[index], text) == 0;
}

int script_number(struct script_parser *parser, size_t index, uint64_t most, uint64_t *number)
{
   char *end;

   if (index >= parser->count) {
      return script_refuse(parser, "a number is missing behind '%s'", parser->words[parser->count - 1]);
   }
   const char *word = parser->words[index];
   errno = 0;
   *number = strtoull(word, &end, 0);
   return word[0] != '-' && *end == '\0' && end != word && errno == 0 && *number <= most
              ? 0
              : script_refuse(parser, "'%s' is no number from 0 to %llu", word, (unsigned long long)most);
}

int script_values(struct script_parser *parser, size_t first, size_t count, enum piglit_scalar scalar,
                  union piglit_value **values)
{
   *values = NULL;
   if (count == 0 || first + count > parser->count) {
      return script_refuse(parser, "%zu values are missing", count > 0 ? first + count - parser->count : 1);
   }
   *values = calloc(count, sizeof(**values));
   for (size_t i = 0; *values != NULL && i < count; i++) {
      const char *wrong = piglit_value_parse(parser->words[first + i], scalar, &(*values)[i]);
      if (wrong != NULL) {
         free(*values);
         *values = NULL;
         return script_refuse(parser, "'%s': %s", parser->words[first + i], wrong);
      }
   }
   return *values != NULL ? 0 : piglit_no_memory(&parser->reader);
}

/* ---- Parts of the script ---- */

struct script_shader *script_add_shader(struct script_parser *parser, const char *name)
{
   struct script *script = parser->script;

   if (!ARRAY_RESERVE_ONE(script->shaders, script->shader_count)) {
      return NULL;
   }
   struct script_shader *shader = &script->shaders[script->shader_count];
   *shader = (struct script_shader){.name = strdup(name), .line = parser->line};
   script->shader_count += shader->name != NULL;
   return shader->name != NULL ? shader : NULL;
}

struct script_memory *script_add_memory(struct script_parser *parser)
{
   struct script *script = parser->script;

   if (!ARRAY_RESERVE_ONE(script->memories, script->memory_count)) {
      return NULL;
   }
   struct script_memory *memory = &script->memories[script->memory_count++];
   *memory = (struct script_memory){.size = 0};
   return memory;
}

struct script_pipeline *script_add_pipeline(struct script_parser *parser, const char *name)
{
   struct script *script = parser->script;

   if (!ARRAY_RESERVE_ONE(script->pipelines, script->pipeline_count)) {
      return NULL;
   }
   struct script_pipeline *pipeline = &script->pipelines[script->pipeline_count];
   *pipeline = (struct script_pipeline){.name = strdup(name)};
   script->pipeline_count += pipeline->name != NULL;
   return pipeline->name != NULL ? pipeline : NULL;
}

struct script_step *script_add_step(struct script_parser *parser, enum script_step_kind kind)
{
   struct script *script = parser->script;

   if (!ARRAY_RESERVE_ONE(script->steps, script->step_count)) {
      return NULL;
   }
   struct script_step *step = &script->steps[script->step_count++];
   *step = (struct script_step){.kind = kind, .line = parser->line};
   return step;
}

struct script_binding *script_add_binding(struct script_pipeline *pipeline)
{
   if (!ARRAY_RESERVE_ONE(pipeline->bindings, pipeline->binding_count)) {
      return NULL;
   }
   struct script_binding *binding = &pipeline->bindings[pipeline->binding_count++];
   *binding = (struct script_binding){.kind = PLACE_NAME};
   return binding;
}

bool script_add_text(char ***list, size_t *count, const char *text)
{
   char *copy = strdup(text);

   if (copy == NULL || !ARRAY_RESERVE_ONE(*list, *count)) {
      free(copy);
      return false;
   }
   (*list)[(*count)++] = copy;
   return true;
}

int script_add_write(struct script_parser *parser, size_t memory, size_t offset, enum piglit_scalar scalar,
                     const union piglit_value *values, size_t count, size_t stride)
{
   const size_t size = piglit_scalar_size(scalar), apart = stride != 0 ? stride : size;
   uint8_t *bytes = calloc(count, apart);
   struct script_step *step = bytes != NULL ? script_add_step(parser, STEP_WRITE) : NULL;

   if (step == NULL) {
      free(bytes);
      return piglit_no_memory(&parser->reader);
   }
   for (size_t i = 0; i < count; i++) {
      piglit_value_store(bytes + i * apart, scalar, values[i]);
   }
   step->memory = memory;
   step->offset = offset;
   step->bytes = bytes;
   step->size = (count - 1) * apart + size;
   return 0;
}

int script_set_text(struct script_parser *parser, struct script_shader *shader, const char *first, const char *text,
                    size_t length, unsigned line)
{
   const size_t start = strlen(first);

   shader->text = malloc(start + line + length + 2);
   if (shader->text == NULL) {
      return piglit_no_memory(&parser->reader);
   }
   char *at = stpcpy(shader->text, first);
   memset(at, '\n', line - 1);
   memcpy(at + line - 1, text, length);
   at[line - 1 + length] = '\0';
   return 0;
}

/* ---- Words with a meaning ---- */

/* A prefix of a vector's name, and the name of the scalar alone. */
static const struct {
   const char *scalar_name, *vector_prefix;
   enum piglit_scalar scalar;
} type_names[] = {
    {"float", "vec", PIGLIT_FLOAT},     {"double", "dvec", PIGLIT_DOUBLE},    {"float16_t", "f16vec", PIGLIT_HALF},
    {"int", "ivec", PIGLIT_INT},        {"uint", "uvec", PIGLIT_UINT},        {"int8_t", "i8vec", PIGLIT_CHAR},
    {"uint8_t", "u8vec", PIGLIT_UCHAR}, {"int16_t", "i16vec", PIGLIT_SHORT},  {"uint16_t", "u16vec", PIGLIT_USHORT},
    {"int64_t", "i64vec", PIGLIT_LONG}, {"uint64_t", "u64vec", PIGLIT_ULONG}, {"int64", "-", PIGLIT_LONG},
    {"uint64", "-", PIGLIT_ULONG},      {"bool", "bvec", PIGLIT_INT},         {"-", "mat", PIGLIT_FLOAT},
    {"-", "dmat", PIGLIT_DOUBLE},
};

static bool is_size(char letter)
{
   return letter >= '2' && letter <= '4';
}

bool script_type_parse(const char *word, struct script_type *type)
{
   for (size_t i = 0; i < ARRAY_COUNT(type_names); i++) {
      const size_t length = strlen(type_names[i].vector_prefix);
      const char *sizes = word + length;
      *type = (struct script_type){type_names[i].scalar, 1, 1};
      if (strcmp(word, type_names[i].scalar_name) == 0) {
         return true;
      }
      if (strncmp(word, type_names[i].vector_prefix, length) != 0 || !is_size(sizes[0])) {
         continue;
      }
      type->rows = (unsigned)(sizes[0] - '0');
      if (type_names[i].scalar_name[0] != '-') {
         return sizes[1] == '\0';
      }
      type->columns = type->rows; /* mat2x3 has two columns of three rows */
      if (sizes[1] == 'x' && is_size(sizes[2])) {
         type->rows = (unsigned)(sizes[2] - '0');
         sizes += 2;
      }
      return sizes[1] == '\0';
   }
   return false;
}

static const char *const compare_words[COMPARES][2] = {
    [COMPARE_EQ] = {"==", "EQ"}, [COMPARE_NE] = {"!=", "NE"}, [COMPARE_LT] = {"<", "LT"},
    [COMPARE_LE] = {"<=", "LE"}, [COMPARE_GT] = {">", "GT"},  [COMPARE_GE] = {">=", "GE"},
};

bool script_compare_parse(const char *word, enum script_compare *compare)
{
   for (enum script_compare i = 0; i < COMPARES; i++) {
      if (strcmp(word, compare_words[i][0]) == 0 || strcmp(word, compare_words[i][1]) == 0) {
         *compare = i;
         return true;
      }
   }
   return false;
}

const char *script_compare_name(enum script_compare compare)
{
   return compare_words[compare][1];
}
