/* SPDX-License-Identifier: MIT
 *
 * history: how figures changed from run to run of a store.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/history.h"
#include "agx_runner/terminal/markup.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

struct history_options {
   struct command_line line;
   const char *store;  /* NULL: not given */
   const char *output; /* NULL: stdout */
};

#define FIELD(member) .field = offsetof(struct history_options, member)
static const struct option_row rows[] = {
    {&option_store, FIELD(store)},
    {&option_output, FIELD(output)},
    {0},
};

/* The level before point `at`, and from it on to the next change: medians would be better, means are enough to say by
 * how much. */
static double step_percent(const struct history_series *series, size_t at)
{
   double sums[2] = {0, 0};
   size_t counts[2] = {0, 0};

   for (size_t i = at; i-- > 0;) {
      if (series->points[i].value > 0) {
         sums[0] += series->points[i].value;
         counts[0]++;
      }
      if (series->points[i].changed) {
         break;
      }
   }
   for (size_t i = at; i < series->count && (i == at || !series->points[i].changed); i++) {
      if (series->points[i].value > 0) {
         sums[1] += series->points[i].value;
         counts[1]++;
      }
   }
   return counts[0] == 0 || counts[1] == 0 ? NAN
                                           : (sums[1] / (double)counts[1] * (double)counts[0] / sums[0] - 1) * 100;
}

static double edge(const struct history_series *series, bool last)
{
   for (size_t i = 0; i < series->count; i++) {
      const double value = series->points[last ? series->count - 1 - i : i].value;

      if (value > 0) {
         return value;
      }
   }
   return NAN;
}

/* rows that check instead of measuring have no figure */
static void write_figure(double value, FILE *file)
{
   if (isnan(value)) {
      fprintf(file, "%10s ", "-");
   } else {
      fprintf(file, "%10.4g ", value);
   }
}

static void write_overview(const struct history *history, FILE *file)
{
   fprintf(file, "%-44s %-14s %5s %10s %10s %-7s  %s\n", "benchmark", "device", "runs", "first", "latest", "unit",
           "changes");
   for (size_t i = 0; i < history->count; i++) {
      const struct history_series *series = &history->series[i];

      markup_text(series->name, 45, file);
      markup_text(series->device, 15, file);
      fprintf(file, "%5zu ", series->count);
      write_figure(edge(series, false), file);
      write_figure(edge(series, true), file);
      markup_text(series->unit, 7, file);
      for (size_t p = 0; p < series->count; p++) {
         if (series->points[p].changed) {
            fprintf(file, "  run %" PRId64 ": %+.1f %%", series->points[p].run, step_percent(series, p));
         }
      }
      fputc('\n', file);
   }
}

static void write_series(const struct history_series *series, FILE *file)
{
   markup_text(series->name, 0, file);
   fputs(" on ", file);
   markup_text(series->device, 0, file);
   fputs(", ", file);
   markup_text(series->unit, 0, file);
   fprintf(file, "\n\n%6s  %-20s  %-26s %-20s %10s  %s\n", "run", "time", "Mesa", "agx-runner", "value",
           "95 % interval");
   for (size_t i = 0; i < series->count; i++) {
      const struct history_point *point = &series->points[i];

      fprintf(file, "%6" PRId64 "  ", point->run);
      markup_text(point->time, 22, file);
      markup_text(point->mesa, 27, file);
      markup_text(point->commit, 21, file);
      if (isnan(point->value)) {
         fprintf(file, "%10s", result_status_names[point->status]);
      } else {
         fprintf(file, "%10.4g  %.4g .. %.4g", point->value, point->low, point->high);
      }
      if (point->changed) {
         fprintf(file, "  <- %+.1f %%", step_percent(series, i));
      }
      fputc('\n', file);
   }
}

static int write_history(const struct history_options *options, const struct history *history)
{
   struct output output;
   int code = output_open(&output, options->output);

   if (code == EXIT_OK) {
      if (history->count == 1) {
         write_series(&history->series[0], output.file);
      } else {
         write_overview(history, output.file);
      }
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

static int cmd_history(const void *data)
{
   const struct history_options *options = data;
   struct history history = {0};
   struct store *store = NULL;
   int code = options->store == NULL ? complain(EXIT_INVALID, "history: --store is missing")
                                     : store_open(options->store, false, &store);

   if (code == EXIT_OK) {
      code = history_read(store, &options->line.operands, &history);
   }
   if (code == EXIT_OK && history.count == 0) {
      code = complain(EXIT_INVALID, "%s: no result of that name", options->store);
   }
   if (code == EXIT_OK) {
      code = write_history(options, &history);
   }
   history_finish(&history);
   store_close(store);
   return code;
}

const struct command command_history = {
    .name = "history",
    .operands = "[PATTERN...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "show the figures of a store run by run, and where they changed",
    .rows = rows,
    .size = sizeof(struct history_options),
    .run = cmd_history,
};
