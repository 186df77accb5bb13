/* SPDX-License-Identifier: MIT
 *
 * docs/correlation.md and its picture. Invariant: no line of text is longer than 100 columns; rows of tables may be.
 */
#include <math.h>

#include "agx_runner/correlate/correlation.h"
#include "agx_runner/terminal/gnuplot.h"
#include "agx_runner/terminal/markup.h"

static const char opening[] =
    "# The model beside published figures\n\n"
    "`agx-runner correlate --write-docs .` makes this page, its picture and results/correlation.csv.\n"
    "Each published figure of results/reference is a row: those that a kernel of ours asks of a virtual\n"
    "device, the largest misses first, and those that nothing asks, with the reason. The table\n"
    "results/reference/asked.csv says for each what is asked, and of which virtual device.\n\n"
    "**Figures of a virtual device are modelled: nothing here is a measurement of hardware by this\n"
    "project.** The published ones are other people's.\n\n"
    "| role | what the model knew of the figure |\n|---|---|\n"
    "| fitted | a parameter was read from it: that both agree says nothing of hardware |\n"
    "| seen | a rule was chosen with it in view, or its instruction shares the class of a fitted row |\n"
    "| blind | neither |\n\n"
    "The error is model / published - 1. Where a range or a bound is published, a figure within it has\n"
    "no error (\"within\"), and others are compared with the nearest end. Changes in percent are\n"
    "compared as (100 + model) / (100 + published) - 1. The M1 Max's figures of one core are asked of\n"
    "virtual:m1, whose core is the same. Latencies \"with their loop\" have the source's own empty\n"
    "kernel added, spread over its repetitions. The test `runner correlate` fails when a median or the\n"
    "largest error of a group of blind figures grows. It leaves out changes of kernels: these are in\n"
    "OpenCL C, and each version of clang makes other code of them.\n"
    "[timing-model.md](timing-model.md) explains the misses.\n\n"
    "![published figures and the model's](pictures/correlation.svg)\n\n";

static void write_cell(const char *text, FILE *file)
{
   markup_markdown(text, file);
   fputs(" | ", file);
}

static void write_summaries(const struct correlation *correlation, FILE *file)
{
   fputs("## Errors by group\n\n| group | role | figures | median | 90th percentile | worst "
         "|\n|---|---|---|---|---|---|\n",
         file);
   for (size_t i = 0; i < correlation->summary_count; i++) {
      const struct error_summary *summary = &correlation->summaries[i];

      fprintf(file, "| %s | %s | %zu | %.1f %% | %.1f %% | %.1f %% |\n", summary->name,
              figure_role_names[summary->role], summary->count, summary->median, summary->ninetieth, summary->worst);
   }
}

static void write_judged(const struct correlated *row, FILE *file)
{
   const struct figure *figure = row->figure;

   row->error == 0 ? fputs("| within | ", file) : fprintf(file, "| %+.1f %% | ", row->error);
   write_cell(figure_role_names[figure->role], file);
   write_cell(figure->group, file);
   write_cell(figure->row, file);
   write_cell(figure->chip, file);
   write_cell(figure->text, file);
   fprintf(file, "%.4g | ", row->model);
   write_cell(figure->unit, file);
   markup_markdown(figure->note, file);
   fputs(" |\n", file);
}

static void write_unasked(const struct correlated *row, FILE *file)
{
   fputs("| ", file);
   write_cell(row->figure->row, file);
   write_cell(row->figure->name, file);
   write_cell(row->figure->text, file);
   write_cell(row->figure->unit, file);
   markup_markdown(row->reason, file);
   fputs(" |\n", file);
}

void correlation_write_markdown(const struct correlation *correlation, FILE *file)
{
   fputs(opening, file);
   write_summaries(correlation, file);
   fputs("\n## Each figure, misses first\n\n"
         "| error | role | group | row | chip | published | model | unit | note "
         "|\n|---|---|---|---|---|---|---|---|---|\n",
         file);
   for (size_t i = 0; i < correlation->judged; i++) {
      write_judged(&correlation->rows[i], file);
   }
   fputs("\n## Figures that nothing asks\n\n| row | figure | published | unit | why |\n|---|---|---|---|---|\n", file);
   for (size_t i = correlation->judged; i < correlation->count; i++) {
      write_unasked(&correlation->rows[i], file);
   }
}

void correlation_plot(const void *data, FILE *script)
{
   const struct correlation *correlation = data;

   gnuplot_terminal(script, 800, 600, "noenhanced font 'sans-serif,12'");
   fputs("set border 3\nset tics nomirror\nset grid lc rgb '#c0c0c0'\nset logscale xy\nset key top left\n"
         "set xlabel 'published'\nset ylabel 'model (modelled, not measured)'\n"
         "plot x with lines lc rgb '#808080' title 'equal'",
         script);
   for (enum figure_role role = 0; role < FIGURE_NOT_ASKED; role++) {
      fprintf(script, ", '-' with points pt %u title '%s'", 6 + role, figure_role_names[role]);
   }
   fputc('\n', script);
   for (enum figure_role role = 0; role < FIGURE_NOT_ASKED; role++) {
      for (size_t i = 0; i < correlation->judged; i++) {
         const struct correlated *row = &correlation->rows[i];
         const double published = isinf(row->figure->low) ? row->figure->high : row->figure->low;

         if (row->figure->role == role && row->model > 0 && published > 0 && isfinite(published)) {
            fprintf(script, "%g %g\n", published, row->model);
         }
      }
      fputs("e\n", script);
   }
}
