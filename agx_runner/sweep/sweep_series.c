/* SPDX-License-Identifier: MIT
 *
 * The series are a table: which rows of the catalogue are points, and which panel of a drawing they belong to. The
 * points run like the tests of `run`.
 *
 * Invariant: a figure is shown only beside a passed check, and every table and drawing says whether a model computed
 * it.
 */
#include "agx_runner/sweep/sweep_series.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/ilp/sweep.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

struct series {
   const char *sweep, *group, *name; /* of rows named name-NUMBER, name-NUMBER-variant */
   const char *variant;              /* NULL: none */
   const char *metric;
   unsigned panel;
};

enum panel {
   PANEL_REGION,
   PANEL_STRIDE,
   PANEL_LOCAL,
   PANEL_STREAM,
   PANEL_WORDS,
   PANEL_TABLE,
   PANEL_COMMAND,
   PANEL_GAP,
   PANEL_BIT_PRICE,
   PANEL_BIT_OVERLAP,
   PANEL_OVERLAP,
   PANEL_IDLE,
   PANEL_PREAMBLE,
   PANEL_GROUP,
   PANEL_STACK,
   PANELS
};

static const struct {
   const char *title, *x, *y;
   bool log_x, log_y;
} panels[PANELS] = {
    [PANEL_REGION] = {"reads by what each core goes around in", "bytes of a core", "word/cycle/core", true, false},
    [PANEL_STRIDE] = {"reads of device memory by stride", "words from lane to lane", "word/cycle/core", true, true},
    [PANEL_LOCAL] = {"reads of threadgroup memory by stride", "words from lane to lane", "word/cycle/core", true, true},
    [PANEL_STREAM] = {"streams by words of a lane", "words that a lane moves at once", "GB/s", true, false},
    [PANEL_WORDS] = {"atomic additions by words of a simdgroup", "distinct words", "op/cycle/core", true, true},
    [PANEL_TABLE] = {"atomic additions by the table of all threads", "bytes", "op/cycle/core", true, true},
    [PANEL_COMMAND] = {"a command of empty launches", "launches", "ns", true, true},
    [PANEL_GAP] = {"gaps between commands", "commands of a submission", "ns", true, false},
    [PANEL_BIT_PRICE] = {"price of a barrier by bit", "bit", "ns", false, false},
    [PANEL_BIT_OVERLAP] = {"launches at once by barrier bit", "bit", "launches", false, true},
    [PANEL_OVERLAP] = {"independent launches at once", "simdgroups of a launch", "launches", true, false},
    [PANEL_IDLE] = {"start of a command after a pause", "ms without work", "ns", false, true},
    [PANEL_PREAMBLE] = {"a launch by its preamble", "instructions", "ns", true, true},
    [PANEL_GROUP] = {"64 threadgroups by size", "threads", "ns", false, false},
    [PANEL_STACK] = {"256 threads with an array on the stack", "bytes", "ns", true, true},
};

static const struct series all_series[] = {
    {"bandwidth", "memory", "core-read", NULL, "rate", PANEL_REGION},
    {"bandwidth", "memory", "core-stride", NULL, "rate", PANEL_STRIDE},
    {"bandwidth", "memory", "local-stride", NULL, "rate", PANEL_LOCAL},
    {"bandwidth", "memory", "read", NULL, "rate", PANEL_STREAM},
    {"bandwidth", "memory", "copy", NULL, "rate", PANEL_STREAM},
    {"atomics", "atomic", "add-words", NULL, "rate", PANEL_WORDS},
    {"atomics", "atomic", "add-words", "return", "rate", PANEL_WORDS},
    {"atomics", "atomic", "local-add-words", NULL, "rate", PANEL_WORDS},
    {"atomics", "atomic", "local-add-words", "return", "rate", PANEL_WORDS},
    {"atomics", "atomic", "add-random", NULL, "rate", PANEL_TABLE},
    {"atomics", "atomic", "add-random", "return", "rate", PANEL_TABLE},
    {"launch", "launch", "stream", NULL, "launch", PANEL_COMMAND},
    {"launch", "launch", "gap", NULL, "launch", PANEL_GAP},
    {"launch", "launch", "barrier-bit", NULL, "launch", PANEL_BIT_PRICE},
    {"launch", "launch", "side-by-side-bit", NULL, "overlap", PANEL_BIT_OVERLAP},
    {"launch", "launch", "side-by-side", NULL, "overlap", PANEL_OVERLAP},
    {"launch", "launch", "idle", NULL, "launch", PANEL_IDLE},
    {"launch", "launch", "preamble", NULL, "launch", PANEL_PREAMBLE},
    {"launch", "launch", "group", NULL, "launch", PANEL_GROUP},
    {"launch", "launch", "stack", NULL, "launch", PANEL_STACK},
};

