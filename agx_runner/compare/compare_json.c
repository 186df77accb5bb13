/* SPDX-License-Identifier: MIT
 *
 * A comparison for programs.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "agx_runner/compare/compare_write.h"
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

static struct json_object *describe_pair(const struct compare_pair *pair)
{
   struct json_object *json = json_object_new_object(), *rows = json_object_new_array();

   json_object_object_add(json, "a", describe_run(pair->a));
   json_object_object_add(json, "b", describe_run(pair->b));
   json_object_object_add(json, "programs", describe_stats(&pair->comparison));
   for (size_t i = 0; i < pair->comparison.count; i++) {
      json_object_array_add(rows, describe_row(&pair->comparison.rows[i]));
   }
   json_object_object_add(json, "rows", rows);
   return json;
}

static void add_text(struct json_object *json, const char *key, const char *text)
{
   if (text != NULL) {
      json_object_object_add(json, key, json_text(text));
   }
}

static struct json_object *describe_finding(const struct compare_findings *findings,
                                            const struct compare_finding *finding)
{
   struct json_object *json = json_object_new_object();

   add_text(json, "harm", compare_harm_infos[finding->harm].key);
   add_text(json, "part", findings->parts[finding->part].title);
   add_text(json, "name", finding->name);
   json_object_object_add(json, "percent", number(finding->percent));
   json_object_object_add(json, "weight", number(finding->weight));
   add_text(json, "evidence", finding->evidence);
   add_text(json, "details", finding->details);
   add_text(json, "command", finding->command);
   return json;
}

static struct json_object *describe_part(const struct compare_part *part)
{
   struct json_object *json = json_object_new_object();

   add_text(json, "title", part->title);
   add_text(json, "note", part->note);
   json_object_object_add(json, "skipped", json_object_new_int64((int64_t)part->skipped));
   json_object_object_add(json, "unanswered", json_object_new_int64((int64_t)part->unanswered));
   return json;
}

int compare_write_json(const struct compare_findings *findings, const struct compare_pair *pairs, size_t pair_count,
                       FILE *file)
{
   struct json_object *json = json_object_new_object(), *counts = json_object_new_object();
   struct json_object *list = json_object_new_array(), *parts = json_object_new_array();
   struct json_object *compared = json_object_new_array();
   char *verdict = compare_verdict(findings);

   add_text(json, "verdict", verdict);
   for (enum compare_harm harm = 0; harm < HARM_COUNT; harm++) {
      json_object_object_add(counts, compare_harm_infos[harm].key,
                             json_object_new_int64((int64_t)findings->counts[harm]));
   }
   json_object_object_add(json, "counts", counts);
   for (size_t i = 0; i < findings->count; i++) {
      json_object_array_add(list, describe_finding(findings, &findings->items[i]));
   }
   json_object_object_add(json, "findings", list);
   for (size_t i = 0; i < findings->part_count; i++) {
      json_object_array_add(parts, describe_part(&findings->parts[i]));
   }
   json_object_object_add(json, "parts", parts);
   for (size_t i = 0; i < pair_count; i++) {
      json_object_array_add(compared, describe_pair(&pairs[i]));
   }
   json_object_object_add(json, "pairs", compared);
   const char *text =
       verdict == NULL ? NULL
                       : json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   if (text != NULL) {
      fprintf(file, "%s\n", text);
   }
   json_object_put(json);
   free(verdict);
   return text == NULL ? -ENOMEM : 0;
}
