/* SPDX-License-Identifier: MIT
 *
 * What the tests of this room say when something is not as expected.
 */
#ifndef TESTS_DRM_CHECK_H
#define TESTS_DRM_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct checks {
   unsigned done, failed;
};

/* Counts the check, and on failure prints the place and the message. Returns `good`. */
__attribute__((format(printf, 5, 6))) static inline bool check(struct checks *checks, bool good, const char *file,
                                                               int line, const char *format, ...)
{
   checks->done++;
   if (!good) {
      va_list arguments;
      checks->failed++;
      printf("%s:%d: ", file, line);
      va_start(arguments, format);
      vprintf(format, arguments);
      va_end(arguments);
      printf("\n");
   }
   return good;
}
#define CHECK(checks, condition, ...) check(checks, condition, __FILE__, __LINE__, __VA_ARGS__)

/* For main() to return. */
static inline int checks_end(const struct checks *checks)
{
   printf("%u checks, %u failed\n", checks->done, checks->failed);
   return checks->failed == 0 && checks->done != 0 ? 0 : 1;
}

#endif
