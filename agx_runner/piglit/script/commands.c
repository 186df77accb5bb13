/* SPDX-License-Identifier: MIT
 *
 * The commands of Piglit's shader tests and of VkRunner's that buffers, uniforms and launches have in common, from the
 * README of each. Invariant: a command is a row of a table; what no row takes is refused, and so is a word too many.
 */
#include "agx_runner/piglit/script/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* ---- Memory ---- */

size_t commands_find(const struct commands *commands, enum script_place_kind kind, const char *name, unsigned number,
                     bool *found)
{
   const struct script_pipeline *pipeline = &commands->parser->script->pipelines[0];

   for (size_t i = 0; i < pipeline->binding_count; i++) {
      const struct script_binding *binding = &pipeline->bindings[i];
      if (binding->kind == kind && binding->number == number && strcmp(binding->name, name) == 0) {
         *found = true;
         return binding->memory;
      }
   }
   *found = false;
   return 0;
}

int commands_memory(struct commands *commands, enum script_place_kind kind, const char *place, unsigned number,
                    const char *name, size_t *memory)
{
   struct script *script = commands->parser->script;
   bool found;

   *memory = commands_find(commands, kind, place, number, &found);
   if (found) {
      return 0;
   }
   struct script_memory *made = script_add_memory(commands->parser);
   struct script_binding *binding = made != NULL ? script_add_binding(&script->pipelines[0]) : NULL;
   if (binding == NULL) {
      return piglit_no_memory(&commands->parser->reader);
   }
   *memory = script->memory_count - 1;
   snprintf(made->name, sizeof(made->name), "%s", name);
   snprintf(binding->name, sizeof(binding->name), "%s", place);
   binding->kind = kind;
   binding->number = number;
   binding->memory = *memory;
   return 0;
}

/* "3", or of VkRunner "1:3" of set 1: the memory at that binding. kind: of OpenGL. */
static int binding_memory(struct commands *commands, size_t word, enum script_place_kind kind, size_t *memory)
{
   struct script_parser *parser = commands->parser;
   char *colon = commands->vulkan && word < parser->count ? strchr(parser->words[word], ':') : NULL;
   char place[64] = "", name[64];
   uint64_t set = 0, number = 0;
   int ret = 0;

   if (colon != NULL) {
      char *after = colon + 1;
      *colon = '\0';
      ret = script_number(parser, word, UINT16_MAX, &set);
      parser->words[word] = after;
   }
   ret = ret == 0 ? script_number(parser, word, UINT16_MAX, &number) : ret;
   if (ret < 0) {
      return ret;
   }
   if (commands->vulkan) {
      snprintf(place, sizeof(place), "%u.%u", (unsigned)set, (unsigned)number);
      snprintf(name, sizeof(name), "buffer %s", place);
      return commands_memory(commands, PLACE_NAME, place, 0, name, memory);
   }
   snprintf(name, sizeof(name), "%s %u",
            kind == PLACE_STORAGE    ? "ssbo"
            : kind == PLACE_UNIFORMS ? "ubo"
                                     : "atomic counters",
            (unsigned)number);
   return commands_memory(commands, kind, "", (unsigned)number, name, memory);
}

/* Gives a memory its size; again, it is filled with zeros. */
static int size_memory(struct commands *commands, size_t index, size_t size)
{
   struct script_memory *memory = &commands->parser->script->memories[index];

   if (memory->size != 0 && memory->size != size) {
      return script_refuse(commands->parser, "%s has %zu bytes already: it cannot have another size", memory->name,
                           memory->size);
   }
   const bool again = memory->size != 0;
   memory->size = size;
   if (!again) {
      return 0;
   }
   struct script_step *step = script_add_step(commands->parser, STEP_WRITE);
   uint8_t *bytes = calloc(1, size + 1);
   if (step == NULL || bytes == NULL) {
      free(bytes);
      return piglit_no_memory(&commands->parser->reader);
   }
   step->memory = index;
   step->bytes = bytes;
   step->size = size;
   return 0;
}

/* ---- Values in buffers ---- */

