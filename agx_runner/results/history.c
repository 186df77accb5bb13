/* SPDX-License-Identifier: MIT
 *
 * Collects the series of a store, and marks where each changes its level.
 */
#include "agx_runner/results/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/statistics/change_points.h"
#include "agx_runner/statistics/significance.h"
#include "agx_runner/terminal/pattern.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

struct reading {
   const struct string_list *patterns;
   struct history *history;
   char name[RESULT_NAME_MAX]; /* the benchmark of the last decision */
   bool selected, no_memory;
};

static struct history_series *series_of(struct history *history, const struct store_point *point)
{
   struct history_series *last = history->count > 0 ? &history->series[history->count - 1] : NULL;

   if (last != NULL && !strcmp(last->name, point->name) && !strcmp(last->device, point->device)) {
      return last;
   }
   if (!ARRAY_RESERVE(history->series, history->room, history->count + 1)) {
      return NULL;
   }
   last = &history->series[history->count++];
   *last = (struct history_series){0};
   snprintf(last->name, sizeof(last->name), "%s", point->name);
   snprintf(last->device, sizeof(last->device), "%s", point->device);
   return last;
}

static bool add_point(struct history_series *series, const struct store_point *point)
{
   if (!ARRAY_RESERVE(series->points, series->room, series->count + 1)) {
      return false;
   }
   struct history_point *new = &series->points[series->count++];
   *new = (struct history_point){
       .run = point->run, .status = point->status, .value = point->value, .low = point->low, .high = point->high};
   snprintf(new->time, sizeof(new->time), "%s", point->time);
   /* A release's tree has no commit, and a commit is more precise than a version. */
   const bool known = point->mesa_commit[0] != '\0' && strcmp(point->mesa_commit, "unknown") != 0;
   snprintf(new->mesa, sizeof(new->mesa), "%s", known ? point->mesa_commit : point->mesa);
   snprintf(new->commit, sizeof(new->commit), "%s", point->commit);
   if (point->unit[0] != '\0') {
      snprintf(series->unit, sizeof(series->unit), "%s", point->unit);
   }
   return true;
}

static bool visit(void *data, const struct store_point *point)
{
   struct reading *reading = data;

   if (strcmp(reading->name, point->name) != 0) {
      snprintf(reading->name, sizeof(reading->name), "%s", point->name);
      reading->selected = pattern_selects(reading->patterns->items, reading->patterns->count, point->name);
   }
   if (!reading->selected) {
      return true;
   }
   struct history_series *series = series_of(reading->history, point);
   reading->no_memory = series == NULL || !add_point(series, point);
   return !reading->no_memory;
}

/* Among the points that have a figure. */
static bool find_changes(struct history_series *series)
{
   double *values = calloc(series->count, sizeof(*values));
   size_t *places = calloc(series->count, sizeof(*places)), count = 0;
   bool *changed = calloc(series->count, sizeof(*changed));
   bool found = values != NULL && places != NULL && changed != NULL;

   for (size_t i = 0; found && i < series->count; i++) {
      if (series->points[i].value > 0) {
         values[count] = series->points[i].value;
         places[count++] = i;
      }
   }
   found = found && change_points(values, count, SIGNIFICANCE_FLOOR, changed) == 0;
   for (size_t i = 0; found && i < count; i++) {
      series->points[places[i]].changed = changed[i];
   }
   free(values);
   free(places);
   free(changed);
   return found;
}

int history_read(struct store *store, const struct string_list *patterns, struct history *history)
{
   struct reading reading = {.patterns = patterns, .history = history};

   *history = (struct history){0};
   const int code = store_each(store, NULL, visit, &reading);
   for (size_t i = 0; code == EXIT_OK && !reading.no_memory && i < history->count; i++) {
      reading.no_memory = !find_changes(&history->series[i]);
   }
   return reading.no_memory ? complain(EXIT_FAILED, "out of memory") : code;
}

void history_finish(struct history *history)
{
   for (size_t i = 0; i < history->count; i++) {
      free(history->series[i].points);
   }
   free(history->series);
   *history = (struct history){0};
}
