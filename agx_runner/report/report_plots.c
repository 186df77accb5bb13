/* SPDX-License-Identifier: MIT
 *
 * The page's plots: gnuplot draws them as SVG, and they are put into the page as data.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/markup.h"
#include "agx_runner/report/report.h"
#include "agx_runner/report/report_plots.h"
#include "agx_runner/terminal/gnuplot.h"

#define NOISY_ROWS 30
#define NOISY_SPREAD 0.002 /* of the samples: below, there is no distribution to see */
#define HISTORY_PLOTS 24
#define HISTORY_LEAST 3 /* runs */

static void write_base64(const char *bytes, size_t size, FILE *file)
{
   static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

   for (size_t i = 0; i < size; i += 3) {
      uint32_t word = 0;

      for (size_t b = 0; b < 3; b++) {
         word = word << 8 | (i + b < size ? (uint8_t)bytes[i + b] : 0);
      }
      for (size_t d = 0; d < 4; d++) {
         fputc(i + d <= size ? digits[word >> (18 - 6 * d) & 63] : '=', file);
      }
   }
}

/* A text for gnuplot in single quotes: nothing in it is looked at but the quote. Other characters than ASCII's become
 * question marks, as they might be no characters at all. */
static void quote(const char *text, FILE *script)
{
   fputc('\'', script);
   for (; *text != '\0'; text++) {
      fprintf(script, "%s%c", *text == '\'' ? "'" : "", *text >= ' ' && *text <= '~' ? *text : '?');
   }
   fputc('\'', script);
}

bool report_plot_finish(FILE *script, char **text, size_t *length, const char *caption, FILE *file)
{
   size_t size = 0;
   const bool closed = fclose(script) == 0;
   char *drawing = closed ? gnuplot_draw(*text, *length, &size) : NULL;

   free(*text);
   *text = NULL;
   if (size > 0) {
      fputs("<figure><img class=\"plot\" alt=\"", file);
      markup_xml(caption, file);
      fputs("\" src=\"data:image/svg+xml;base64,", file);
      write_base64(drawing, size, file);
      fputs("\"><figcaption>", file);
      markup_xml(caption, file);
      fputs("</figcaption></figure>\n", file);
   }
   free(drawing);
   return size > 0;
}

FILE *report_plot_start(char **text, size_t *length, unsigned width, unsigned height)
{
   FILE *script = open_memstream(text, length);

   if (script != NULL) {
      gnuplot_terminal(script, width, height, "noenhanced font 'sans-serif,12'");
      fputs("set border 3\nset tics nomirror\nset grid lc rgb '#c0c0c0'\n", script);
   }
   return script;
}

static void no_plots(FILE *file)
{
   fputs("<p class=\"soft\">No plots: gnuplot is not installed.</p>\n", file);
}

static double spread(const struct result *result)
{
   double least = INFINITY, most = 0;

   for (size_t i = 0; i < result->sample_count; i++) {
      least = fmin(least, result->samples[i]);
      most = fmax(most, result->samples[i]);
   }
   return result->value > 0 && result->sample_count > 0 ? (most - least) / result->value : 0;
}

static int by_spread(const void *x, const void *y)
{
   const double one = spread(*(const struct result *const *)x), two = spread(*(const struct result *const *)y);

   return (one < two) - (one > two);
}

