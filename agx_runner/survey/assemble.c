/* SPDX-License-Identifier: MIT
 *
 * Combines the step results of a survey into survey.json and figures.csv, lists the contents and writes the archive.
 */
#include "agx_runner/survey/assemble.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agx_runner/results/json_text.h"
#include "agx_runner/survey/package.h"
#include "agx_runner/survey/private.h"
#include "agx_runner/survey/step.h"
#include "agx_runner/terminal/runner.h"

#define LOG_MAX (1u << 20) /* most bytes of a log that are stored */

static const char *text_of(struct json_object *object, const char *key)
{
   struct json_object *member;

   return json_object_object_get_ex(object, key, &member) ? json_object_get_string(member) : "";
}

static double number_of(struct json_object *object, const char *key)
{
   struct json_object *member;

   return json_object_object_get_ex(object, key, &member) ? json_object_get_double(member) : 0;
}

/* step,quantity,at,low,value,high,unit,clock: no field contains a comma or a quote. */
static void write_figures(FILE *csv, const char *step, struct json_object *sheet)
{
   struct json_object *figures = json_object_object_get(sheet, "figures");
   struct json_object *results = json_object_object_get(sheet, "results");

   for (size_t i = 0; figures != NULL && i < json_object_array_length(figures); i++) {
      struct json_object *figure = json_object_array_get_idx(figures, i);

      fprintf(csv, "%s,%s,%.9g,%.9g,%.9g,%.9g,%s,%s\n", step, text_of(figure, "quantity"), number_of(figure, "at"),
              number_of(figure, "low"), number_of(figure, "value"), number_of(figure, "high"), text_of(figure, "unit"),
              text_of(figure, "clock"));
   }
   for (size_t i = 0; results != NULL && i < json_object_array_length(results); i++) {
      struct json_object *result = json_object_array_get_idx(results, i), *value;

      if (json_object_object_get_ex(result, "value", &value) && value != NULL) {
         fprintf(csv, "%s,%s,,%.9g,%.9g,%.9g,%s,device\n", step, text_of(result, "name"), number_of(result, "low"),
                 number_of(result, "value"), number_of(result, "high"), text_of(result, "unit"));
      }
   }
}

static int add_log(struct package *package, const struct private_words *private, const char *folder, const char *step)
{
   char path[512], name[96];

   snprintf(path, sizeof(path), "%s/steps/%s.log", folder, step);
   snprintf(name, sizeof(name), "logs/%s.log", step);
   FILE *file = fopen(path, "re");
   if (file == NULL) {
      return 0;
   }
   char *text = malloc(LOG_MAX);
   size_t size = text != NULL ? fread(text, 1, LOG_MAX, file) : 0;
   fclose(file);
   if (text == NULL || private_remove(private, &text, &size) < 0) {
      free(text);
      return -ENOMEM;
   }
   return package_add(package, name, text, size);
}

static void write_heading(struct json_object *root, const char *device, long long started)
{
   const time_t time = (time_t)started;
   struct tm utc;
   char date[32];

   strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&time, &utc));
   json_object_object_add(root, "schema", json_text("agx-runner survey 1"));
   json_object_object_add(root, "agx_runner", json_text(AGX_RUNNER_VERSION));
   json_object_object_add(root, "device", json_text(device));
   json_object_object_add(root, "date", json_text(date));
}

/* Reads the results of all steps. NULL: a message was printed. */
static struct json_object *join(const char *folder, const char *device, long long started, FILE *csv)
{
   struct json_object *root = json_object_new_object(), *steps = json_object_new_object();
   char path[512];

   if (root == NULL || steps == NULL) {
      json_object_put(root);
      json_object_put(steps);
      complain(EXIT_FAILED, "out of memory");
      return NULL;
   }
   write_heading(root, device, started);
   json_object_object_add(root, "steps", steps);
   fprintf(csv, "step,quantity,at,low,value,high,unit,clock\n");
   for (size_t i = 0; i < survey_step_count; i++) {
      snprintf(path, sizeof(path), "%s/steps/%s.json", folder, survey_steps[i].name);
      if (access(path, F_OK) < 0 && errno == ENOENT) {
         printf("%-13s not run\n", survey_steps[i].name);
         continue;
      }
      struct json_object *sheet = json_object_from_file(path);
      if (sheet == NULL) {
         complain(EXIT_FAILED, "%s is damaged: remove it, and start the survey again", path);
         json_object_put(root);
         return NULL;
      }
      json_object_object_add(sheet, "question", json_text(survey_steps[i].question));
      json_object_object_add(steps, survey_steps[i].name, sheet);
      write_figures(csv, survey_steps[i].name, sheet);
      printf("%-13s %-8s %s\n", survey_steps[i].name, text_of(sheet, "status"), text_of(sheet, "reason"));
   }
   return root;
}

static int fill(struct package *package, const char *folder, const char *device, long long started)
{
   const struct private_words private = private_words();
   char *table = NULL;
   size_t size = 0;
   FILE *csv = open_memstream(&table, &size);
   struct json_object *root = csv != NULL ? join(folder, device, started, csv) : NULL;

   if (csv == NULL || fclose(csv) != 0 || root == NULL) {
      json_object_put(root);
      free(table);
      return EXIT_FAILED;
   }
   char *json = private_remove_json(&private, root) < 0
                    ? NULL
                    : strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
   json_object_put(root);
   int ret = json == NULL ? -ENOMEM : package_add(package, "survey.json", json, strlen(json));
   if (ret == 0) {
      ret = package_add(package, "figures.csv", table, size);
   } else {
      free(table);
   }
   for (size_t i = 0; ret == 0 && i < survey_step_count; i++) {
      ret = add_log(package, &private, folder, survey_steps[i].name);
   }
   return ret < 0 ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

int survey_assemble(const char *folder, const char *device, long long started, const char *archive)
{
   struct package package = {0};
   int code = fill(&package, folder, device, started);

   if (code == EXIT_OK) {
      printf("\n%s will hold:\n", archive);
      for (size_t i = 0; i < package.count; i++) {
         printf("%10zu  %s\n", package.entries[i].size, package.entries[i].name);
      }
      fflush(stdout);
      code = package_write(&package, archive, started);
   }
   if (code == EXIT_OK) {
      printf("written. Check its contents before you send it: tar --zstd -xf %s\n", archive);
   }
   package_finish(&package);
   return code;
}
