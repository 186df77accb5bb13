/* SPDX-License-Identifier: MIT
 *
 * Parses the mangled names of OpenCL C's functions. Invariant: the output ends, whatever the name is.
 */
#include "compiler/passes/mangled.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

#define TYPE 64
#define SEEN 16
#define NESTED 8

/* Itanium C++ ABI 5.1.5; the sizes are OpenCL C's. */
static const struct {
   const char *code, *name;
} builtin_types[] = {
    {"v", "void"},   {"b", "bool"},  {"c", "char"},   {"a", "char"},  {"h", "uchar"},    {"s", "short"},
    {"t", "ushort"}, {"i", "int"},   {"j", "uint"},   {"l", "long"},  {"m", "ulong"},    {"x", "long"},
    {"y", "ulong"},  {"f", "float"}, {"d", "double"}, {"Dh", "half"}, {"DF16_", "half"}, {"z", "..."},
};

/* Address spaces of clang's SPIR target. */
static const struct {
   const char *code, *name;
} qualifiers[] = {
    {"U3AS0", "private "}, {"U3AS1", "global "},     {"U3AS2", "constant "}, {"U3AS3", "local "},
    {"U3AS4", ""},         {"U7_Atomic", "atomic "}, {"K", "const "},        {"V", "volatile "},
};

struct reader {
   const char *at;
   char seen[SEEN][TYPE]; /* the meanings of S_, S0_, S1_ ... */
   unsigned count;
};

static void remember(struct reader *reader, const char *type)
{
   if (reader->count < SEEN) {
      snprintf(reader->seen[reader->count++], TYPE, "%s", type);
   }
}

static bool starts(const struct reader *reader, const char *code)
{
   return strncmp(reader->at, code, strlen(code)) == 0;
}

/* S_ is the first, S0_ the second. */
static bool read_seen(struct reader *reader, char *type)
{
   char *end = (char *)(uintptr_t)(reader->at + 1);
   const unsigned long index = *end == '_' ? 0 : strtoul(end, &end, 36) + 1;

   if (*end != '_' || index >= reader->count) {
      return false;
   }
   reader->at = end + 1;
   snprintf(type, TYPE, "%s", reader->seen[index]);
   return true;
}

static bool read_type(struct reader *reader, char *type, unsigned depth);

/* Dv4_f: a vector; P: a pointer. The element type follows. */
static bool read_compound(struct reader *reader, char *type, unsigned depth)
{
   char inner[TYPE], *end;
   unsigned long width = 0;

   if (starts(reader, "Dv")) {
      width = strtoul(reader->at + 2, &end, 10);
      if (*end != '_') {
         return false;
      }
      reader->at = end + 1;
   } else {
      reader->at++;
   }
   if (!read_type(reader, inner, depth + 1)) {
      return false;
   }
   if (width != 0) {
      snprintf(type, TYPE, "%.40s%lu", inner, width);
   } else {
      snprintf(type, TYPE, "%.60s *", inner);
   }
   remember(reader, type);
   return true;
}

/* several qualifiers are one component */
static bool read_qualified(struct reader *reader, char *type, unsigned depth)
{
   char words[TYPE] = "", inner[TYPE];
   bool found = true;

   while (found) {
      found = false;
      for (size_t i = 0; i < ARRAY_COUNT(qualifiers) && !found; i++) {
         if (starts(reader, qualifiers[i].code)) {
            reader->at += strlen(qualifiers[i].code);
            snprintf(words + strlen(words), TYPE - strlen(words), "%s", qualifiers[i].name);
            found = true;
         }
      }
   }
   if (!read_type(reader, inner, depth + 1)) {
      return false;
   }
   snprintf(type, TYPE, "%.30s%.33s", words, inner);
   remember(reader, type);
   return true;
}

/* 14ocl_image2d_ro */
static bool read_named(struct reader *reader, char *type)
{
   char *end;
   const unsigned long length = strtoul(reader->at, &end, 10);

   if (length == 0 || length > strlen(end)) {
      return false;
   }
   snprintf(type, TYPE, "%.*s", (int)length, end);
   reader->at = end + length;
   remember(reader, type);
   return true;
}

static bool read_type(struct reader *reader, char *type, unsigned depth)
{
   if (depth > NESTED) {
      return false;
   }
   if (*reader->at == 'S') {
      return read_seen(reader, type);
   }
   if (*reader->at == 'P' || starts(reader, "Dv")) {
      return read_compound(reader, type, depth);
   }
   for (size_t i = 0; i < ARRAY_COUNT(builtin_types); i++) {
      if (starts(reader, builtin_types[i].code)) {
         reader->at += strlen(builtin_types[i].code);
         snprintf(type, TYPE, "%s", builtin_types[i].name);
         return true;
      }
   }
   for (size_t i = 0; i < ARRAY_COUNT(qualifiers); i++) {
      if (starts(reader, qualifiers[i].code)) {
         return read_qualified(reader, type, depth);
      }
   }
   return isdigit((unsigned char)*reader->at) && read_named(reader, type);
}

void compiler_demangle(const char *name, char *text, size_t size)
{
   struct reader reader = {.at = name};
   char type[TYPE], *end;
   const unsigned long length = strncmp(name, "_Z", 2) == 0 ? strtoul(name + 2, &end, 10) : 0;
   bool first = true;

   if (length == 0 || length > strlen(end)) {
      snprintf(text, size, "%s", name);
      return;
   }
   snprintf(text, size, "%.*s", (int)length, end);
   util_append(text, size, "%s", "(");
   for (reader.at = end + length; *reader.at != '\0'; first = false) {
      const bool read = read_type(&reader, type, 0);

      util_append(text, size, "%s", first ? "" : ", ");
      util_append(text, size, "%s", !read ? "..." : first && strcmp(type, "void") == 0 ? "" : type);
      if (!read) {
         break;
      }
   }
   util_append(text, size, "%s", ")");
}