void report_distributions(const struct result_run *run, FILE *file)
{
   const struct result **rows = calloc(run->count + 1, sizeof(*rows));
   size_t count = 0, length;
   char *text = NULL;

   for (size_t i = 0; rows != NULL && i < run->count; i++) {
      if (spread(&run->results[i]) > NOISY_SPREAD) {
         rows[count++] = &run->results[i];
      }
   }
   if (count > 0) {
      qsort(rows, count, sizeof(const struct result *), by_spread);
      count = count < NOISY_ROWS ? count : NOISY_ROWS;
      fputs("<h2>Noisy rows</h2>\n<p class=\"soft\">Each dot is a sample, placed by its difference from the median of "
            "its row.</p>\n",
            file);
      FILE *script = report_plot_start(&text, &length, 800, 80 + 22 * (unsigned)count);
      if (script != NULL) {
         fprintf(script, "set xlabel 'difference from the median, %%'\nset yrange [%zu.6:-0.6]\nset ytics (",
                 count - 1);
         for (size_t i = 0; i < count; i++) {
            fputs(i > 0 ? ", " : "", script);
            quote(rows[i]->name, script);
            fprintf(script, " %zu", i);
         }
         fputs(")\nplot '-' using 1:2 with points pt 7 ps 0.5 lc rgb '#3b6fb6' notitle\n", script);
         for (size_t i = 0; i < count; i++) {
            for (size_t s = 0; s < rows[i]->sample_count; s++) {
               fprintf(script, "%.6g %zu\n", (rows[i]->samples[s] / rows[i]->value - 1) * 100, i);
            }
         }
         fputs("e\n", script);
         if (!report_plot_finish(script, &text, &length, "Samples of the rows with the widest spread", file)) {
            no_plots(file);
         }
      }
   }
   free(rows);
}

static size_t count_changes(const struct history_series *series)
{
   size_t count = 0;

   for (size_t i = 0; i < series->count; i++) {
      count += series->points[i].changed;
   }
   return count;
}

static bool plot_series(const struct history_series *series, FILE *file)
{
   size_t length;
   char *text = NULL, caption[RESULT_NAME_MAX + 160];
   FILE *script = report_plot_start(&text, &length, 480, 240);

   if (script == NULL) {
      return false;
   }
   fputs("set xlabel 'run'\nset ylabel ", script);
   quote(series->unit, script);
   fputs("\nset offsets 0, 0, graph 0.1, graph 0.1\n", script);
   fprintf(script, "set xrange [%" PRId64 ":%" PRId64 "]\n", series->points[0].run - 1,
           series->points[series->count - 1].run + 1);
   for (size_t i = 0; i < series->count; i++) {
      if (series->points[i].changed) {
         fprintf(script, "set arrow from %" PRId64 ", graph 0 to %" PRId64 ", graph 1 nohead lc rgb '#c62828' dt 2\n",
                 series->points[i].run, series->points[i].run);
      }
   }
   fputs("plot '-' using 1:2:3:4 with yerrorlines pt 7 ps 0.4 lc rgb '#3b6fb6' notitle\n", script);
   for (size_t i = 0; i < series->count; i++) {
      if (isfinite(series->points[i].value)) {
         fprintf(script, "%" PRId64 " %.9g %.9g %.9g\n", series->points[i].run, series->points[i].value,
                 series->points[i].low, series->points[i].high);
      }
   }
   fputs("e\n", script);
   const size_t changes = count_changes(series);
   snprintf(caption, sizeof(caption), "%s on %s: %zu runs, %zu change%s", series->name, series->device, series->count,
            changes, changes == 1 ? "" : "s");
   return report_plot_finish(script, &text, &length, caption, file);
}

void report_history(const struct history *history, FILE *file)
{
   size_t plots = 0, changed = 0;
   bool drawn = true;

   for (size_t i = 0; history != NULL && i < history->count; i++) {
      changed += count_changes(&history->series[i]) > 0;
   }
   if (history == NULL || history->count == 0) {
      return;
   }
   fprintf(file, "<h2>History</h2>\n<p>%zu of %zu series changed their level.%s</p>\n<div class=\"plots\">\n", changed,
           history->count, changed > HISTORY_PLOTS ? " The first of them:" : "");
   /* First the series that changed, then, while there is room, the others. */
   for (unsigned pass = 0; pass < 2; pass++) {
      for (size_t i = 0; i < history->count && plots < (pass == 0 ? HISTORY_PLOTS : HISTORY_PLOTS / 4) && drawn; i++) {
         const struct history_series *series = &history->series[i];

         if ((count_changes(series) > 0) == (pass == 0) && series->count >= HISTORY_LEAST) {
            drawn = plot_series(series, file);
            plots++;
         }
      }
   }
   fputs("</div>\n", file);
   if (!drawn) {
      no_plots(file);
   }
}
