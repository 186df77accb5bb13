/* SPDX-License-Identifier: MIT
 *
 * What an option's value may be.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/options_table.h"
#include "agx_runner/terminal/runner.h"

bool options_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
   char *end;

   /* strtoull takes signs and leading space: a number here begins with a digit. */
   if (text[0] < '0' || text[0] > '9') {
      return false;
   }
   const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
   errno = 0;
   *value = strtoull(text, &end, base);
   return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

static int set_number(const struct option_row *row, const char *text, void *field)
{
   uint64_t value;

   if (!options_number(text, row->min, row->max, &value)) {
      return complain(EXIT_INVALID, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", row->name,
                      row->min, row->max, text);
   }
   if (row->kind == KIND_U32) {
      *(uint32_t *)field = (uint32_t)value;
   } else {
      *(uint64_t *)field = value;
   }
   return OPTIONS_RUN;
}

static int set_choice(const struct option_row *row, const char *text, void *field)
{
   for (uint32_t i = 0; row->choices[i] != NULL; i++) {
      if (!strcmp(row->choices[i], text)) {
         *(uint32_t *)field = i;
         return OPTIONS_RUN;
      }
   }
   char list[256] = "";
   for (uint32_t i = 0; row->choices[i] != NULL; i++) {
      const size_t length = strlen(list);
      snprintf(list + length, sizeof(list) - length, "%s%s",
               i == 0                        ? ""
               : row->choices[i + 1] == NULL ? " or "
                                             : ", ",
               row->choices[i]);
   }
   return complain(EXIT_INVALID, "--%s takes %s, not '%s'", row->name, list, text);
}

static int set_seconds(const struct option_row *row, const char *text, void *field)
{
   char *end;
   const double value = strtod(text, &end);

   if (end == text || *end != '\0' || !(value > 0) || value < (double)row->min || value > (double)row->max) {
      return complain(EXIT_INVALID, "--%s takes seconds, %s%" PRIu64 " and up to %" PRIu64 ", not '%s'", row->name,
                      row->min == 0 ? "more than " : "at least ", row->min, row->max, text);
   }
   *(double *)field = value;
   return OPTIONS_RUN;
}

static int set_string(const struct option_row *row, const char *text, void *field)
{
   if (strlen(text) < row->min) {
      return complain(EXIT_INVALID, "--%s takes %s, not '%s'", row->name, row->metavar, text);
   }
   *(const char **)field = text;
   return OPTIONS_RUN;
}

int options_list_add(struct string_list *list, const char *item)
{
   const char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

   if (items == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   items[list->count++] = item;
   list->items = items;
   return OPTIONS_RUN;
}

static int set_sizes(const struct option_row *row, const char *text, void *field)
{
   struct dimensions *dimensions = field;
   char copy[64];
   char *rest = copy;

   *dimensions = (struct dimensions){.size = {1, 1, 1}};
   if ((size_t)snprintf(copy, sizeof(copy), "%s", text) < sizeof(copy)) {
      for (char *part = strsep(&rest, ","); part != NULL; part = strsep(&rest, ",")) {
         uint64_t value;

         if (dimensions->count == 3 || !options_number(part, row->min, row->max, &value)) {
            dimensions->count = 0;
            break;
         }
         dimensions->size[dimensions->count++] = (uint32_t)value;
      }
   }
   if (dimensions->count == 0) {
      return complain(EXIT_INVALID, "--%s takes one to three numbers from %" PRIu64 " to %" PRIu64 ", not '%s'",
                      row->name, row->min, row->max, text);
   }
   return OPTIONS_RUN;
}

int options_set(const struct option_row *row, const char *text, struct options *options)
{
   void *field = (char *)options + row->field;

   switch (row->kind) {
   case KIND_STRING:
      return set_string(row, text, field);
   case KIND_U32:
   case KIND_U64:
      return set_number(row, text, field);
   case KIND_CHOICE:
      return set_choice(row, text, field);
   case KIND_SECONDS:
      return set_seconds(row, text, field);
   case KIND_LIST:
      return options_list_add(field, text);
   case KIND_SIZES:
      return set_sizes(row, text, field);
   case KIND_FLAG:
      *(bool *)field = true;
      return OPTIONS_RUN;
   case KIND_HELP:
   case KIND_VERSION:
      break;
   }
   return OPTIONS_RUN;
}
