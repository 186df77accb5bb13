/* SPDX-License-Identifier: MIT
 *
 * Writes and expectations of a script. Invariant: no step reads or writes outside its memory; one that would is refused
 * before anything runs.
 */
#include "agx_runner/driver/tests/contents.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 4, 5))) static void say(const struct script *script, unsigned line, char *reason,
                                                      const char *format, ...)
{
   char text[320];
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   snprintf(reason, PIGLIT_REASON, "%s:%u: %s", script->path, line, text);
}

/* ---- Texels ---- */

/* The scalar of a format's elements; false: they are packed. */
static bool element_scalar(const struct host_format *format, enum piglit_scalar *scalar)
{
   static const struct {
      const char *name;
      enum piglit_scalar scalar;
   } elements[] = {{"u8", PIGLIT_UCHAR}, {"i8", PIGLIT_CHAR}, {"u16", PIGLIT_USHORT}, {"i16", PIGLIT_SHORT},
                   {"u32", PIGLIT_UINT}, {"i32", PIGLIT_INT}, {"f16", PIGLIT_HALF},   {"f32", PIGLIT_FLOAT}};
   const bool packed = strncmp(format->name, "rgb10", 5) == 0 || strncmp(format->name, "rgb9", 4) == 0 ||
                       strncmp(format->name, "r11f", 4) == 0 || format->name[0] == 's' || format->name[0] == 'b';

   for (size_t i = 0; !packed && i < sizeof(elements) / sizeof(elements[0]); i++) {
      if (strcmp(format->element, elements[i].name) == 0) {
         *scalar = elements[i].scalar;
         return true;
      }
   }
   return false;
}

/* What an element stands for divided by the element: 1, or 1/255 of a normalised one. */
static double element_unit(const struct host_format *format, enum piglit_scalar scalar)
{
   const unsigned bits = 8 * (unsigned)piglit_scalar_size(scalar);

   if (format->reads != 'f' || piglit_scalar_number(scalar) == PIGLIT_FLOATING) {
      return 1;
   }
   return 1 / (ldexp(1, (int)(piglit_scalar_number(scalar) == PIGLIT_SIGNED ? bits - 1 : bits)) - 1);
}

static void put_texel(struct content *content, size_t texel, const double color[4])
{
   const struct host_format *format = host_format(content->format);
   enum piglit_scalar scalar = PIGLIT_FLOAT;

   (void)element_scalar(format, &scalar);
   const size_t size = piglit_scalar_size(scalar);
   for (uint32_t i = 0; i < format->elements && i < 4; i++) {
      const double number = color[i] / element_unit(format, scalar);
      union piglit_value value = {.f = number};
      if (piglit_scalar_number(scalar) != PIGLIT_FLOATING) {
         value.i = llround(number);
      }
      piglit_value_store(content->bytes + (texel * format->elements + i) * size, scalar, value);
   }
}

/* Components that the format does not have are 0, and alpha is 1. */
static void get_texel(const struct content *content, size_t texel, double color[4])
{
   const struct host_format *format = host_format(content->format);
   enum piglit_scalar scalar = PIGLIT_FLOAT;

   (void)element_scalar(format, &scalar);
   for (uint32_t i = 0; i < 4; i++) {
      color[i] = i == 3;
      if (i < format->elements) {
         const union piglit_value value =
             piglit_value_load(content->bytes + (texel * format->elements + i) * piglit_scalar_size(scalar), scalar);
         color[i] = element_unit(format, scalar) * (piglit_scalar_number(scalar) == PIGLIT_FLOATING ? value.f
                                                    : piglit_scalar_number(scalar) == PIGLIT_SIGNED ? (double)value.i
                                                                                                    : (double)value.u);
      }
   }
}

static void write_rgbw(struct content *content, const unsigned sizes[2])
{
   static const double quarters[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0.25}, {0, 0, 1, 0.5}, {1, 1, 1, 1}};

   for (unsigned y = 0; y < sizes[1]; y++) {
      for (unsigned x = 0; x < sizes[0]; x++) {
         put_texel(content, (size_t)y * sizes[0] + x, quarters[(y >= sizes[1] / 2) * 2 + (x >= sizes[0] / 2)]);
      }
   }
}

/* ---- The memories ---- */

static enum piglit_status init_memory(struct content *content, const struct script_memory *memory,
                                      const struct script *script, char *reason)
{
   enum piglit_scalar scalar;

   content->format = HOST_NO_FORMAT;
   content->size = memory->size;
   if (memory->format[0] != '\0') {
      content->format = host_format_find(memory->format, strlen(memory->format));
      if (content->format == HOST_NO_FORMAT || !element_scalar(host_format(content->format), &scalar)) {
         snprintf(reason, PIGLIT_REASON, "%s: %s: textures of the format %s are not written here", script->path,
                  memory->name, memory->format);
         return PIGLIT_SKIP;
      }
      content->size = (size_t)memory->image_sizes[0] * memory->image_sizes[1] * host_format_bytes(content->format);
   }
   content->bytes = calloc(1, content->size + 1);
   if (content->bytes == NULL) {
      snprintf(reason, PIGLIT_REASON, "%s: out of memory", script->path);
      return PIGLIT_FAIL;
   }
   return PIGLIT_PASS;
}

