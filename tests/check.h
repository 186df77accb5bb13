/* SPDX-License-Identifier: MIT
 *
 * Checks for the tests of all rooms: one that fails says where and what, is counted, and lets the rest go on. All files
 * of a program count together, and main() returns check_result().
 *
 *    CHECK(condition)                    the condition holds
 *    CHECK(condition, "%u", number)      the same, with a message; the format is a literal
 *    CHECK_EQUAL(found, expected)        integers
 *    CHECK_TEXT(found, expected)         strings; NULL equals none
 *    CHECK_CONTAINS(text, part)
 *    CHECK_FAIL("%u", number)            what else has gone wrong
 *
 * All but the last are expressions: whether the check passed.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__attribute__((weak)) unsigned check_done, check_failures;

/* Counts the check. */
static inline bool check_counted(bool good)
{
   check_done++;
   return good;
}

__attribute__((format(printf, 4, 5))) static inline bool check_failed(const char *file, int line, const char *what,
                                                                      const char *format, ...)
{
   va_list arguments;

   check_failures++;
   fprintf(stderr, "%s:%d: failed: %s", file, line, what);
   va_start(arguments, format);
   vfprintf(stderr, format, arguments);
   va_end(arguments);
   fputc('\n', stderr);
   return false;
}

static inline bool check_equal(long long found, long long expected, const char *file, int line, const char *what)
{
   return check_counted(found == expected ||
                        check_failed(file, line, what, " is %lld (0x%llx), not %lld (0x%llx)", found,
                                     (unsigned long long)found, expected, (unsigned long long)expected));
}

static inline bool check_same_text(const char *found, const char *expected, const char *file, int line,
                                   const char *what)
{
   return check_counted(
       (found != NULL && strcmp(found, expected) == 0) ||
       check_failed(file, line, what, " is \"%s\", not \"%s\"", found != NULL ? found : "(null)", expected));
}

static inline bool check_contains(const char *text, const char *part, const char *file, int line, const char *what)
{
   return check_counted((text != NULL && strstr(text, part) != NULL) ||
                        check_failed(file, line, what, " has no \"%s\": \"%s\"", part, text != NULL ? text : "(null)"));
}

/* The message is made after the condition, and where that fails alone. The space lets the message be left out. */
#define CHECK(condition, ...)                                                                                          \
   check_counted((condition) || check_failed(__FILE__, __LINE__, #condition, " " __VA_ARGS__))
#define CHECK_EQUAL(found, expected) check_equal((long long)(found), (long long)(expected), __FILE__, __LINE__, #found)
#define CHECK_TEXT(found, expected) check_same_text((found), (expected), __FILE__, __LINE__, #found)
#define CHECK_CONTAINS(text, part) check_contains((text), (part), __FILE__, __LINE__, #text)
#define CHECK_FAIL(...) check_counted(check_failed(__FILE__, __LINE__, "", __VA_ARGS__))

/* For main() to return. A program that checked nothing has failed. */
static inline int check_result(void)
{
   if (check_failures != 0 || check_done == 0) {
      fprintf(stderr, "%u of %u checks failed\n", check_failures, check_done);
   }
   return check_failures != 0 || check_done == 0;
}

#endif
