/* SPDX-License-Identifier: MIT
 *
 * --expect: compares the final contents of buffers with the expected ones. Values are equal if their bits are, or if
 * both are NaN. --tolerance accepts more floats; integers are always compared exactly.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/launch/exec.h"
#include "agx_runner/terminal/runner.h"

struct tolerance {
   bool given;
   uint64_t ulps;   /* floats between the two, and one more */
   double relative; /* of the expected value; 0: ulps count */
};

/* "4ulp" or "1e-5". */
static int parse_tolerance(const char *text, struct tolerance *tolerance)
{
   char *end;

   *tolerance = (struct tolerance){.given = text != NULL};
   if (text == NULL) {
      return EXIT_OK;
   }
   errno = 0;
   if (strspn(text, "0123456789") > 0 && !strcmp(text + strspn(text, "0123456789"), "ulp")) {
      tolerance->ulps = strtoull(text, &end, 10);
   } else {
      tolerance->relative = strtod(text, &end);
      if (end == text || *end != '\0' || !(tolerance->relative > 0) || tolerance->relative >= 1) {
         errno = EINVAL;
      }
   }
   return errno == 0 ? EXIT_OK
                     : complain(EXIT_INVALID,
                                "--tolerance %s: takes ulps, as 4ulp, or a part of the expected value, as "
                                "1e-5",
                                text);
}

int exec_check_expects(const struct exec *exec)
{
   const struct exec_settings *settings = exec->settings;
   struct tolerance tolerance;
   int code = parse_tolerance(settings->tolerance, &tolerance);

   if (code == EXIT_OK && tolerance.given && settings->expects.count == 0) {
      code = complain(EXIT_INVALID, "--tolerance needs --expect");
   }
   for (size_t i = 0; code == EXIT_OK && i < settings->expects.count; i++) {
      const char *text = settings->expects.items[i], *rest;
      size_t index;

      code = exec_parse_index(exec, "expect", text, EXEC_CONTENTS, &index, &rest);
      if (code != EXIT_OK) {
         break;
      }
      struct exec_argument *argument = &exec->arguments[index];
      if (rest[0] == '\0' || argument->initial == NULL || argument->expected != NULL) {
         return complain(EXIT_INVALID, "--expect %s: %s", text,
                         rest[0] == '\0'             ? "expected N=VALUES, as y=@FILE or y=1,2,3"
                         : argument->initial == NULL ? "the buffer is a null pointer"
                                                     : "the argument was given before");
      }
      argument->expected = calloc(argument->count, argument->type->size);
      code = argument->expected == NULL ? complain(EXIT_FAILED, "out of memory")
                                        : exec_fill("expect", text, argument->type, argument->count, rest,
                                                    exec->seed + index, argument->expected);
   }
   return code;
}

/* Floats of one size in the order of their values: neighbours differ by 1, and both zeros are the same. */
static int64_t place_of(const struct element_type *type, const uint8_t *bytes)
{
   const unsigned bits = type->size * 8;
   uint64_t value = 0;

   for (unsigned i = 0; i < type->size; i++) {
      value |= (uint64_t)bytes[i] << 8 * i;
   }
   const uint64_t sign = UINT64_C(1) << (bits - 1), rest = value & (sign - 1);
   return value & sign ? -(int64_t)rest : (int64_t)rest;
}

/* The distance of two floats, finite or infinite; UINT64_MAX if one is NaN. */
static uint64_t ulps_between(const struct element_type *type, const uint8_t *a, const uint8_t *b)
{
   if (isnan(element_value(type, a)) || isnan(element_value(type, b))) {
      return UINT64_MAX;
   }
   const int64_t first = place_of(type, a), second = place_of(type, b);

   return first > second ? (uint64_t)first - (uint64_t)second : (uint64_t)second - (uint64_t)first;
}

static bool is_as_expected(const struct element_type *type, const struct tolerance *tolerance, const uint8_t *got,
                           const uint8_t *expected)
{
   if (memcmp(got, expected, type->size) == 0) {
      return true;
   }
   if (type->kind != ELEMENT_FLOAT) {
      return false;
   }
   const double a = element_value(type, got), b = element_value(type, expected);
   if (isnan(a) || isnan(b)) {
      return isnan(a) && isnan(b);
   }
   if (!tolerance->given || isinf(a) || isinf(b)) {
      return false; /* equal infinities have equal bits */
   }
   return tolerance->relative > 0 ? fabs(a - b) <= tolerance->relative * fabs(b)
                                  : ulps_between(type, got, expected) <= tolerance->ulps;
}

static void compare_argument(const struct exec *exec, size_t index, const struct tolerance *tolerance)
{
   struct exec_argument *argument = &exec->arguments[index];
   const struct element_type *type = argument->type;
   const uint8_t *got = exec_bytes(argument);

   argument->different = 0;
   for (size_t i = 0; i < argument->count; i++) {
      if (!is_as_expected(type, tolerance, got + i * type->size, argument->expected + i * type->size)) {
         argument->first_different = argument->different == 0 ? i : argument->first_different;
         argument->different++;
      }
   }
}

static int report_argument(const struct exec *exec, size_t index)
{
   const struct exec_argument *argument = &exec->arguments[index];
   const struct element_type *type = argument->type;
   const size_t at = argument->first_different * type->size;
   const uint8_t *got = exec_bytes(argument) + at, *wanted = argument->expected + at;
   char name[AGX_BUFFER_NAME], is[ELEMENT_TEXT_MAX], expected[ELEMENT_TEXT_MAX], ulps[48] = "";

   agx_program_buffer_name(exec->program, index, name);
   if (argument->different == 0) {
      note("%s is as expected: %zu element%s", name, argument->count, argument->count == 1 ? "" : "s");
      return EXIT_OK;
   }
   element_print(type, got, is);
   element_print(type, wanted, expected);
   if (type->kind == ELEMENT_FLOAT && ulps_between(type, got, wanted) != UINT64_MAX) {
      snprintf(ulps, sizeof(ulps), " (%" PRIu64 " ulp apart)", ulps_between(type, got, wanted));
   }
   return complain(EXIT_FAILED, "%s: %zu of %zu elements not as expected; the first is element %zu: %s, expected %s%s",
                   name, argument->different, argument->count, argument->first_different, is, expected, ulps);
}

int exec_compare(const struct exec *exec)
{
   struct tolerance tolerance;
   int code = parse_tolerance(exec->settings->tolerance, &tolerance);

   for (size_t i = 0; i < exec->program->argument_count; i++) {
      if (exec->arguments[i].expected != NULL) {
         compare_argument(exec, i, &tolerance);
         const int differs = report_argument(exec, i);
         code = code == EXIT_OK ? differs : code;
      }
   }
   return code;
}