/* The type and the values from a word on: "vec2 OFFSET [==] VALUE...". */
struct elements {
   struct script_type type;
   uint64_t offset;
   union piglit_value *values;
   size_t count;  /* of values */
   size_t stride; /* of elements; 0: they are dense */
};

static int parse_type(struct script_parser *parser, size_t word, struct elements *elements)
{
   if (word >= parser->count || !script_type_parse(parser->words[word], &elements->type) ||
       elements->type.columns > 1) {
      return script_refuse(parser, "'%s' is no type of a buffer's elements: expected a scalar's or vector's name",
                           word < parser->count ? parser->words[word] : "");
   }
   const size_t size = piglit_scalar_size(elements->type.scalar);
   elements->stride = elements->type.rows == 3 ? 4 * size : 0; /* std430 */
   return 0;
}

static int parse_values(struct script_parser *parser, size_t first, struct elements *elements)
{
   elements->count = parser->count > first ? parser->count - first : 0;
   if (elements->count == 0 || elements->count % elements->type.rows != 0) {
      return script_refuse(parser, "%zu values, where the type has %u", elements->count, elements->type.rows);
   }
   return script_values(parser, first, elements->count, elements->type.scalar, &elements->values);
}

/* The values are written element by element where these have gaps between them. */
static int write_elements(struct commands *commands, size_t memory, const struct elements *elements)
{
   const size_t size = piglit_scalar_size(elements->type.scalar);
   const size_t part = elements->stride != 0 ? elements->type.rows : elements->count;
   const size_t apart = elements->stride != 0 ? elements->stride : elements->count * size;
   struct script_memory *target = &commands->parser->script->memories[memory];
   size_t end = elements->offset;
   int ret = 0;

   for (size_t i = 0; ret == 0 && i < elements->count / part; i++) {
      ret = script_add_write(commands->parser, memory, elements->offset + i * apart, elements->type.scalar,
                             elements->values + i * part, part, 0);
      end = elements->offset + i * apart + part * size;
   }
   target->size = target->size < end ? end : target->size;
   return ret;
}

/* ssbo BINDING SIZE, ssbo BINDING subdata TYPE OFFSET VALUE... */
static int parse_buffer(struct commands *commands, enum script_place_kind kind)
{
   struct script_parser *parser = commands->parser;
   struct elements elements = {.values = NULL};
   uint64_t size = 0;
   size_t memory;
   int ret = binding_memory(commands, 1, kind, &memory);

   if (ret == 0 && script_word_is(parser, 2, "subdata")) {
      ret = parse_type(parser, 3, &elements);
      ret = ret == 0 ? script_number(parser, 4, SCRIPT_MOST_BYTES, &elements.offset) : ret;
      ret = ret == 0 ? parse_values(parser, 5, &elements) : ret;
      ret = ret == 0 ? write_elements(commands, memory, &elements) : ret;
   } else if (ret == 0 && parser->count == 3) {
      ret = script_number(parser, 2, SCRIPT_MOST_BYTES, &size);
      ret = ret == 0 ? size_memory(commands, memory, size) : ret;
   } else if (ret == 0) {
      ret = script_refuse(parser, "expected %s BINDING SIZE, or %s BINDING subdata TYPE OFFSET VALUE...",
                          parser->words[0], parser->words[0]);
   }
   free(elements.values);
   return ret;
}

static int parse_ssbo(struct commands *commands)
{
   return parse_buffer(commands, PLACE_STORAGE);
}

static int parse_ubo(struct commands *commands)
{
   return commands->vulkan ? parse_buffer(commands, PLACE_UNIFORMS)
                           : script_refuse(commands->parser, "'ubo' is not understood");
}

/* ---- Uniforms and push constants ---- */

