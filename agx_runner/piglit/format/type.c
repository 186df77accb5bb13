/* SPDX-License-Identifier: MIT
 *
 * The table of scalar types, and conversion between text, numbers and bytes in memory. Invariant: a word with
 * anything behind its number is refused.
 */
#include "agx_runner/piglit/format/type.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/array.h"

struct scalar_info {
   const char *name;
   size_t size;
   enum piglit_number number;
   unsigned mantissa;
   int minimum_exponent;
};

static const struct scalar_info infos[PIGLIT_SCALARS] = {
    [PIGLIT_CHAR] = {"char", 1, PIGLIT_SIGNED, 0, 0},
    [PIGLIT_UCHAR] = {"uchar", 1, PIGLIT_UNSIGNED, 0, 0},
    [PIGLIT_SHORT] = {"short", 2, PIGLIT_SIGNED, 0, 0},
    [PIGLIT_USHORT] = {"ushort", 2, PIGLIT_UNSIGNED, 0, 0},
    [PIGLIT_INT] = {"int", 4, PIGLIT_SIGNED, 0, 0},
    [PIGLIT_UINT] = {"uint", 4, PIGLIT_UNSIGNED, 0, 0},
    [PIGLIT_LONG] = {"long", 8, PIGLIT_SIGNED, 0, 0},
    [PIGLIT_ULONG] = {"ulong", 8, PIGLIT_UNSIGNED, 0, 0},
    [PIGLIT_HALF] = {"half", 2, PIGLIT_FLOATING, 10, -13},
    [PIGLIT_FLOAT] = {"float", 4, PIGLIT_FLOATING, 23, -125},
    [PIGLIT_DOUBLE] = {"double", 8, PIGLIT_FLOATING, 52, -1021},
};

const char *piglit_scalar_name(enum piglit_scalar scalar)
{
   return infos[scalar].name;
}

size_t piglit_scalar_size(enum piglit_scalar scalar)
{
   return infos[scalar].size;
}

enum piglit_number piglit_scalar_number(enum piglit_scalar scalar)
{
   return infos[scalar].number;
}

unsigned piglit_scalar_mantissa(enum piglit_scalar scalar)
{
   return infos[scalar].mantissa;
}

int piglit_scalar_minimum_exponent(enum piglit_scalar scalar)
{
   return infos[scalar].minimum_exponent;
}

static bool parse_components(const char *digits, unsigned *components)
{
   static const struct {
      const char *digits;
      unsigned count;
   } widths[] = {{"", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}};

   for (size_t i = 0; i < ARRAY_COUNT(widths); i++) {
      if (strcmp(digits, widths[i].digits) == 0) {
         *components = widths[i].count;
         return true;
      }
   }
   return false;
}

bool piglit_type_parse(const char *word, struct piglit_type *type)
{
   for (unsigned i = 0; i < PIGLIT_SCALARS; i++) {
      size_t length = strlen(infos[i].name);
      if (strncmp(word, infos[i].name, length) == 0) {
         type->scalar = i;
         return parse_components(word + length, &type->components);
      }
   }
   return false;
}

size_t piglit_type_stride(struct piglit_type type)
{
   return infos[type.scalar].size * (type.components == 3 ? 4 : type.components);
}

static const char *parse_integer(const char *word, bool is_signed, union piglit_value *value)
{
   char *end;

   if (*word == '-' && !is_signed) {
      return "an unsigned number cannot be negative";
   }
   errno = 0;
   if (*word == '-') {
      value->i = strtoll(word, &end, 0);
   } else {
      value->u = strtoull(word, &end, 0);
   }
   if (errno == ERANGE) {
      return "the number does not fit 64 bits";
   }
   return end == word || *end != 0 ? "not an integer" : NULL;
}

static const char *parse_float(const char *word, union piglit_value *value)
{
   char *end;

   /* strtod also accepts "nan(...)", which no test means */
   value->f = strtod(word, &end);
   return end == word || *end != 0 || strchr(word, '(') != NULL ? "not a number" : NULL;
}