static const struct {
   const char *unit;
   double factor;
} units[] = {{"", 1}, {"B", 1}, {"k", 1024}, {"KiB", 1024}, {"m", 1048576}, {"MiB", 1048576}};

/* Whether the rest of a name is "64KiB/rate" or "64KiB-return/rate" of this series. */
static bool point_of_rest(const struct series *series, const char *rest, double *x)
{
   char end[64];

   if (!isdigit((unsigned char)rest[0])) {
      return false;
   }
   const unsigned long number = strtoul(rest, (char **)&rest, 10);
   for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
      snprintf(end, sizeof(end), "%s%s%s/%s", units[i].unit, series->variant != NULL ? "-" : "",
               series->variant != NULL ? series->variant : "", series->metric);
      if (!strcmp(rest, end)) {
         *x = (double)number * units[i].factor;
         return true;
      }
   }
   return false;
}

/* Returns the series to which a result belongs by its name; NULL: none. */
static const struct series *series_of(const char *name, double *x)
{
   for (size_t i = 0; i < ARRAY_COUNT(all_series); i++) {
      const struct series *series = &all_series[i];
      char start[64];
      const int length = snprintf(start, sizeof(start), "%s/%s-", series->group, series->name);

      if (!strncmp(name, start, (size_t)length) && point_of_rest(series, name + length, x)) {
         return series;
      }
   }
   return NULL;
}

bool sweep_series_is(const char *sweep)
{
   for (size_t i = 0; i < ARRAY_COUNT(all_series); i++) {
      if (!strcmp(sweep, all_series[i].sweep)) {
         return true;
      }
   }
   return false;
}

static bool is_wanted(const struct series *series, const char *sweep, const char *const *words, size_t count)
{
   bool named = count == 0;

   for (size_t i = 0; i < count; i++) {
      named = named || !strcmp(words[i], series->name);
   }
   return named && !strcmp(series->sweep, sweep);
}

/* Lists the names of the sweep's series for a message. */
static void list_names(const char *sweep, char *text, size_t size)
{
   const char *last = "";
   size_t at = 0;

   text[0] = '\0';
   for (size_t i = 0; i < ARRAY_COUNT(all_series) && at < size; i++) {
      if (!strcmp(all_series[i].sweep, sweep) && strcmp(all_series[i].name, last) != 0) {
         last = all_series[i].name;
         at += (size_t)snprintf(text + at, size - at, "%s%s", at > 0 ? ", " : "", last);
      }
   }
}

bool sweep_series_has(const char *sweep, const char *const *words, size_t count, const char *result)
{
   double x;
   const struct series *series = series_of(result, &x);

   return series != NULL && is_wanted(series, sweep, words, count);
}

bool sweep_series_knows(const char *sweep, const char *word, char *names, size_t size)
{
   bool known = false;

   for (size_t i = 0; i < ARRAY_COUNT(all_series); i++) {
      known = known || is_wanted(&all_series[i], sweep, &word, 1);
   }
   list_names(sweep, names, size);
   return known;
}

/* ---- The table ---- */

static bool has_figure(const struct result *result)
{
   return result->status == RESULT_PASS && result->check == RESULT_CHECK_PASS;
}

/* A field in quotes; quotes within are doubled. */
static void write_quoted(const char *text, FILE *file)
{
   fputc('"', file);
   for (; *text != '\0'; text++) {
      fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, file);
   }
   fputc('"', file);
}

static void write_name(const struct series *series, FILE *file)
{
   fprintf(file, "%s%s%s", series->name, series->variant != NULL ? " " : "",
           series->variant != NULL ? series->variant : "");
}

