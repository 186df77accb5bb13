/* SPDX-License-Identifier: MIT
 *
 * Messages of the front end. Invariant: two kernels that fail for one reason give messages of one kind.
 */
#include "fuzz/attempt/refusal.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

/* The texts between the place and the message: of the SPIR-V validator, of clang, of a kernel. */
static const char *const marks[] = {"makes a module that is not valid SPIR-V: ", "error: ", "unsupported: "};

void refusal_message(const char *log, char *message, size_t size)
{
   const char *line = log + strspn(log, "\n "), *start;
   size_t length = strcspn(line, "\n");

   start = line;

   for (unsigned i = 0; i < ARRAY_COUNT(marks) && start == line; i++) {
      const char *mark = strstr(line, marks[i]);
      start = mark != NULL && mark < line + length ? mark + strlen(marks[i]) : line;
   }
   snprintf(message, size, "%.*s", (int)(length - (size_t)(start - line)), start);
}

/* Returns the length of a type name at the beginning of the text; 0: there is none. */
static size_t type_length(const char *text)
{
   static const char *const bases[] = {"char", "short", "int", "long", "half", "float", "double"};
   const size_t sign = *text == 'u' ? 1 : 0;

   for (unsigned i = 0; i < ARRAY_COUNT(bases); i++) {
      if (strncmp(text + sign, bases[i], strlen(bases[i])) == 0) {
         const size_t base = sign + strlen(bases[i]), length = base + strspn(text + base, "0123456789");
         return isalpha((unsigned char)text[length]) ? 0 : length;
      }
   }
   return 0;
}

static void put_name(struct util_text *text, const char *name, size_t length)
{
   bool word = true; /* a word of the name begins */

   for (size_t i = 0; i < length;) {
      const size_t type = word ? type_length(name + i) : 0;
      (void)util_text_add(text, "%c", type != 0 && i + type <= length ? 'T' : name[i]);
      word = name[i] == '_';
      i += type != 0 && i + type <= length ? type : 1;
   }
}

/* Writes the name of a function with its parameters: "fmod(half, half)". Returns its length in the message; 0: it is
 * none. */
static size_t put_function(struct util_text *text, const char *message)
{
   size_t length = 0;

   while (isalnum((unsigned char)message[length]) || message[length] == '_') {
      length++;
   }
   const char *close = length != 0 && message[length] == '(' ? strchr(message + length, ')') : NULL;
   if (close == NULL || isdigit((unsigned char)*message)) {
      return 0;
   }
   put_name(text, message, length);
   return (size_t)(close + 1 - message);
}

/* Returns the length of a quoted text, with its quotes. */
static size_t quoted(const char *message)
{
   const char *end = *message == '\'' || *message == '"' ? strchr(message + 1, *message) : NULL;

   return end != NULL ? (size_t)(end + 1 - message) : 0;
}

void refusal_kind(const char *message, char *kind, size_t size)
{
   struct util_text text = {kind, size, 0};

   kind[0] = '\0';
   while (*message != '\0') {
      const size_t function = put_function(&text, message), quotes = quoted(message);
      const size_t digits = strspn(message, "0123456789");
      if (function != 0) {
         message += function;
      } else if (quotes != 0 || digits != 0) {
         (void)util_text_add(&text, quotes != 0 ? "_" : "#");
         message += quotes != 0 ? quotes : digits;
      } else {
         (void)util_text_add(&text, "%c", *message++);
      }
   }
}
