/* SPDX-License-Identifier: MIT
 *
 * The GEMM table: a run's rows matrix/gemm-FORM-KERNEL-SIZE/dispatch as sizes by kernels, a table and a plot for each
 * form; and inputs of 8 bits against those of 16. Invariant: a cell is shown only for a row that was run and passed
 * its check.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/report/report.h"
#include "agx_runner/report/report_plots.h"
#include "util/array.h"

#define PREFIX "matrix/gemm-"
#define SUFFIX "/dispatch"
#define SIZES_MAX 32u
/* Floating-point operations of a core in a cycle: 4 schedulers, 32 lanes, 2 for a multiply-add. */
#define CORE_OPERATIONS 256.0

static const char *const forms[] = {"f16", "mixed", "f32"};
static const char *const form_titles[] = {"f16 x f16 + f16", "f16 x f16 + f32", "f32 x f32 + f32"};
static const char *const kernels[] = {"naive", "tiled", "local", "direct"};
#define FORMS ARRAY_COUNT(forms)
#define KERNELS ARRAY_COUNT(kernels)

struct table {
   char sizes[SIZES_MAX][32]; /* in the order of the run */
   double cells[SIZES_MAX][KERNELS];
   unsigned count;
};

/* The cell that a result is of; NULL: none of this form. */
static double *find_cell(struct table *table, const char *form, const char *name)
{
   char head[64];

   for (unsigned k = 0; k < KERNELS; k++) {
      const int length = snprintf(head, sizeof(head), PREFIX "%s-%s-", form, kernels[k]);
      const char *size = name + length, *end = strncmp(name, head, (size_t)length) == 0 ? strstr(size, SUFFIX) : NULL;
      unsigned row = 0;

      if (end == NULL || strchr(size, '-') != NULL || (size_t)(end - size) >= sizeof(table->sizes[0])) {
         continue; /* the names of a sweep of block shapes contain a dash */
      }
      while (row < table->count &&
             (strncmp(table->sizes[row], size, (size_t)(end - size)) != 0 || table->sizes[row][end - size] != '\0')) {
         row++;
      }
      if (row == SIZES_MAX) {
         return NULL;
      }
      if (row == table->count) {
         snprintf(table->sizes[table->count++], sizeof(table->sizes[0]), "%.*s", (int)(end - size), size);
         for (unsigned i = 0; i < KERNELS; i++) {
            table->cells[row][i] = NAN;
         }
      }
      return &table->cells[row][k];
   }
   return NULL;
}

static void fill(struct table *table, const struct result_run *run, const char *form)
{
   *table = (struct table){.count = 0};
   for (size_t i = 0; i < run->count; i++) {
      double *cell = find_cell(table, form, run->results[i].name);

      if (cell != NULL && run->results[i].status == RESULT_PASS) {
         *cell = run->results[i].value;
      }
   }
}

static void write_table(const struct table *table, double ceiling, FILE *file)
{
   fputs("<table><tr><th>size</th>", file);
   for (unsigned k = 0; k < KERNELS; k++) {
      fprintf(file, "<th>%s</th>", kernels[k]);
   }
   fputs("</tr>\n", file);
   for (unsigned row = 0; row < table->count; row++) {
      fprintf(file, "<tr><td>%s</td>", table->sizes[row]);
      for (unsigned k = 0; k < KERNELS; k++) {
         const double cell = table->cells[row][k];

         if (isnan(cell)) {
            fputs("<td class=\"num\">not run</td>", file);
         } else if (ceiling > 0) {
            fprintf(file, "<td class=\"num\">%.3f (%.0f %%)</td>", cell, 100 * cell / ceiling);
         } else {
            fprintf(file, "<td class=\"num\">%.3f</td>", cell);
         }
      }
      fputs("</tr>\n", file);
   }
   fputs("</table>\n", file);
}

/* Square sizes alone. */
static bool write_plot(const struct table *table, const char *title, double ceiling, FILE *file)
{
   char *text = NULL;
   size_t length;
   FILE *script = report_plot_start(&text, &length, 480, 300);

   if (script == NULL) {
      return false;
   }
   fputs("set logscale x 2\nset xlabel 'size'\nset ylabel 'TFLOP/s'\nset yrange [0:*]\nset key top left\nplot ",
         script);
   if (ceiling > 0) {
      fprintf(script, "%.6g with lines dt 2 lc rgb '#888888' title 'ALU ceiling', ", ceiling);
   }
   for (unsigned k = 0; k < KERNELS; k++) {
      fprintf(script, "'-' using 1:2 with linespoints pt 7 ps 0.4 title '%s'%s", kernels[k],
              k + 1 < KERNELS ? ", " : "\n");
   }
   for (unsigned k = 0; k < KERNELS; k++) {
      for (unsigned row = 0; row < table->count; row++) {
         if (strchr(table->sizes[row], 'x') == NULL && !isnan(table->cells[row][k])) {
            fprintf(script, "%s %.9g\n", table->sizes[row], table->cells[row][k]);
         }
      }
      fputs("nan nan\ne\n", script);
   }
   return report_plot_finish(script, &text, &length, title, file);
}