void sweep_series_csv(const struct result_run *run, FILE *file)
{
   double x;

   fputs("device,kind,series,quantity,x,value,low,high,unit,samples,status,reason\n", file);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];
      const struct series *series = series_of(result->name, &x);

      if (series == NULL) {
         continue;
      }
      write_quoted(run->device.path, file);
      fprintf(file, ",%s,", sweep_kind_name(run->device.is_virtual));
      write_name(series, file);
      fprintf(file, ",%s,%.0f", panels[series->panel].x, x);
      if (has_figure(result)) {
         fprintf(file, ",%.6g,%.6g,%.6g", result->value, result->low, result->high);
      } else {
         fputs(",,,", file);
      }
      fprintf(file, ",%s,%zu,%s,", panels[series->panel].y, result->sample_count, result_status_names[result->status]);
      write_quoted(result->reason, file);
      fputc('\n', file);
   }
}

/* ---- Drawings ---- */

/* Returns the number of points of a series with a figure, and writes them; script may be NULL. */
static unsigned write_points(const struct result_run *run, const struct series *series, FILE *script)
{
   unsigned count = 0;
   double x;

   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (has_figure(result) && series_of(result->name, &x) == series) {
         count++;
         if (script != NULL) {
            fprintf(script, "%.0f %.6g\n", x, result->value);
         }
      }
   }
   return count;
}

static bool is_drawn(const struct result_run *run, const struct series *series, unsigned panel)
{
   return series->panel == panel && write_points(run, series, NULL) >= 2;
}

static bool panel_is_drawn(const struct result_run *run, unsigned panel)
{
   for (size_t i = 0; i < ARRAY_COUNT(all_series); i++) {
      if (is_drawn(run, &all_series[i], panel)) {
         return true;
      }
   }
   return false;
}

unsigned sweep_series_panels(const struct result_run *run)
{
   unsigned count = 0;

   for (unsigned panel = 0; panel < PANELS; panel++) {
      count += panel_is_drawn(run, panel);
   }
   return count;
}

static void write_panel(const struct result_run *run, unsigned panel, FILE *script)
{
   bool first = true;

   fprintf(script,
           "set title '%s'\nset xlabel '%s'\nset ylabel '%s'\nunset logscale\n%s%sset yrange [%s:*]\n"
           "set format x '%s'\nplot ",
           panels[panel].title, panels[panel].x, panels[panel].y, panels[panel].log_x ? "set logscale x 2\n" : "",
           panels[panel].log_y ? "set logscale y\n" : "", panels[panel].log_y ? "*" : "0",
           strstr(panels[panel].x, "bytes") != NULL ? "%.0b %BB" : "%g");
   for (size_t i = 0; i < ARRAY_COUNT(all_series); i++) {
      if (is_drawn(run, &all_series[i], panel)) {
         fprintf(script, "%s$points_%zu using 1:2 smooth unique with linespoints pt 7 ps 0.4 title '",
                 first ? "" : ", ", i);
         write_name(&all_series[i], script);
         fputc('\'', script);
         first = false;
      }
   }
   fputc('\n', script);
}

void sweep_series_script(const struct result_run *run, FILE *script)
{
   const unsigned count = sweep_series_panels(run), columns = count < 3 ? count : 3;

   if (count == 0) {
      return;
   }
   for (size_t i = 0; i < ARRAY_COUNT(all_series); i++) {
      if (is_drawn(run, &all_series[i], all_series[i].panel)) {
         fprintf(script, "$points_%zu << E\n", i);
         (void)write_points(run, &all_series[i], script);
         fputs("E\n", script);
      }
   }
   fprintf(script, "set grid\nset key top left\nset multiplot layout %u,%u title \"%s (%s)\" noenhanced\n",
           (count + columns - 1) / columns, columns, run->device.path, sweep_kind_name(run->device.is_virtual));
   for (unsigned panel = 0; panel < PANELS; panel++) {
      if (panel_is_drawn(run, panel)) {
         write_panel(run, panel, script);
      }
   }
   fputs("unset multiplot\n", script);
}

static void write_script(const void *data, FILE *script)
{
   const struct result_run *run = data;
   const unsigned count = sweep_series_panels(run);

   gnuplot_terminal(script, 400 * (count < 3 ? count : 3), 60 + 340 * ((count + 2) / 3), "");
   sweep_series_script(run, script);
}

int sweep_series_plot(const struct result_run *run, const char *path)
{
   return sweep_series_panels(run) == 0
              ? complain(EXIT_FAILED, "%s: no series has two points with a figure: nothing to draw", path)
              : gnuplot_write(write_script, run, path);
}
