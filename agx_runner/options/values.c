/* SPDX-License-Identifier: MIT
 *
 * What an option's value may be.
 */
#include "agx_runner/options/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

static int set_number(const struct option_info *option, const char *text, void *field)
{
   uint64_t value;

   if (!number_parse(text, option->min, option->max, &value)) {
      return complain(EXIT_INVALID, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option->name,
                      option->min, option->max, text);
   }
   if (option->kind == KIND_U32) {
      *(uint32_t *)field = (uint32_t)value;
   } else {
      *(uint64_t *)field = value;
   }
   return OPTIONS_RUN;
}

static int set_choice(const struct option_info *option, const char *text, void *field)
{
   for (uint32_t i = 0; option_choice(option, i) != NULL; i++) {
      if (!strcmp(option_choice(option, i), text)) {
         *(uint32_t *)field = option->kind == KIND_FORMAT ? output_offer_at(option->formats, i)->format : i;
         return OPTIONS_RUN;
      }
   }
   char list[256] = "";
   for (uint32_t i = 0; option_choice(option, i) != NULL; i++) {
      const size_t length = strlen(list);
      const char *before = i == 0 ? "" : option_choice(option, i + 1) == NULL ? " or " : ", ";

      snprintf(list + length, sizeof(list) - length, "%s%s", before, option_choice(option, i));
   }
   return complain(EXIT_INVALID, "--%s takes %s, not '%s'", option->name, list, text);
}

static int set_seconds(const struct option_info *option, const char *text, void *field)
{
   char *end;
   const double value = strtod(text, &end);

   if (end == text || *end != '\0' || !(value > 0) || value < (double)option->min || value > (double)option->max) {
      return complain(EXIT_INVALID, "--%s takes %s, %s%" PRIu64 " and up to %" PRIu64 ", not '%s'", option->name,
                      option->kind == KIND_CYCLES ? "cycles" : "seconds", option->min == 0 ? "more than " : "at least ",
                      option->min, option->max, text);
   }
   *(double *)field = value;
   return OPTIONS_RUN;
}

static int set_percent(const struct option_info *option, const char *text, void *field)
{
   char *end;
   const double value = strtod(text, &end);

   if (end == text || strcmp(end, "%") != 0 || !(value > 0) || value > (double)option->max) {
      return complain(EXIT_INVALID, "--%s takes a percentage, more than 0%% and up to %" PRIu64 "%%, not '%s'",
                      option->name, option->max, text);
   }
   *(double *)field = value / 100;
   return OPTIONS_RUN;
}

static int set_string(const struct option_info *option, const char *text, void *field)
{
   if (strlen(text) < option->min) {
      return complain(EXIT_INVALID, "--%s takes %s, not '%s'", option->name, option->metavar, text);
   }
   *(const char **)field = text;
   return OPTIONS_RUN;
}

static int set_sizes(const struct option_info *option, const char *text, void *field)
{
   struct dimensions *dimensions = field;
   char copy[64];
   char *rest = copy;

   *dimensions = (struct dimensions){.size = {1, 1, 1}};
   if ((size_t)snprintf(copy, sizeof(copy), "%s", text) < sizeof(copy)) {
      for (char *part = strsep(&rest, ","); part != NULL; part = strsep(&rest, ",")) {
         uint64_t value;

         if (dimensions->count == 3 || !number_parse(part, option->min, option->max, &value)) {
            dimensions->count = 0;
            break;
         }
         dimensions->size[dimensions->count++] = (uint32_t)value;
      }
   }
   if (dimensions->count == 0) {
      return complain(EXIT_INVALID, "--%s takes one to three numbers from %" PRIu64 " to %" PRIu64 ", not '%s'",
                      option->name, option->min, option->max, text);
   }
   return OPTIONS_RUN;
}

int options_set(const struct option_row *row, const char *text, void *options)
{
   const struct option_info *option = row->option;
   void *field = (char *)options + row->field;

   switch (option->kind) {
   case KIND_STRING:
      return set_string(option, text, field);
   case KIND_U32:
   case KIND_U64:
      return set_number(option, text, field);
   case KIND_CHOICE:
   case KIND_FORMAT:
      return set_choice(option, text, field);
   case KIND_SECONDS:
   case KIND_CYCLES:
      return set_seconds(option, text, field);
   case KIND_PERCENT:
      return set_percent(option, text, field);
   case KIND_LIST:
      return string_list_add(field, text) ? OPTIONS_RUN : complain(EXIT_FAILED, "out of memory");
   case KIND_SIZES:
      return set_sizes(option, text, field);
   case KIND_FLAG:
      *(bool *)field = true;
      return OPTIONS_RUN;
   case KIND_HELP:
   case KIND_VERSION:
      break;
   }
   return OPTIONS_RUN;
}
