/* SPDX-License-Identifier: MIT
 *
 * A comparison for programs.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>

#include "agx_runner/compare/compare.h"
#include "agx_runner/results/json_text.h"

static struct json_object *number(double value)
{
   return isfinite(value) ? json_object_new_double(value) : NULL;
}

static struct json_object *describe_run(const struct result_run *run)
{
   struct json_object *json = json_object_new_object();

   json_object_object_add(json, "device", json_text(run->device.path));
   json_object_object_add(json, "kind", json_object_new_string(run->device.is_virtual ? "virtual" : "hardware"));
   json_object_object_add(json, "mesa", json_text(run->mesa));
   json_object_object_add(json, "mesa_commit", json_text(run->mesa_commit));
   json_object_object_add(json, "commit", json_text(run->commit));
   json_object_object_add(json, "time", json_text(run->time));
   return json;
}

static struct json_object *describe_row(const struct compare_row *row)
{
   struct json_object *json = json_object_new_object();

   json_object_object_add(json, "name", json_text(row->name));
   json_object_object_add(json, "change", json_object_new_string(compare_change_names[row->change]));
   json_object_object_add(json, "verdict", row->timed ? json_object_new_string(verdict_names[row->verdict]) : NULL);
   if (row->timed) {
      json_object_object_add(json, "ratio", number(row->significance.ratio));
      json_object_object_add(json, "low", number(row->significance.low));
      json_object_object_add(json, "high", number(row->significance.high));
      json_object_object_add(json, "p", number(row->significance.p));
      json_object_object_add(json, "floor", number(row->floor));
   }
   json_object_object_add(json, "comparable", json_object_new_boolean(!row->odd));
   json_object_object_add(json, "code_changed", json_object_new_boolean(row->code_changed));
   return json;
}

static struct json_object *describe_stats(const struct comparison *comparison)
{
   struct json_object *json = json_object_new_object();

   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      struct json_object *stat = json_object_new_object();

      json_object_object_add(stat, "before", number(comparison->stats[i].before));
      json_object_object_add(stat, "after", number(comparison->stats[i].after));
      json_object_object_add(stat, "helped", json_object_new_int64((int64_t)comparison->stats[i].helped));
      json_object_object_add(stat, "hurt", json_object_new_int64((int64_t)comparison->stats[i].hurt));
      json_object_object_add(json, program_stat_infos[i].key, stat);
   }
   return json;
}

int compare_write_json(const struct comparison *comparison, const struct result_run *a, const struct result_run *b,
                       FILE *file)
{
   struct json_object *json = json_object_new_object(), *rows = json_object_new_array();

   json_object_object_add(json, "a", describe_run(a));
   json_object_object_add(json, "b", describe_run(b));
   json_object_object_add(json, "programs", describe_stats(comparison));
   for (size_t i = 0; i < comparison->count; i++) {
      json_object_array_add(rows, describe_row(&comparison->rows[i]));
   }
   json_object_object_add(json, "rows", rows);
   const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   if (text != NULL) {
      fprintf(file, "%s\n", text);
   }
   json_object_put(json);
   return text == NULL ? -ENOMEM : 0;
}
