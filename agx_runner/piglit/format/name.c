/* SPDX-License-Identifier: MIT
 *
 * Derives Piglit's name of a test from the path of its file. Invariant: the name depends on the path alone.
 */
#include "agx_runner/piglit/format/name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* Piglit's tests/cl.py, as its list tests/cl.xml.gz has it. */
static const struct {
   const char *folder;
   const char *prefix;
   bool flat; /* the name omits the folder below */
} folders[] = {
    {"generated_tests/cl/builtin/", "program@execute@builtin@", true},
    {"generated_tests/cl/", "program@execute@", false},
    {"tests/cl/program/execute/builtin/", "program@execute@", true},
    {"tests/cl/program/", "program@", false},
};

/* Returns the part of the path behind the folder, or NULL if the path does not contain it. */
static const char *below(const char *path, const char *folder)
{
   for (const char *at = path; (at = strstr(at, folder)) != NULL; at++) {
      if (at == path || at[-1] == '/') {
         return at + strlen(folder);
      }
   }
   return NULL;
}

static const char *rest_of(const char *path, const char **prefix)
{
   for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
      const char *rest = below(path, folders[i].folder);
      if (rest != NULL) {
         const char *slash = strchr(rest, '/');
         *prefix = folders[i].prefix;
         return folders[i].flat && slash != NULL ? slash + 1 : rest;
      }
   }
   *prefix = "";
   return path + strspn(path, "./");
}

char *piglit_test_name(const char *path)
{
   const char *prefix;
   const char *rest = rest_of(path, &prefix);
   const char *dot = strrchr(rest, '.');
   int length = (int)(dot != NULL && strchr(dot, '/') == NULL ? (size_t)(dot - rest) : strlen(rest));
   char *name;

   if (asprintf(&name, "%s%.*s", prefix, length, rest) < 0) {
      return NULL;
   }
   /* Piglit ignores case. */
   for (char *c = name; *c != 0; c++) {
      *c = *c == '/' ? '@' : (char)tolower((unsigned char)*c);
   }
   return name;
}
