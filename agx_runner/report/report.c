/* SPDX-License-Identifier: MIT
 *
 * The page: the most important first, then every figure. Each number has a data-value with all of its digits, as in
 * JSON.
 */
#include "agx_runner/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/markup.h"
#include "agx_runner/results/reference.h"

#define FAR_ROWS 8         /* rows that differ most from the published figures, named in the summary */
#define BAD_ROWS 20        /* failures that are visible before the rest is collapsed */
#define CLOSE 5.0          /* percent from the published figure that count as agreement */
#define BAR_PERCENT 50.0   /* difference that fills half the bar */
#define SAMPLES_SHOWN 1000 /* of one row */

static void text(const char *what, FILE *file)
{
   markup_xml(what, file);
}

static void number(const char *key, double value, const char *format, FILE *file)
{
   if (!isfinite(value)) {
      return;
   }
   fprintf(file, "<span class=\"%s\" data-value=\"%.9g\">", key, value);
   fprintf(file, format[0] == '+' ? "%+.1f&nbsp;%%" : fabs(value) < 100 ? "%.3f" : "%.1f", value);
   fputs("</span>", file);
}

static double difference(const struct result *result)
{
   return (result->value / result->reference - 1) * 100;
}

static const char *class_of(enum result_status status)
{
   return status == RESULT_PASS ? "good" : result_status_is_bad(status) ? "bad" : "odd";
}

static void write_tiles(const struct result_run *run, FILE *file)
{
   fputs("<ul class=\"tiles\">\n", file);
   for (unsigned status = 0; status < RESULT_STATUS_COUNT; status++) {
      const size_t count = result_count_status(run, status);

      if (count > 0) {
         fprintf(file, "<li><b class=\"%s\">%zu</b>%s</li>\n", class_of(status), count, result_status_names[status]);
      }
   }
   if (run->count == 0) {
      fputs("<li><b>0</b>results</li>\n", file);
   }
   fputs("</ul>\n", file);
}

static int by_distance(const void *x, const void *y)
{
   const struct result *const *a = x, *const *b = y;
   const double one = fabs(log((*a)->value / (*a)->reference)), two = fabs(log((*b)->value / (*b)->reference));

   return (one < two) - (one > two);
}

/* The rows that are furthest, in the order of their distance. */
static void write_furthest(const struct result *const *rows, size_t count, FILE *file)
{
   if (count == 0 || fabs(difference(rows[0])) <= CLOSE) {
      return;
   }
   fputs("<ul>\n", file);
   for (size_t i = 0; i < count && i < FAR_ROWS && fabs(difference(rows[i])) > CLOSE; i++) {
      fputs("<li>", file);
      text(rows[i]->name, file);
      fputs(": ", file);
      number("far", difference(rows[i]), "+", file);
      if (!reference_is_alike(rows[i]->likeness)) {
         fprintf(file, " <span class=\"soft\">(published of %s)</span>",
                 rows[i]->likeness == REFERENCE_OTHER_SEQUENCE ? "other instructions"
                                                               : "instructions that are not known");
      }
      fputs("</li>\n", file);
   }
   fputs("</ul>\n", file);
}

/* Writes how far figures are from the published ones, in a sentence and the rows that differ most: rows of the same
 * code, and separately those whose published figure is of other code, which need not agree. */
static bool write_agreement(const struct result_run *run, FILE *file)
{
   const struct result **rows = calloc(2 * run->count + 1, sizeof(*rows)), **others = rows + run->count;
   size_t count = 0, other_count = 0, close = 0;

   for (size_t i = 0; rows != NULL && i < run->count; i++) {
      const struct result *result = &run->results[i];

      /* a bound ("<= 4") is no figure to compare with */
      if (!(result->value > 0 && result->reference > 0 && result->reference_qualifier[0] == '\0')) {
         continue;
      }
      if (reference_is_alike(result->likeness)) {
         rows[count++] = result;
         close += fabs(difference(result)) <= CLOSE;
      } else {
         others[other_count++] = result;
      }
   }
   if (rows == NULL) {
      return false;
   }
   if (count > 0) {
      qsort(rows, count, sizeof(const struct result *), by_distance);
      fprintf(file,
              "<p>%zu figures have a published counterpart of the same code; %zu of them are within 5&nbsp;%% of it%s"
              "</p>\n",
              count, close, fabs(difference(rows[0])) > CLOSE ? ". The largest differences:" : ".");
      write_furthest(rows, count, file);
   }
   if (other_count > 0) {
      qsort(others, other_count, sizeof(const struct result *), by_distance);
      fprintf(
          file,
          "<p class=\"soft\">%zu more have a published counterpart of other code, and need not agree with it%s</p>\n",
          other_count, fabs(difference(others[0])) > CLOSE ? ". The largest differences:" : ".");
      write_furthest(others, other_count, file);
   }
   free(rows);
   return true;
}

static void term(const char *name, const char *value, FILE *file)
{
   if (value[0] != '\0') {
      fprintf(file, "<dt>%s</dt><dd>", name);
      text(value, file);
      fputs("</dd>\n", file);
   }
}