/* push TYPE OFFSET VALUE..., uniform ubo BINDING TYPE OFFSET VALUE... */
static int parse_vulkan_values(struct commands *commands, size_t word, size_t memory, bool std140)
{
   struct script_parser *parser = commands->parser;
   struct elements elements = {.values = NULL};
   int ret = parse_type(parser, word, &elements);

   ret = ret == 0 ? script_number(parser, word + 1, SCRIPT_MOST_BYTES, &elements.offset) : ret;
   ret = ret == 0 ? parse_values(parser, word + 2, &elements) : ret;
   if (ret == 0 && std140 && elements.count > elements.type.rows &&
       elements.type.rows * piglit_scalar_size(elements.type.scalar) != 16) {
      ret = script_refuse(parser, "several elements that would need std140's padding");
   }
   ret = ret == 0 ? write_elements(commands, memory, &elements) : ret;
   free(elements.values);
   return ret;
}

static int parse_push(struct commands *commands)
{
   size_t memory;
   const int ret = commands_memory(commands, PLACE_NAME, "push", 0, "push constants", &memory);

   if (ret == 0) {
      commands->parser->script->memories[memory].is_value = true;
   }
   return ret == 0 ? parse_vulkan_values(commands, 1, memory, false) : ret;
}

/* uniform TYPE NAME VALUE... */
static int parse_named_uniform(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   struct script_type type;
   union piglit_value *values = NULL;
   char name[64], shown[80];
   size_t memory;

   if (parser->count < 4 || !script_type_parse(parser->words[1], &type)) {
      return script_refuse(parser, "'%s' is no type of a uniform: expected uniform TYPE NAME VALUE...",
                           parser->count > 1 ? parser->words[1] : "");
   }
   if (strspn(parser->words[2], "0123456789") > 0 || strlen(parser->words[2]) >= sizeof(name)) {
      return script_refuse(parser, "uniform '%s': a uniform is given by its name", parser->words[2]);
   }
   const size_t count = parser->count - 3, length = strlen(parser->words[2]);
   const bool first = length > 3 && strcmp(parser->words[2] + length - 3, "[0]") == 0;
   snprintf(name, sizeof(name), "%.*s", (int)(first ? length - 3 : length), parser->words[2]);
   snprintf(shown, sizeof(shown), "uniform %s", name);
   if (count % (type.rows * type.columns) != 0) {
      return script_refuse(parser, "%zu values, where %s has %u", count, parser->words[1], type.rows * type.columns);
   }
   int ret = commands_memory(commands, PLACE_NAME, name, 0, shown, &memory);
   ret = ret == 0 ? script_values(parser, 3, count, type.scalar, &values) : ret;
   if (ret == 0) {
      struct script_memory *target = &parser->script->memories[memory];
      const size_t size = count * piglit_scalar_size(type.scalar);
      target->is_value = true;
      target->size = target->size == 0 ? size : target->size;
      ret = target->size == size ? script_add_write(parser, memory, 0, type.scalar, values, count, 0)
                                 : script_refuse(parser, "uniform '%s' had %zu bytes before", name, target->size);
   }
   free(values);
   return ret;
}

static int parse_uniform(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   size_t memory;

   if (!commands->vulkan) {
      return parse_named_uniform(commands);
   }
   if (!script_word_is(parser, 1, "ubo")) {
      return parse_push(commands); /* VkRunner's older name of it */
   }
   const int ret = binding_memory(commands, 2, PLACE_UNIFORMS, &memory);
   return ret == 0 ? parse_vulkan_values(commands, 3, memory, true) : ret;
}

/* ---- Launches ---- */

static int parse_compute(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   uint64_t groups[3];
   int ret = parser->count == 4 ? 0 : script_refuse(parser, "expected compute X Y Z: other launches are not made");

   for (unsigned i = 0; ret == 0 && i < 3; i++) {
      ret = script_number(parser, 1 + i, UINT16_MAX, &groups[i]);
   }
   struct script_step *step = ret == 0 ? script_add_step(parser, STEP_RUN) : NULL;
   if (step == NULL) {
      return ret == 0 ? piglit_no_memory(&parser->reader) : ret;
   }
   for (unsigned i = 0; i < 3; i++) {
      step->groups[i] = (uint32_t)groups[i];
   }
   return 0;
}

