/* SPDX-License-Identifier: MIT
 *
 * Text in memory of a fixed size: adding to it, and looking at its end.
 */
#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool add(struct util_text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
static bool add(struct util_text *text, const char *format, va_list arguments)
{
   const size_t room = text->size - text->length;
   const int length = vsnprintf(text->bytes + text->length, room, format, arguments);
   const bool fits = length >= 0 && (size_t)length < room;
   text->length += fits ? (size_t)length : length < 0 ? 0 : room - 1;
   text->bytes[text->length] = '\0';
   return fits;
}

bool util_text_add(struct util_text *text, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   const bool fits = add(text, format, arguments);
   va_end(arguments);
   return fits;
}

bool util_append(char *bytes, size_t size, const char *format, ...)
{
   struct util_text text = {bytes, size, strlen(bytes)};
   va_list arguments;
   va_start(arguments, format);
   const bool fits = add(&text, format, arguments);
   va_end(arguments);
   return fits;
}

bool util_has_suffix(const char *text, const char *suffix)
{
   const size_t length = strlen(text), end = strlen(suffix);
   return length >= end && strcmp(text + length - end, suffix) == 0;
}
