/* SPDX-License-Identifier: MIT
 *
 * The correlation as text, CSV and JSON.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "agx_runner/correlate/correlation.h"
#include "agx_runner/results/json_text.h"
#include "agx_runner/terminal/markup.h"

/* ---- Text ---- */

static void write_row(const struct correlated *row, FILE *file)
{
   const struct figure *figure = row->figure;

   if (isnan(row->factor)) {
      fprintf(file, "%9s", "-");
   } else if (row->error == 0) {
      fprintf(file, "%9s", "within");
   } else {
      fprintf(file, "%+7.1f %%", row->error);
   }
   fprintf(file, "  %-9s  ", figure_role_names[figure->role]);
   markup_text(figure->group, 25, file);
   fputs("  ", file);
   markup_text(figure->row, 48, file);
   fprintf(file, "  %12s  ", figure->text);
   isnan(row->model) ? fprintf(file, "%10s", "-") : fprintf(file, "%10.4g", row->model);
   fprintf(file, " %s", figure->unit);
   fprintf(file, "%s%s\n", isnan(row->factor) ? "  " : "", isnan(row->factor) ? row->reason : "");
}

void correlation_write_text(const struct correlation *correlation, FILE *file)
{
   fprintf(file, "%s\n\n%9s  %-9s  %-25s  %-48s  %12s  %10s unit\n", RESULT_VIRTUAL_NOTE, "error", "role", "group",
           "row", "published", "model");
   for (size_t i = 0; i < correlation->count; i++) {
      write_row(&correlation->rows[i], file);
   }
   fprintf(file, "\n%-25s  %-9s  %7s  %8s  %8s  %8s\n", "group", "role", "figures", "median", "90th", "worst");
   for (size_t i = 0; i < correlation->summary_count; i++) {
      const struct error_summary *summary = &correlation->summaries[i];

      fprintf(file, "%-25s  %-9s  %7zu  %6.1f %%  %6.1f %%  %6.1f %%\n", summary->name,
              figure_role_names[summary->role], summary->count, summary->median, summary->ninetieth, summary->worst);
   }
   fprintf(file, "%zu of %zu published figures asked and answered\n", correlation->judged, correlation->count);
}

/* ---- CSV ---- */

static void cell(const char *text, FILE *file)
{
   markup_csv(text, file);
   fputc(',', file);
}

static void number_cell(double value, FILE *file)
{
   if (!isnan(value)) {
      fprintf(file, "%.6g", value);
   }
   fputc(',', file);
}

void correlation_write_csv(const struct correlation *correlation, FILE *file)
{
   fputs("group,table,row,figure,role,chip,source,device,ask,value,unit,published,model,factor,note\n", file);
   for (size_t i = 0; i < correlation->count; i++) {
      const struct correlated *row = &correlation->rows[i];
      const struct figure *figure = row->figure;
      const char *const texts[] = {
          figure->group, figure->table,  figure->row,    figure->name, figure_role_names[figure->role],
          figure->chip,  figure->source, figure->device, figure->ask,  figure->value,
          figure->unit,  figure->text};

      for (unsigned t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
         cell(texts[t], file);
      }
      number_cell(row->model, file);
      number_cell(row->factor, file);
      markup_csv(row->reason, file);
      fputc('\n', file);
   }
}

void correlation_write_summaries(const struct correlation *correlation, FILE *file)
{
   fputs("role,figures,median,ninetieth,worst,group\n", file);
   for (size_t i = 0; i < correlation->summary_count; i++) {
      const struct error_summary *summary = &correlation->summaries[i];

      fprintf(file, "%s,%zu,%.2f,%.2f,%.2f,%s\n", figure_role_names[summary->role], summary->count, summary->median,
              summary->ninetieth, summary->worst, summary->name);
   }
}

/* ---- JSON ---- */

static void add_text(struct json_object *json, const char *name, const char *text)
{
   json_object_object_add(json, name, json_text(text));
}

static void add_number(struct json_object *json, const char *name, double value)
{
   json_object_object_add(json, name, isfinite(value) ? json_object_new_double(value) : NULL);
}

static struct json_object *row_json(const struct correlated *row)
{
   const struct figure *figure = row->figure;
   struct json_object *json = json_object_new_object();

   add_text(json, "group", figure->group);
   add_text(json, "table", figure->table);
   add_text(json, "row", figure->row);
   add_text(json, "figure", figure->name);
   add_text(json, "role", figure_role_names[figure->role]);
   add_text(json, "chip", figure->chip);
   add_text(json, "source", figure->source);
   add_text(json, "device", figure->device);
   add_text(json, "ask", figure->ask);
   add_text(json, "value", figure->value);
   add_text(json, "unit", figure->unit);
   add_text(json, "published", figure->text);
   add_number(json, "model", row->model);
   add_number(json, "factor", row->factor);
   add_text(json, "note", row->reason);
   return json;
}

static struct json_object *summary_json(const struct error_summary *summary)
{
   struct json_object *json = json_object_new_object();

   add_text(json, "group", summary->name);
   add_text(json, "role", figure_role_names[summary->role]);
   json_object_object_add(json, "figures", json_object_new_uint64(summary->count));
   add_number(json, "median_percent", summary->median);
   add_number(json, "ninetieth_percent", summary->ninetieth);
   add_number(json, "worst_percent", summary->worst);
   return json;
}

int correlation_write_json(const struct correlation *correlation, FILE *file)
{
   struct json_object *json = json_object_new_object(), *rows = json_object_new_array(),
                      *summaries = json_object_new_array();

   add_text(json, "note", RESULT_VIRTUAL_NOTE);
   add_text(json, "commit", correlation->run->commit);
   for (size_t i = 0; i < correlation->count; i++) {
      json_object_array_add(rows, row_json(&correlation->rows[i]));
   }
   for (size_t i = 0; i < correlation->summary_count; i++) {
      json_object_array_add(summaries, summary_json(&correlation->summaries[i]));
   }
   json_object_object_add(json, "figures", rows);
   json_object_object_add(json, "summaries", summaries);
   const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
   if (text != NULL) {
      fprintf(file, "%s\n", text);
   }
   json_object_put(json);
   return text != NULL ? 0 : -ENOMEM;
}