static int parse_link(struct commands *commands)
{
   struct script_parser *parser = commands->parser;

   if (parser->count != 2 || (!script_word_is(parser, 1, "error") && !script_word_is(parser, 1, "success"))) {
      return script_refuse(parser, "expected link error or link success");
   }
   return script_add_step(parser, script_word_is(parser, 1, "error") ? STEP_REFUSED : STEP_LINKS) != NULL
              ? 0
              : piglit_no_memory(&parser->reader);
}

/* ---- Expectations ---- */

/* Adds an expectation of the values. */
static int expect(struct commands *commands, size_t memory, size_t offset, enum piglit_scalar scalar,
                  const union piglit_value *values, size_t count, enum script_compare compare, bool fuzzy)
{
   union piglit_value *copy = calloc(count, sizeof(*copy));
   struct script_step *step = copy != NULL ? script_add_step(commands->parser, STEP_EXPECT) : NULL;

   if (step == NULL) {
      free(copy);
      return piglit_no_memory(&commands->parser->reader);
   }
   memcpy(copy, values, count * sizeof(*copy));
   step->memory = memory;
   step->offset = offset;
   step->scalar = scalar;
   step->values = copy;
   step->value_count = count;
   step->compare = compare;
   step->tolerance = fuzzy ? commands->tolerance : 0;
   step->percent = fuzzy && commands->percent;
   return 0;
}

static int parse_compare(struct commands *commands, size_t word, enum script_compare *compare, bool *fuzzy)
{
   const struct script_parser *parser = commands->parser;

   *compare = COMPARE_EQ;
   *fuzzy = commands->vulkan && script_word_is(parser, word, "~=");
   return *fuzzy || (word < parser->count && script_compare_parse(parser->words[word], compare))
              ? 0
              : script_refuse(commands->parser, "'%s' is no comparison that is understood",
                              word < parser->count ? parser->words[word] : "");
}

/* probe ssbo TYPE BINDING OFFSET == VALUE... */
static int parse_probe_ssbo(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   struct elements elements = {.values = NULL};
   enum script_compare compare;
   bool fuzzy;
   size_t memory;
   int ret = parse_type(parser, 2, &elements);

   ret = ret == 0 ? binding_memory(commands, 3, PLACE_STORAGE, &memory) : ret;
   ret = ret == 0 ? script_number(parser, 4, SCRIPT_MOST_BYTES, &elements.offset) : ret;
   ret = ret == 0 ? parse_compare(commands, 5, &compare, &fuzzy) : ret;
   ret = ret == 0 ? parse_values(parser, 6, &elements) : ret;
   const size_t size = piglit_scalar_size(elements.type.scalar);
   const size_t part = elements.stride != 0 ? elements.type.rows : elements.count;
   for (size_t i = 0; ret == 0 && i < elements.count / part; i++) {
      ret = expect(commands, memory, elements.offset + i * (elements.stride != 0 ? elements.stride : part * size),
                   elements.type.scalar, elements.values + i * part, part, compare, fuzzy);
   }
   free(elements.values);
   return ret;
}

/* atomic counters COUNT, atomic counter buffer BINDING COUNT, atomic counter BINDING INDEX VALUE: all of OpenGL. */
static int parse_counters(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   const bool plain = script_word_is(parser, 1, "counters"), buffer = script_word_is(parser, 2, "buffer");
   union piglit_value value;
   uint64_t number = 0, count = 0;
   size_t memory;
   int ret = 0;

   if (commands->vulkan || parser->count != (plain ? 3u : 5u) || (!plain && !script_word_is(parser, 1, "counter"))) {
      return script_refuse(parser, "expected atomic counters COUNT, atomic counter buffer BINDING COUNT, or atomic "
                                   "counter BINDING INDEX VALUE");
   }
   if (plain) {
      ret = commands_memory(commands, PLACE_COUNTERS, "", 0, "atomic counters 0", &memory);
      ret = ret == 0 ? script_number(parser, 2, UINT16_MAX, &count) : ret;
      return ret == 0 ? size_memory(commands, memory, count * sizeof(uint32_t)) : ret;
   }
   ret = binding_memory(commands, buffer ? 3 : 2, PLACE_COUNTERS, &memory);
   ret = ret == 0 ? script_number(parser, buffer ? 4 : 3, UINT16_MAX, &number) : ret;
   if (ret == 0 && buffer) {
      return size_memory(commands, memory, number * sizeof(uint32_t));
   }
   ret = ret == 0 ? script_number(parser, 4, UINT32_MAX, &value.u) : ret;
   return ret == 0 ? script_add_write(parser, memory, number * sizeof(uint32_t), PIGLIT_UINT, &value, 1, 0) : ret;
}

