/* SPDX-License-Identifier: MIT
 *
 * The element types: one row describes one type. Numbers that do not fit their type are refused, never truncated.
 */
#include "agx_runner/launch/element.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "nir_kernels/half.h"
#include "util/array.h"

static const struct element_type types[] = {
    {"f16", "half", ELEMENT_FLOAT, 2},     {"f32", "float", ELEMENT_FLOAT, 4},   {"f64", "double", ELEMENT_FLOAT, 8},
    {"u8", "uchar", ELEMENT_UNSIGNED, 1},  {"i8", "char", ELEMENT_SIGNED, 1},    {"u16", "ushort", ELEMENT_UNSIGNED, 2},
    {"i16", "short", ELEMENT_SIGNED, 2},   {"u32", "uint", ELEMENT_UNSIGNED, 4}, {"i32", "int", ELEMENT_SIGNED, 4},
    {"u64", "ulong", ELEMENT_UNSIGNED, 8}, {"i64", "long", ELEMENT_SIGNED, 8},   {"ptr", "", ELEMENT_ADDRESS, 8},
};

static bool equals(const char *name, size_t length, const char *other)
{
   return strlen(other) == length && strncmp(name, other, length) == 0;
}

const struct element_type *element_find(const char *name, size_t length)
{
   for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
      if (equals(name, length, types[i].name)) {
         return &types[i];
      }
   }
   return NULL;
}

const struct element_type *element_find_opencl(const char *name, size_t length)
{
   for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
      if (equals(name, length, types[i].opencl)) {
         return &types[i];
      }
   }
   return NULL;
}

static void put_float(const struct element_type *type, double value, uint8_t *bytes)
{
   const uint16_t half = bench_half(value);
   const float single = (float)value;
   const void *sources[] = {NULL, &half, &single, NULL, &value};

   memcpy(bytes, sources[type->size / 2], type->size);
}

static double get_float(const struct element_type *type, const uint8_t *bytes)
{
   uint16_t half = 0;
   float single = 0;
   double value = 0;
   void *const targets[] = {NULL, &half, &single, NULL, &value};

   memcpy(targets[type->size / 2], bytes, type->size);
   return type->size == 2 ? bench_half_value(half) : type->size == 4 ? (double)single : value;
}

/* Little-endian on every host, as the GPU is. */
static void put_integer(const struct element_type *type, uint64_t value, uint8_t *bytes)
{
   for (unsigned i = 0; i < type->size; i++) {
      bytes[i] = (uint8_t)(value >> 8 * i);
   }
}

static uint64_t get_integer(const struct element_type *type, const uint8_t *bytes)
{
   uint64_t value = 0;

   for (unsigned i = 0; i < type->size; i++) {
      value |= (uint64_t)bytes[i] << 8 * i;
   }
   return value;
}

static bool parse_float(const struct element_type *type, const char *text, uint8_t *bytes)
{
   char *end;

   /* strtof rounds once, strtod and a cast would round twice */
   errno = 0;
   const double value = type->size == 4 ? (double)strtof(text, &end) : strtod(text, &end);
   if (end == text || *end != '\0' || isspace((unsigned char)text[0])) {
      return false;
   }
   put_float(type, value, bytes);
   return true;
}

static bool parse_integer(const struct element_type *type, const char *text, uint8_t *bytes)
{
   const bool negative = text[0] == '-';
   const char *digits = text + negative;
   const unsigned bits = type->size * 8;
   const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
   const uint64_t limit = negative ? UINT64_C(1) << (bits - 1) : type->kind == ELEMENT_SIGNED ? all >> 1 : all;
   char *end;

   if (!isdigit((unsigned char)digits[0]) || (negative && type->kind != ELEMENT_SIGNED)) {
      return false;
   }
   errno = 0;
   const uint64_t value = strtoull(digits, &end, digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10);
   if (errno != 0 || *end != '\0' || value > limit) {
      return false;
   }
   put_integer(type, negative ? 0 - value : value, bytes);
   return true;
}

bool element_parse(const struct element_type *type, const char *text, uint8_t *bytes)
{
   return type->kind == ELEMENT_FLOAT ? parse_float(type, text, bytes) : parse_integer(type, text, bytes);
}

double element_value(const struct element_type *type, const uint8_t *bytes)
{
   return type->kind == ELEMENT_FLOAT ? get_float(type, bytes) : 0;
}

void element_print(const struct element_type *type, const uint8_t *bytes, char text[ELEMENT_TEXT_MAX])
{
   static const int digits[] = {[2] = 5, [4] = 9, [8] = 17};
   const uint64_t value = get_integer(type, bytes);
   const unsigned unused = 64 - type->size * 8;

   switch (type->kind) {
   case ELEMENT_FLOAT:
      snprintf(text, ELEMENT_TEXT_MAX, "%.*g", digits[type->size], get_float(type, bytes));
      break;
   case ELEMENT_SIGNED:
      snprintf(text, ELEMENT_TEXT_MAX, "%" PRId64, (int64_t)(value << unused) >> unused);
      break;
   case ELEMENT_UNSIGNED:
      snprintf(text, ELEMENT_TEXT_MAX, "%" PRIu64, value);
      break;
   case ELEMENT_ADDRESS:
      snprintf(text, ELEMENT_TEXT_MAX, "0x%" PRIx64, value);
      break;
   }
}

void element_random(const struct element_type *type, struct util_random *random, uint8_t *bytes)
{
   if (type->kind == ELEMENT_FLOAT) {
      put_float(type, util_random_unit(random), bytes);
   } else {
      put_integer(type, util_random_next(random), bytes);
   }
}

void element_iota(const struct element_type *type, uint64_t index, uint8_t *bytes)
{
   if (type->kind == ELEMENT_FLOAT) {
      put_float(type, (double)index, bytes);
   } else {
      put_integer(type, index, bytes);
   }
}