const char *piglit_value_parse(const char *word, enum piglit_scalar scalar, union piglit_value *value)
{
   if (isspace((unsigned char)*word)) {
      return "not a number";
   }
   switch (infos[scalar].number) {
   case PIGLIT_FLOATING:
      return parse_float(word, value);
   case PIGLIT_SIGNED:
      return parse_integer(word, true, value);
   default:
      return parse_integer(word, false, value);
   }
}

uint16_t piglit_half_from_double(double value)
{
   uint16_t sign = signbit(value) ? 0x8000 : 0;
   double magnitude = fabs(value);
   int exponent;

   if (isnan(value)) {
      return sign | 0x7e00;
   }
   /* 65520 is halfway between the largest half and the next number */
   if (magnitude >= 65520.0) {
      return sign | 0x7c00;
   }
   frexp(magnitude, &exponent);
   if (magnitude == 0.0 || exponent < -13) {
      exponent = -13;
   }
   /* In units of the last place; rint rounds ties to even, and a carry increments the exponent. */
   uint16_t units = (uint16_t)rint(ldexp(magnitude, 11 - exponent));
   return (uint16_t)(sign | (((exponent + 13) << 10) + units));
}

double piglit_half_to_double(uint16_t half)
{
   unsigned exponent = (half >> 10) & 31;
   unsigned fraction = half & 1023;
   double magnitude;

   if (exponent == 31) {
      magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
   } else if (exponent == 0) {
      magnitude = ldexp(fraction, -24);
   } else {
      magnitude = ldexp(1024 + fraction, (int)exponent - 25);
   }
   return half & 0x8000 ? -magnitude : magnitude;
}

static void store_float(void *memory, enum piglit_scalar scalar, double value)
{
   if (scalar == PIGLIT_HALF) {
      uint16_t half = piglit_half_from_double(value);
      memcpy(memory, &half, sizeof(half));
   } else if (scalar == PIGLIT_FLOAT) {
      float single = (float)value;
      memcpy(memory, &single, sizeof(single));
   } else {
      memcpy(memory, &value, sizeof(value));
   }
}

void piglit_value_store(void *memory, enum piglit_scalar scalar, union piglit_value value)
{
   const uint8_t narrow8 = (uint8_t)value.u;
   const uint16_t narrow16 = (uint16_t)value.u;
   const uint32_t narrow32 = (uint32_t)value.u;

   if (infos[scalar].number == PIGLIT_FLOATING) {
      store_float(memory, scalar, value.f);
      return;
   }
   switch (infos[scalar].size) {
   case 1:
      memcpy(memory, &narrow8, sizeof(narrow8));
      break;
   case 2:
      memcpy(memory, &narrow16, sizeof(narrow16));
      break;
   case 4:
      memcpy(memory, &narrow32, sizeof(narrow32));
      break;
   default:
      memcpy(memory, &value.u, sizeof(value.u));
      break;
   }
}

union piglit_value piglit_value_load(const void *memory, enum piglit_scalar scalar)
{
   union {
      int8_t i8;
      uint8_t u8;
      int16_t i16;
      uint16_t u16;
      int32_t i32;
      uint32_t u32;
      int64_t i64;
      uint64_t u64;
      float f32;
      double f64;
   } raw = {.u64 = 0};

   memcpy(&raw, memory, infos[scalar].size);
   switch (scalar) {
   case PIGLIT_CHAR:
      return (union piglit_value){.i = raw.i8};
   case PIGLIT_UCHAR:
      return (union piglit_value){.u = raw.u8};
   case PIGLIT_SHORT:
      return (union piglit_value){.i = raw.i16};
   case PIGLIT_USHORT:
      return (union piglit_value){.u = raw.u16};
   case PIGLIT_INT:
      return (union piglit_value){.i = raw.i32};
   case PIGLIT_UINT:
      return (union piglit_value){.u = raw.u32};
   case PIGLIT_LONG:
      return (union piglit_value){.i = raw.i64};
   case PIGLIT_HALF:
      return (union piglit_value){.f = piglit_half_to_double(raw.u16)};
   case PIGLIT_FLOAT:
      return (union piglit_value){.f = raw.f32};
   case PIGLIT_DOUBLE:
      return (union piglit_value){.f = raw.f64};
   default:
      return (union piglit_value){.u = raw.u64};
   }
}
