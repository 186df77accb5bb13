/* SPDX-License-Identifier: MIT
 *
 * Sheets as json-c objects. A failed allocation is remembered, and the sheet is then not written.
 */
#include "agx_runner/survey/sheet.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/results/json_text.h"
#include "agx_runner/terminal/runner.h"

bool sheet_init(struct sheet *sheet)
{
   *sheet = (struct sheet){.root = json_object_new_object()};
   if (sheet->root == NULL || json_object_object_add(sheet->root, "status", json_text("done")) < 0 ||
       json_object_object_add(sheet->root, "reason", json_text("")) < 0 ||
       json_object_object_add(sheet->root, "facts", json_object_new_object()) < 0 ||
       json_object_object_add(sheet->root, "figures", json_object_new_array()) < 0 ||
       json_object_object_add(sheet->root, "results", json_object_new_array()) < 0) {
      sheet_finish(sheet);
      return false;
   }
   return true;
}

void sheet_finish(struct sheet *sheet)
{
   json_object_put(sheet->root);
   *sheet = (struct sheet){0};
}

static void add(struct sheet *sheet, struct json_object *to, const char *key, struct json_object *value)
{
   if (value == NULL || json_object_object_add(to, key, value) < 0) {
      json_object_put(value);
      sheet->out_of_memory = true;
   }
}

static void append(struct sheet *sheet, const char *array, struct json_object *value)
{
   struct json_object *to = json_object_object_get(sheet->root, array);

   if (to == NULL || value == NULL || json_object_array_add(to, value) < 0) {
      json_object_put(value);
      sheet->out_of_memory = true;
   }
}

void sheet_fact(struct sheet *sheet, const char *name, const char *text)
{
   add(sheet, json_object_object_get(sheet->root, "facts"), name, json_text(text));
}

void sheet_status(struct sheet *sheet, const char *status, const char *format, ...)
{
   char reason[400];
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(reason, sizeof(reason), format, arguments);
   va_end(arguments);
   add(sheet, sheet->root, "status", json_text(status));
   add(sheet, sheet->root, "reason", json_text(reason));
}

static struct json_object *number(double value)
{
   char text[40];

   snprintf(text, sizeof(text), "%.9g", value);
   return json_object_new_double_s(value, text);
}

void sheet_figure(struct sheet *sheet, const char *quantity, double at, const char *unit, enum sheet_clock clock,
                  double low, double value, double high)
{
   struct json_object *figure = json_object_new_object();

   if (figure == NULL) {
      sheet->out_of_memory = true;
      return;
   }
   add(sheet, figure, "quantity", json_text(quantity));
   add(sheet, figure, "at", number(at));
   add(sheet, figure, "unit", json_text(unit));
   add(sheet, figure, "clock", json_text(clock == SHEET_HOST ? "host" : "device"));
   add(sheet, figure, "low", number(low));
   add(sheet, figure, "value", number(value));
   add(sheet, figure, "high", number(high));
   append(sheet, "figures", figure);
}

static int by_value(const void *a, const void *b)
{
   const double x = *(const double *)a, y = *(const double *)b;

   return (x > y) - (x < y);
}

void sheet_samples(struct sheet *sheet, const char *quantity, double at, const char *unit, enum sheet_clock clock,
                   double *samples, size_t count)
{
   qsort(samples, count, sizeof(*samples), by_value);
   sheet_figure(sheet, quantity, at, unit, clock, samples[count / 4], samples[count / 2], samples[count * 3 / 4]);
}

int sheet_take_results(struct sheet *sheet, const char *path)
{
   static const char *const kept[] = {"name", "status", "reason", "unit", "value", "low", "high", "samples"};
   struct json_object *file = json_object_from_file(path), *results, *member;

   if (file == NULL || !json_object_object_get_ex(file, "results", &results) ||
       !json_object_is_type(results, json_type_array)) {
      json_object_put(file);
      return -EINVAL;
   }
   for (size_t i = 0; i < json_object_array_length(results); i++) {
      struct json_object *from = json_object_array_get_idx(results, i), *result = json_object_new_object();

      for (size_t k = 0; result != NULL && k < ARRAY_COUNT(kept); k++) {
         if (json_object_object_get_ex(from, kept[k], &member) && member != NULL) {
            add(sheet, result, kept[k], json_object_get(member));
         }
      }
      append(sheet, "results", result);
   }
   json_object_put(file);
   return 0;
}

int sheet_write(const struct sheet *sheet, const char *path)
{
   char temporary[512];
   const char *text = json_object_to_json_string_ext(sheet->root, JSON_C_TO_STRING_PRETTY);

   if (sheet->out_of_memory || text == NULL ||
       (size_t)snprintf(temporary, sizeof(temporary), "%s.new", path) >= sizeof(temporary)) {
      return -ENOMEM;
   }
   FILE *file = fopen(temporary, "we");
   if (file == NULL) {
      return -errno;
   }
   bool done = fprintf(file, "%s\n", text) > 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;
   const int error = errno;
   done &= fclose(file) == 0;
   if (!done || rename(temporary, path) < 0) {
      return done ? -errno : -error;
   }
   return 0;
}