/* Returns true: it stands. */
static bool write_heading(const struct result_run *run, double ceiling, FILE *file)
{
   fprintf(file, "<h2>GEMM</h2>\n<p class=\"soft\">TFLOP/s of one whole dispatch, answers checked%s%s</p>\n",
           ceiling > 0 ? "; in brackets, of the ALU ceiling" : "",
           run->device.is_virtual ? ". " RESULT_VIRTUAL_NOTE "." : ".");
   return true;
}

/* ---- 8-bit floats ---- */

/* NAN: it was not run, or did not pass. */
static double value_of(const struct result_run *run, const char *inputs, const char *kernel, const char *size)
{
   char name[RESULT_NAME_MAX];

   snprintf(name, sizeof(name), PREFIX "%s-%s-%s" SUFFIX, inputs, kernel, size);
   for (size_t i = 0; i < run->count; i++) {
      if (strcmp(run->results[i].name, name) == 0 && run->results[i].status == RESULT_PASS) {
         return run->results[i].value;
      }
   }
   return NAN;
}

static void write_small_cell(double value, double wide, FILE *file)
{
   if (isnan(value)) {
      fputs("<td class=\"num\">not run</td>", file);
   } else if (isnan(wide)) {
      fprintf(file, "<td class=\"num\">%.3f</td>", value);
   } else {
      fprintf(file, "<td class=\"num\">%.3f (%.2f x)</td>", value, value / wide);
   }
}

static const char *const small[] = {"e4m3", "e5m2"};

/* A row for each size of which one of both formats was run. The number of rows; `before` stands before the first. */
static unsigned write_small_rows(const struct result_run *run, const char *kernel, const char *before, FILE *file)
{
   unsigned rows = 0;

   for (size_t i = 0; i < run->count; i++) {
      for (unsigned s = 0; s < 2; s++) {
         char head[32], size[32];
         const int length = snprintf(head, sizeof(head), PREFIX "%s-%s-", small[s], kernel);
         const char *rest = run->results[i].name + length;
         const char *end = strncmp(run->results[i].name, head, (size_t)length) == 0 ? strstr(rest, SUFFIX) : NULL;

         if (end == NULL || (size_t)(end - rest) >= sizeof(size)) {
            continue;
         }
         snprintf(size, sizeof(size), "%.*s", (int)(end - rest), rest);
         const double first = value_of(run, small[0], kernel, size), wide = value_of(run, "mixed", kernel, size);
         if (isnan(value_of(run, small[s], kernel, size)) || (s == 1 && !isnan(first))) {
            continue; /* nothing to show, or shown with the first format */
         }
         fprintf(file, "%s<tr><td>%s</td><td>%s</td>", rows++ == 0 ? before : "", kernel, size);
         write_small_cell(wide, NAN, file);
         write_small_cell(first, wide, file);
         write_small_cell(value_of(run, small[1], kernel, size), wide, file);
         fputs("</tr>\n", file);
      }
   }
   return rows;
}

static bool has_small_floats(const struct result_run *run)
{
   bool found = false;

   for (size_t i = 0; i < run->count; i++) {
      for (unsigned s = 0; s < 2; s++) {
         char head[32];
         const int length = snprintf(head, sizeof(head), PREFIX "%s-", small[s]);

         found = found ||
                 (run->results[i].status == RESULT_PASS && strncmp(run->results[i].name, head, (size_t)length) == 0);
      }
   }
   return found;
}

static void write_small_floats(const struct result_run *run, bool under_heading, double ceiling, FILE *file)
{
   static const char head[] =
       "<h3>8-bit floats</h3>\n<p class=\"soft\">TFLOP/s; A and B of 8 bits are widened to f16 behind each load "
       "(direct) or on the way into threadgroup memory (local), and are half the bytes. In brackets, over f16 "
       "inputs</p>\n"
       "<table><tr><th>kernel</th><th>size</th><th>f16</th><th>E4M3</th><th>E5M2</th></tr>\n";
   unsigned rows = 0;

   if (has_small_floats(run) && !under_heading) {
      write_heading(run, ceiling, file);
   }
   for (unsigned k = 0; k < KERNELS; k++) {
      rows += write_small_rows(run, kernels[k], rows == 0 ? head : "", file);
   }
   fputs(rows > 0 ? "</table>\n" : "", file);
}

void report_gemm(const struct result_run *run, FILE *file)
{
   const double ceiling = CORE_OPERATIONS * run->device.cores * (double)run->device.clock_hz * 1e-12;
   bool drawn = true, headed = false;
   struct table table;

   for (unsigned f = 0; f < FORMS; f++) {
      fill(&table, run, forms[f]);
      if (table.count == 0) {
         continue;
      }
      headed = headed || write_heading(run, ceiling, file);
      fprintf(file, "<h3>%s</h3>\n", form_titles[f]);
      write_table(&table, ceiling, file);
      drawn = drawn && write_plot(&table, form_titles[f], ceiling, file);
   }
   write_small_floats(run, headed, ceiling, file);
   report_gemm_kernels(run, file);
   fputs(headed && !drawn ? "<p class=\"soft\">No plots: gnuplot is not installed.</p>\n" : "", file);
}