static void write_provenance(const struct result_run *run, FILE *file)
{
   fputs("<h2>Provenance</h2>\n<dl>\n", file);
   term("device", run->device.name, file);
   term("path", run->device.path, file);
   fprintf(file, "<dt>kind</dt><dd>%s</dd>\n", run->device.is_virtual ? RESULT_VIRTUAL_NOTE : "hardware");
   term("chip", run->device.chip, file);
   fprintf(file, "<dt>cores, revision, features</dt><dd>%" PRIu32 ", %" PRIu32 ", %#" PRIx64 "</dd>\n",
           run->device.cores, run->device.revision, run->device.features);
   term("agx-runner", run->agx_runner, file);
   term("its commit", run->commit, file);
   term("Mesa", run->mesa, file);
   term("its commit", run->mesa_commit, file);
   term("AGX_MESA_DEBUG", run->mesa_debug, file);
   term("system", run->kernel, file);
   term("host", run->host, file);
   term("time", run->time, file);
   fprintf(file, "<dt>seed</dt><dd>%" PRIu64 "</dd>\n", run->seed);
   term("command", run->command_line, file);
   fputs("<dt>published figures</dt><dd>" REFERENCE_SOURCE "</dd>\n</dl>\n", file);
}

static void write_bar(const struct result *result, FILE *file)
{
   fputs("<span class=\"diff\">", file);
   if (isfinite(result->value) && isfinite(result->reference)) {
      const double percent = difference(result);
      const double width = fmin(fabs(percent), BAR_PERCENT) / BAR_PERCENT * 50;

      fprintf(file,
              "<span class=\"track\"><span class=\"fill\" style=\"left:%.2f%%;width:%.2f%%\">&nbsp;</span>"
              "<span class=\"mid\">&nbsp;</span></span><span class=\"pct\">",
              percent < 0 ? 50 - width : 50, width);
      const bool alike = reference_is_alike(result->likeness);

      fputs(alike ? "" : "(", file);
      number("difference", fabs(percent) < 0.05 ? 0 : percent, "+", file);
      fputs(alike ? "" : ")", file);
      fputs("</span>", file);
   }
   fputs("</span>", file);
}

static void write_summary_line(const struct result *result, FILE *file)
{
   fputs("<summary><span class=\"name\">", file);
   text(result->name, file);
   fputs("</span><span class=\"num\">", file);
   number("value", result->value, "", file);
   fputs("</span><span class=\"num range soft\">", file);
   if (isfinite(result->value)) {
      number("low", result->low, "", file);
      fputs(" .. ", file);
      number("high", result->high, "", file);
   }
   fputs("</span><span class=\"soft\">", file);
   text(result->unit, file);
   fputs("</span><span class=\"num ref\">", file);
   if (isfinite(result->reference)) {
      text(result->reference_qualifier, file);
      number("reference", result->reference, "", file);
   }
   fputs("</span>", file);
   write_bar(result, file);
   fprintf(file, "<span class=\"state %s\">%s</span></summary>\n", class_of(result->status),
           result_status_names[result->status]);
}

static void write_samples(const struct result *result, FILE *file)
{
   if (result->sample_count == 0) {
      return;
   }
   fprintf(file, "<dt>%zu samples</dt><dd>", result->sample_count);
   for (size_t i = 0; i < result->sample_count && i < SAMPLES_SHOWN; i++) {
      fprintf(file, "%s%.6g", i > 0 ? " " : "", result->samples[i]);
   }
   fprintf(file, "%s</dd>\n", result->sample_count > SAMPLES_SHOWN ? " ..." : "");
}

static void write_program(const struct result *result, FILE *file)
{
   if (result->program_hash != 0) {
      fprintf(file, "<dt>program</dt><dd>%016" PRIx64 "</dd>\n", result->program_hash);
   }
   for (unsigned i = 0; result->program.known && i < PROGRAM_STAT_COUNT; i++) {
      if (isfinite(result->program.values[i])) {
         fprintf(file, "<dt>%s</dt><dd>%.6g%s</dd>\n", program_stat_infos[i].name, result->program.values[i],
                 i >= PROGRAM_CYCLES ? " (modelled)" : "");
      }
   }
}

static void write_inside(const struct result_run *run, const struct result *result, FILE *file)
{
   static const char *const checks[] = {"not checked", "right", "wrong"};

   fputs("<div class=\"inside\"><dl>\n", file);
   term("reason", result->reason, file);
   if (result->instruction[0] != '\0') {
      fprintf(file, "<dt>code check</dt><dd>%u of %u ", result->found, result->expected);
      text(result->instruction, file);
      fputs("</dd>\n", file);
   }
   term("answer", checks[result->check], file);
   if (result->occupancy != 0) {
      fprintf(file, "<dt>occupancy</dt><dd>%u simdgroups a core</dd>\n", result->occupancy);
   }
   if (result->clock_hz != 0) {
      fprintf(file, "<dt>clock</dt><dd>%.1f MHz%s</dd>\n", (double)result->clock_hz / 1e6,
              run->device.clock_hz != 0 ? " (the model's)" : " (inferred)");
   }
   if (result->operating_point_hz != 0) {
      fprintf(file, "<dt>nearest operating point</dt><dd>%.1f MHz</dd>\n", (double)result->operating_point_hz / 1e6);
   }
   write_samples(result, file);
   write_program(result, file);
   term("published by", result->reference_source, file);
   fputs("</dl>\n", file);
   report_code(run, result, file);
   fputs("</div>", file);
}

