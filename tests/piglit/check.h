/* SPDX-License-Identifier: MIT
 *
 * Checks that say what failed and go on; main() returns check_failures().
 */
#ifndef TESTS_PIGLIT_CHECK_H
#define TESTS_PIGLIT_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned failures;

static inline void check_that(bool good, const char *file, int line, const char *what)
{
   if (!good) {
      printf("%s:%d: failed: %s\n", file, line, what);
      failures++;
   }
}

static inline void check_text(const char *got, const char *wanted, const char *file, int line)
{
   if (got == NULL || strcmp(got, wanted) != 0) {
      printf("%s:%d: got \"%s\", wanted \"%s\"\n", file, line, got != NULL ? got : "(null)", wanted);
      failures++;
   }
}

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_TEXT(got, wanted) check_text((got), (wanted), __FILE__, __LINE__)

static inline int check_failures(void)
{
   return failures != 0;
}

#endif
