/* SPDX-License-Identifier: MIT
 *
 * Parses whole numbers and keeps lists of strings. A string in a list belongs to the caller.
 */
#include "agx_runner/terminal/values.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
   char *end;

   /* strtoull accepts signs and leading space, but a number must begin with a digit here */
   if (text[0] < '0' || text[0] > '9') {
      return false;
   }
   const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
   errno = 0;
   *value = strtoull(text, &end, base);
   return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

bool string_list_add(struct string_list *list, const char *item)
{
   if (!ARRAY_RESERVE_ONE(list->items, list->count)) {
      return false;
   }
   list->items[list->count++] = item;
   return true;
}

void string_list_finish(struct string_list *list)
{
   free(list->items);
   *list = (struct string_list){0};
}