static enum piglit_status check_step(const struct contents *contents, const struct script_step *step, char *reason)
{
   const size_t size = step->kind == STEP_WRITE ? step->size : step->value_count * piglit_scalar_size(step->scalar);
   const size_t room = contents->list[step->memory].size;

   if ((step->kind == STEP_WRITE || step->kind == STEP_EXPECT) && (step->offset > room || size > room - step->offset)) {
      say(contents->script, step->line, reason, "%zu bytes at %zu do not lie in %s, which has %zu", size, step->offset,
          contents->script->memories[step->memory].name, room);
      return PIGLIT_SKIP;
   }
   if (step->kind == STEP_EXPECT && step->offset % piglit_scalar_size(step->scalar) != 0) {
      say(contents->script, step->line, reason, "byte %zu is no multiple of the element's size", step->offset);
      return PIGLIT_SKIP;
   }
   return PIGLIT_PASS;
}

enum piglit_status contents_init(struct contents *contents, const struct script *script, char *reason)
{
   enum piglit_status status = PIGLIT_PASS;

   *contents = (struct contents){.script = script, .list = calloc(script->memory_count + 1, sizeof(struct content))};
   if (contents->list == NULL) {
      snprintf(reason, PIGLIT_REASON, "%s: out of memory", script->path);
      return PIGLIT_FAIL;
   }
   for (size_t i = 0; status == PIGLIT_PASS && i < script->memory_count; i++) {
      status = init_memory(&contents->list[i], &script->memories[i], script, reason);
   }
   for (size_t i = 0; status == PIGLIT_PASS && i < script->step_count; i++) {
      status = script->memory_count > 0 ? check_step(contents, &script->steps[i], reason) : PIGLIT_PASS;
   }
   return status;
}

bool contents_copy(const struct contents *from, struct contents *to)
{
   const size_t count = from->script->memory_count;
   bool good;

   *to = (struct contents){.script = from->script, .list = calloc(count + 1, sizeof(struct content))};
   good = to->list != NULL;
   for (size_t i = 0; good && i < count; i++) {
      to->list[i] = from->list[i];
      to->list[i].bytes = malloc(from->list[i].size + 1);
      good = to->list[i].bytes != NULL;
      if (good) {
         memcpy(to->list[i].bytes, from->list[i].bytes, from->list[i].size);
      }
   }
   return good;
}

void contents_finish(struct contents *contents)
{
   for (size_t i = 0; contents->list != NULL && i < contents->script->memory_count; i++) {
      free(contents->list[i].bytes);
   }
   free(contents->list);
   *contents = (struct contents){.list = NULL};
}

/* ---- Writes ---- */

bool contents_writes(const struct script_step *step)
{
   return step->kind == STEP_WRITE || step->kind == STEP_FILL || step->kind == STEP_RGBW;
}

bool contents_writes_all(const struct contents *contents, const struct script_step *step)
{
   return step->kind != STEP_WRITE || (step->offset == 0 && step->size == contents->list[step->memory].size);
}

void contents_write(struct contents *contents, const struct script_step *step)
{
   struct content *content = &contents->list[step->memory];
   const unsigned *sizes = contents->script->memories[step->memory].image_sizes;

   if (step->kind == STEP_WRITE) {
      memcpy(content->bytes + step->offset, step->bytes, step->size);
   } else if (step->kind == STEP_RGBW) {
      write_rgbw(content, sizes);
   } else {
      const double color[] = {step->values[0].f, step->values[1].f, step->values[2].f, step->values[3].f};
      for (size_t i = 0; i < (size_t)sizes[0] * sizes[1]; i++) {
         put_texel(content, i, color);
      }
   }
}

/* ---- Expectations ---- */

/* By the numbers' order; no comparison but "not equal" holds of a NaN. */
static bool holds(enum script_compare compare, int order, bool unordered)
{
   switch (compare) {
   case COMPARE_EQ:
      return !unordered && order == 0;
   case COMPARE_NE:
      return unordered || order != 0;
   case COMPARE_LT:
      return !unordered && order < 0;
   case COMPARE_LE:
      return !unordered && order <= 0;
   case COMPARE_GT:
      return !unordered && order > 0;
   default:
      return !unordered && order >= 0;
   }
}

