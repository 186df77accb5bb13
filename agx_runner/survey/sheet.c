/* SPDX-License-Identifier: MIT
 *
 * Sheets, the results of steps, as json-c objects. A failed allocation is remembered, and the sheet is then not
 * written.
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
#include "util/array.h"
#include "util/file.h"

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

/* Takes a whole result except for what belongs to the host: how long it took there, and where its files are. */
static void take_result(struct sheet *sheet, struct json_object *result)
{
   static const char *const left_out[] = {"seconds", "file", "output"};

   for (size_t i = 0; i < ARRAY_COUNT(left_out); i++) {
      json_object_object_del(result, left_out[i]);
   }
   append(sheet, "results", json_object_get(result));
}

/* Takes device and environment of a run, without the names of the host and its folders, and without the time. */
static void take_run(struct sheet *sheet, struct json_object *file)
{
   static const char *const members[] = {"device", "environment"}, *const left_out[] = {"host", "time", "command_line"};
   struct json_object *run = json_object_new_object(), *member;

   for (size_t i = 0; run != NULL && i < ARRAY_COUNT(members); i++) {
      if (json_object_object_get_ex(file, members[i], &member) && member != NULL) {
         add(sheet, run, members[i], json_object_get(member));
      }
   }
   if (json_object_object_get_ex(run, "environment", &member)) {
      for (size_t i = 0; i < ARRAY_COUNT(left_out); i++) {
         json_object_object_del(member, left_out[i]);
      }
   }
   add(sheet, sheet->root, "run", run);
}

int sheet_take_results(struct sheet *sheet, const char *path)
{
   struct json_object *file = json_object_from_file(path), *results;

   if (file == NULL || !json_object_object_get_ex(file, "results", &results) ||
       !json_object_is_type(results, json_type_array)) {
      json_object_put(file);
      return -EINVAL;
   }
   for (size_t i = 0; i < json_object_array_length(results); i++) {
      take_result(sheet, json_object_array_get_idx(results, i));
   }
   take_run(sheet, file);
   json_object_put(file);
   return 0;
}

/* Takes an entry of a journal: one result, or an array of them. */
static void take_entry(struct sheet *sheet, const char *text)
{
   struct json_object *entry = json_tokener_parse(text);

   if (json_object_is_type(entry, json_type_array)) {
      for (size_t i = 0; i < json_object_array_length(entry); i++) {
         take_result(sheet, json_object_array_get_idx(entry, i));
      }
   } else if (entry != NULL) {
      take_result(sheet, entry);
   }
   json_object_put(entry);
}

size_t sheet_take_journal(struct sheet *sheet, const char *folder)
{
   char path[512], *line = NULL;
   size_t room = 0;
   int at;

   snprintf(path, sizeof(path), "%s/run.json", folder);
   struct json_object *header = access(path, F_OK) == 0 ? json_object_from_file(path) : NULL;
   if (header != NULL) {
      take_run(sheet, header);
      json_object_put(header);
   }
   snprintf(path, sizeof(path), "%s/journal", folder);
   FILE *journal = fopen(path, "re");
   while (journal != NULL && getline(&line, &room, journal) > 0) {
      /* the first try of each test; a line without its newline is incomplete */
      at = 0;
      if (strchr(line, '\n') != NULL && sscanf(line, "result %*u 1 %n", &at) == 0 && at > 0) {
         take_entry(sheet, line + at);
      }
   }
   free(line);
   if (journal != NULL) {
      fclose(journal);
   }
   return json_object_array_length(json_object_object_get(sheet->root, "results"));
}

bool sheet_load(struct sheet *sheet, const char *path)
{
   *sheet = (struct sheet){.root = access(path, F_OK) == 0 ? json_object_from_file(path) : NULL};
   return sheet->root != NULL;
}

static bool member_is(const struct sheet *sheet, const char *key, const char *text)
{
   const char *is = json_object_get_string(json_object_object_get(sheet->root, key));

   return is != NULL && !strcmp(is, text);
}

bool sheet_is(const struct sheet *sheet, const char *status)
{
   return member_is(sheet, "status", status);
}

bool sheet_reason_is(const struct sheet *sheet, const char *reason)
{
   return member_is(sheet, "reason", reason);
}

bool sheet_has_results(const struct sheet *sheet)
{
   struct json_object *results = json_object_object_get(sheet->root, "results");

   return results != NULL && json_object_array_length(results) > 0;
}

int sheet_write(const struct sheet *sheet, const char *path)
{
   const char *text = json_object_to_json_string_ext(sheet->root, JSON_C_TO_STRING_PRETTY);
   char *file;

   if (sheet->out_of_memory || text == NULL || asprintf(&file, "%s\n", text) < 0) {
      return -ENOMEM;
   }
   const int ret = util_replace_file(path, file, strlen(file));
   free(file);
   return ret;
}