/* The group: a name up to its first slash. */
static size_t group_length(const char *name)
{
   const size_t length = strcspn(name, "/");

   return name[length] == '/' ? length : 0;
}

/* Hidden until the script shows it, because it does nothing without the script. The script adds the statuses of the
 * run. */
static const char controls[] =
    "<form id=\"controls\" hidden><label>Search <input type=\"search\" name=\"search\"></label>\n"
    "<label>Status <select name=\"status\"><option value=\"\">all</option></select></label>\n"
    "<label>Sort by <select name=\"sort\"><option value=\"\">group</option><option value=\"name\">name</option>"
    "<option value=\"value\">value</option><option value=\"difference\">difference from published</option>"
    "<option value=\"status\">status</option></select></label>\n<output></output></form>\n";

static void write_rows(const struct result_run *run, FILE *file)
{
   const char *last = NULL;

   fputs("<h2>All results</h2>\n<p class=\"soft\">Click a row for details. The bar shows the difference from the "
         "published figure; half a bar is 50&nbsp;%. In parentheses: the published figure is of other code.</p>\n",
         file);
   fputs(controls, file);
   fputs("<div id=\"rows\">\n", file);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];
      const size_t length = group_length(result->name);

      if (last == NULL || group_length(last) != length || strncmp(last, result->name, length) != 0) {
         char group[RESULT_NAME_MAX];

         snprintf(group, sizeof(group), "%.*s", (int)length, result->name);
         fputs("<h3>", file);
         text(length > 0 ? group : "mixes", file);
         fputs("</h3>\n<div class=\"head\"><span>benchmark</span><span class=\"num\">value</span><span class=\"num "
               "range\">95&nbsp;% interval</span><span>unit</span><span class=\"num\">published</span>"
               "<span>difference</span><span>status</span></div>\n",
               file);
      }
      last = result->name;
      fputs("<details class=\"row\">", file);
      write_summary_line(result, file);
      write_inside(run, result, file);
      fputs("</details>\n", file);
   }
   fputs("</div>\n", file);
}

/* Writes failures before everything else; if there are many, the rest is collapsed. */
static void write_bad(const struct result_run *run, FILE *file)
{
   size_t bad = 0, shown = 0;

   for (size_t i = 0; i < run->count; i++) {
      bad += result_status_is_bad(run->results[i].status);
   }
   fputs(bad > 0 ? "<h2>Failures</h2>\n<ul>\n" : "", file);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (!result_status_is_bad(result->status)) {
         continue;
      }
      if (shown == BAD_ROWS) {
         fprintf(file, "</ul>\n<details><summary>%zu more</summary>\n<ul>\n", bad - shown);
      }
      shown++;
      fputs("<li>", file);
      text(result->name, file);
      fprintf(file, ": <span class=\"bad\">%s</span> ", result_status_names[result->status]);
      text(result->reason, file);
      fputs("</li>\n", file);
   }
   fputs(bad > 0 ? "</ul>\n" : "", file);
   fputs(bad > BAD_ROWS ? "</details>\n" : "", file);
}

int report_write(const struct result_run *run, const struct report_extras *extras, FILE *file)
{
   int ret;

   fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>agx-runner: ",
         file);
   text(run->device.name, file);
   fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>agx-runner: ", report_style);
   text(run->device.name, file);
   fputs("</h1>\n<p class=\"soft\">", file);
   text(run->device.path, file);
   fputs(", Mesa ", file);
   text(run->mesa, file);
   fputs(", ", file);
   text(run->time, file);
   fputs("</p>\n", file);
   if (run->device.is_virtual) {
      fputs("<p class=\"note\"><strong>" RESULT_VIRTUAL_NOTE ".</strong> The timing model of agx-runner's "
            "virtual GPU gave these figures.</p>\n",
            file);
   }
   write_tiles(run, file);
   write_bad(run, file);
   report_overview(run, file);
   if (!write_agreement(run, file)) {
      return -ENOMEM;
   }
   report_gemm(run, file);
   report_layout(run, file);
   report_series(run, file);
   ret = report_sweep(extras->sweep, file);
   if (ret < 0) {
      return ret;
   }
   report_distributions(run, file);
   report_history(extras->history, file);
   report_explained(extras->pages, file);
   write_rows(run, file);
   ret = report_sources(run, file);
   if (ret < 0) {
      return ret;
   }
   write_provenance(run, file);
   fprintf(file, "<script>\n%s</script>\n", report_script);
   fputs("</body>\n</html>\n", file);
   return 0;
}
