/* SPDX-License-Identifier: MIT
 *
 * The result of a subtest: expectations, and their texts.
 */
#include "uapi/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ERRNOS 64u

static void say(struct uapi *u, enum uapi_status status, const char *format, va_list arguments)
{
   if (u->result->status == UAPI_PASS) {
      u->result->status = status;
      vsnprintf(u->result->message, sizeof(u->result->message), format, arguments);
   }
}

void uapi_fail(struct uapi *u, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(u, UAPI_FAIL, format, arguments);
   va_end(arguments);
}

void uapi_skip(struct uapi *u, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(u, UAPI_SKIP, format, arguments);
   va_end(arguments);
}

void uapi_note(struct uapi *u, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(u, UAPI_PASS, format, arguments);
   va_end(arguments);
}

bool uapi_good(const struct uapi *u)
{
   return u->result->status == UAPI_PASS;
}

const char *uapi_answer_name(int answer, char buffer[24])
{
   const char *name = answer ? asahi_errno_name(answer) : "success";
   snprintf(buffer, 24, name[0] ? "%s" : "%serrno %d", name, answer);
   return buffer;
}

/* "EINVAL or ENOENT" */
static void name_answers(uint64_t answers, char *text, size_t size)
{
   size_t used = 0;
   text[0] = '\0';
   for (int i = 0; i < (int)ERRNOS && used < size; i++) {
      char name[24];
      if (answers >> i & 1) {
         used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " or " : "", uapi_answer_name(i, name));
      }
   }
}

bool uapi_expect(struct uapi *u, int answer, uint64_t answers, const char *format, ...)
{
   char what[200], wanted[120], seen[24];
   if (answer >= 0 && answer < (int)ERRNOS && answers >> answer & 1) {
      return true;
   }
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(what, sizeof(what), format, arguments);
   va_end(arguments);
   name_answers(answers, wanted, sizeof(wanted));
   uapi_fail(u, "%s: expected %s, seen %s", what, wanted, uapi_answer_name(answer, seen));
   return false;
}

bool uapi_equal(struct uapi *u, uint64_t seen, uint64_t expected, const char *format, ...)
{
   char what[200];
   if (seen == expected) {
      return true;
   }
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(what, sizeof(what), format, arguments);
   va_end(arguments);
   uapi_fail(u, "%s: expected %llu (0x%llx), seen %llu (0x%llx)", what, (unsigned long long)expected,
             (unsigned long long)expected, (unsigned long long)seen, (unsigned long long)seen);
   return false;
}

bool uapi_true(struct uapi *u, bool condition, const char *format, ...)
{
   va_list arguments;
   if (!condition) {
      va_start(arguments, format);
      say(u, UAPI_FAIL, format, arguments);
      va_end(arguments);
   }
   return condition;
}
