/* SPDX-License-Identifier: MIT
 *
 * Reads the findings of other programs from JSON: {"part": "fuzzing", "note": "...", "findings": [{"harm": "wrong",
 * "name": ...}]}. A file that deviates from docs/comparing.md is refused as a whole, because the omitted finding could
 * be the one that matters.
 */
#include "agx_runner/compare/finding.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

/* Returns a mandatory text; NULL after a message. */
static const char *get_text(const char *path, struct json_object *json, const char *key)
{
   struct json_object *value = json_object_object_get(json, key);

   if (!json_object_is_type(value, json_type_string) || json_object_get_string_len(value) == 0) {
      (void)complain(EXIT_INVALID, "%s: '%s' is missing, or no text", path, key);
      return NULL;
   }
   return json_object_get_string(value);
}

/* Reads an optional text; NULL: there is none. Returns false if the value has another type. */
static bool get_optional(const char *path, struct json_object *json, const char *key, char **text)
{
   struct json_object *value = json_object_object_get(json, key);

   *text = NULL;
   if (value != NULL && !json_object_is_type(value, json_type_string)) {
      (void)complain(EXIT_INVALID, "%s: '%s' is no text", path, key);
      return false;
   }
   if (value != NULL && json_object_get_string_len(value) > 0) {
      *text = (char *)json_object_get_string(value);
   }
   return true;
}

static bool get_harm(const char *path, struct json_object *json, enum compare_harm *harm)
{
   const char *word = get_text(path, json, "harm");

   for (*harm = 0; word != NULL && *harm < HARM_COUNT; (*harm)++) {
      if (!strcmp(compare_harm_infos[*harm].key, word)) {
         return true;
      }
   }
   if (word != NULL) {
      (void)complain(EXIT_INVALID, "%s: 'harm' has the unknown value '%s'", path, word);
   }
   return false;
}

static bool get_percent(const char *path, struct json_object *json, double *percent)
{
   struct json_object *value = json_object_object_get(json, "percent");

   *percent = NAN;
   if (value == NULL) {
      return true;
   }
   if (json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int)) {
      *percent = json_object_get_double(value);
   }
   if (!isfinite(*percent) || *percent < 0) {
      (void)complain(EXIT_INVALID, "%s: 'percent' is not a number of 0 or more", path);
      return false;
   }
   return true;
}

static int read_finding(struct compare_findings *findings, const char *path, struct json_object *json)
{
   struct compare_finding finding = {.weight = 1};

   if (!json_object_is_type(json, json_type_object)) {
      return complain(EXIT_INVALID, "%s: a finding is no object", path);
   }
   finding.name = (char *)get_text(path, json, "name");
   if (finding.name == NULL || !get_harm(path, json, &finding.harm) || !get_percent(path, json, &finding.percent) ||
       !get_optional(path, json, "evidence", &finding.evidence) ||
       !get_optional(path, json, "details", &finding.details) ||
       !get_optional(path, json, "command", &finding.command)) {
      return EXIT_INVALID;
   }
   /* a finding without a measure exceeds any limit of --fail-on */
   const double share = isnan(finding.percent) ? INFINITY : finding.percent / 100;
   finding.worse = finding.harm == HARM_SLOWER || finding.harm == HARM_LESS_EXACT ? share : 0;
   finding.hurt = finding.harm == HARM_BIGGER ? share : 0;
   return compare_findings_add(findings, &finding) < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

static int read_part(struct compare_findings *findings, const char *path, struct json_object *json)
{
   struct json_object *list;
   char *note;

   if (!json_object_is_type(json, json_type_object)) {
      return complain(EXIT_INVALID, "%s: not a file of findings: no JSON object", path);
   }
   const char *title = get_text(path, json, "part");
   if (title == NULL || !get_optional(path, json, "note", &note)) {
      return EXIT_INVALID;
   }
   if (!json_object_object_get_ex(json, "findings", &list) || !json_object_is_type(list, json_type_array)) {
      return complain(EXIT_INVALID, "%s: 'findings' is missing, or no list", path);
   }
   int code = compare_findings_part(findings, title, note) == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
   for (size_t i = 0; code == EXIT_OK && i < json_object_array_length(list); i++) {
      code = read_finding(findings, path, json_object_array_get_idx(list, i));
   }
   return code;
}

int compare_findings_read(struct compare_findings *findings, const char *path)
{
   struct json_object *json = json_object_from_file(path);

   if (json == NULL) {
      const char *why = json_util_get_last_err();

      return complain(EXIT_INVALID, "%s: not a file of findings: %.*s", path, why != NULL ? (int)strcspn(why, "\n") : 0,
                      why != NULL ? why : "");
   }
   const int code = read_part(findings, path, json);
   json_object_put(json);
   return code;
}