static double as_double(enum piglit_scalar scalar, union piglit_value value)
{
   switch (piglit_scalar_number(scalar)) {
   case PIGLIT_SIGNED:
      return (double)value.i;
   case PIGLIT_UNSIGNED:
      return (double)value.u;
   default:
      return value.f;
   }
}

static bool value_holds(const struct script_step *step, union piglit_value got, union piglit_value wanted)
{
   const double a = as_double(step->scalar, got), b = as_double(step->scalar, wanted);

   if (step->tolerance > 0 && step->compare == COMPARE_EQ) {
      return fabs(a - b) <= step->tolerance * (step->percent ? fabs(b) / 100 : 1);
   }
   if (step->scalar == PIGLIT_LONG) {
      return holds(step->compare, (got.i > wanted.i) - (got.i < wanted.i), false);
   }
   if (step->scalar == PIGLIT_ULONG) {
      return holds(step->compare, (got.u > wanted.u) - (got.u < wanted.u), false);
   }
   return holds(step->compare, (a > b) - (a < b), isnan(a) || isnan(b));
}

static void print_value(enum piglit_scalar scalar, union piglit_value value, char text[40])
{
   if (piglit_scalar_number(scalar) == PIGLIT_FLOATING) {
      snprintf(text, 40, "%.9g", value.f);
   } else if (piglit_scalar_number(scalar) == PIGLIT_SIGNED) {
      snprintf(text, 40, "%" PRId64, value.i);
   } else {
      snprintf(text, 40, "%" PRIu64, value.u);
   }
}

static enum piglit_status judge_values(const struct contents *contents, const struct script_step *step, char *reason)
{
   const struct content *content = &contents->list[step->memory];
   const size_t size = piglit_scalar_size(step->scalar);
   char texts[2][40];

   for (size_t i = 0; i < step->value_count; i++) {
      const size_t at = step->offset + i * size;
      const union piglit_value got = piglit_value_load(content->bytes + at, step->scalar);
      /* The expected number as the element has it: 0.1 is no float. */
      uint8_t stored[16];
      piglit_value_store(stored, step->scalar, step->values[i]);
      const union piglit_value wanted = piglit_value_load(stored, step->scalar);
      if (!value_holds(step, got, wanted)) {
         print_value(step->scalar, got, texts[0]);
         print_value(step->scalar, wanted, texts[1]);
         say(contents->script, step->line, reason, "%s, byte %zu: %s, expected %s %s",
             contents->script->memories[step->memory].name, at, texts[0], script_compare_name(step->compare), texts[1]);
         return PIGLIT_FAIL;
      }
   }
   return PIGLIT_PASS;
}

static enum piglit_status judge_texel(const struct contents *contents, const struct script_step *step, unsigned x,
                                      unsigned y, char *reason)
{
   const struct script_memory *memory = &contents->script->memories[step->memory];
   double got[4];

   get_texel(&contents->list[step->memory], (size_t)y * memory->image_sizes[0] + x, got);
   for (size_t i = 0; i < step->value_count; i++) {
      if (!(fabs(got[i] - step->values[i].f) <= step->tolerance)) {
         say(contents->script, step->line, reason,
             "%s, texel %u,%u: %.4g %.4g %.4g %.4g, component %zu is expected to be %.4g", memory->name, x, y, got[0],
             got[1], got[2], got[3], i, step->values[i].f);
         return PIGLIT_FAIL;
      }
   }
   return PIGLIT_PASS;
}

static enum piglit_status judge_texels(const struct contents *contents, const struct script_step *step, char *reason)
{
   const unsigned *sizes = contents->script->memories[step->memory].image_sizes;
   enum piglit_status status = PIGLIT_PASS;

   if (!step->all) {
      return judge_texel(contents, step, step->texel[0], step->texel[1], reason);
   }
   for (unsigned y = 0; status == PIGLIT_PASS && y < sizes[1]; y++) {
      for (unsigned x = 0; status == PIGLIT_PASS && x < sizes[0]; x++) {
         status = judge_texel(contents, step, x, y, reason);
      }
   }
   return status;
}

static enum piglit_status judge_same(const struct contents *contents, const struct script_step *step, char *reason)
{
   const struct content *one = &contents->list[step->memory], *other = &contents->list[step->other];

   if (one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0) {
      return PIGLIT_PASS;
   }
   say(contents->script, step->line, reason, "buffers %s and %s differ", contents->script->memories[step->memory].name,
       contents->script->memories[step->other].name);
   return PIGLIT_FAIL;
}

enum piglit_status contents_judge(const struct contents *contents, const struct script_step *step, char *reason)
{
   switch (step->kind) {
   case STEP_EXPECT:
      return judge_values(contents, step, reason);
   case STEP_TEXELS:
      return judge_texels(contents, step, reason);
   case STEP_SAME:
      return judge_same(contents, step, reason);
   default:
      return PIGLIT_PASS;
   }
}