/* probe atomic counter INDEX == VALUE, probe atomic counter buffer BINDING INDEX == VALUE. */
static int parse_probe_counter(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   const bool buffer = script_word_is(parser, 3, "buffer");
   const size_t at = buffer ? 5 : 3;
   enum script_compare compare;
   union piglit_value value;
   uint64_t index;
   bool fuzzy;
   size_t memory;
   int ret = parser->count == at + 3 ? 0 : script_refuse(parser, "expected probe atomic counter INDEX == VALUE");

   if (ret == 0) {
      ret = buffer ? binding_memory(commands, 4, PLACE_COUNTERS, &memory)
                   : commands_memory(commands, PLACE_COUNTERS, "", 0, "atomic counters 0", &memory);
   }
   ret = ret == 0 ? script_number(parser, at, UINT16_MAX, &index) : ret;
   ret = ret == 0 ? parse_compare(commands, at + 1, &compare, &fuzzy) : ret;
   ret = ret == 0 ? script_number(parser, at + 2, UINT32_MAX, &value.u) : ret;
   return ret == 0 ? expect(commands, memory, index * sizeof(uint32_t), PIGLIT_UINT, &value, 1, compare, false) : ret;
}

/* tolerance NUMBER[%]. */
static int parse_tolerance(struct commands *commands)
{
   struct script_parser *parser = commands->parser;
   char *end = NULL;

   if (parser->count == 2) {
      commands->tolerance = strtod(parser->words[1], &end);
      commands->percent = *end == '%';
   }
   return commands->vulkan && end != NULL && end != parser->words[1] && end[commands->percent] == '\0'
              ? 0
              : script_refuse(parser, "expected tolerance NUMBER, or one with %%");
}

/* ---- The tables ---- */

static int parse_raster(struct commands *commands)
{
   return script_refuse(commands->parser, "'%s' needs a rasteriser: compute shaders alone are run",
                        commands->parser->words[0]);
}

static const struct command_row rows[] = {
    {{"ssbo"}, parse_ssbo},
    {{"ubo"}, parse_ubo},
    {{"uniform"}, parse_uniform},
    {{"push"}, parse_push},
    {{"compute"}, parse_compute},
    {{"link"}, parse_link},
    {{"probe", "ssbo"}, parse_probe_ssbo},
    {{"atomic"}, parse_counters},
    {{"probe", "atomic", "counter"}, parse_probe_counter},
    {{"tolerance"}, parse_tolerance},
    {{"draw"}, parse_raster},
    {{"patch"}, parse_raster},
};

static bool fits(const struct script_parser *parser, const struct command_row *row)
{
   for (size_t i = 0; i < ARRAY_COUNT(row->words) && row->words[i] != NULL; i++) {
      if (!script_word_is(parser, i, row->words[i])) {
         return false;
      }
   }
   return true;
}

int commands_parse(struct commands *commands)
{
   const struct script_parser *parser = commands->parser;

   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      if (fits(parser, &rows[i])) {
         return rows[i].parse(commands);
      }
   }
   for (size_t i = 0; !commands->vulkan && i < commands_images_count; i++) {
      if (fits(parser, &commands_images[i])) {
         return commands_images[i].parse(commands);
      }
   }
   return script_refuse(commands->parser, "'%s%s%s' is not understood", parser->words[0], parser->count > 1 ? " " : "",
                        parser->count > 1 ? parser->words[1] : "");
}
