/* SPDX-License-Identifier: MIT
 *
 * The curves of a sweep (the CSV that `sweep ilp` writes): cycles by simdgroups a core, a line for each number of
 * parallel chains, a plot for each instruction.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/ilp/sweep.h"
#include "agx_runner/report/report.h"
#include "agx_runner/report/report_plots.h"

#define HEADING "device,kind,instruction,bits,ilp,simds_per_core,occupancy_by,"
#define CHAINS_MAX 8

/* Where the fields stand behind the device, which is in quotes. */
enum field {
   FIELD_KIND,
   FIELD_INSTRUCTION,
   FIELD_BITS,
   FIELD_ILP,
   FIELD_SIMDS,
   FIELD_BY,
   FIELD_HALVES,
   FIELD_CYCLES,
   FIELD_LOW,
   FIELD_HIGH,
   FIELD_PUBLISHED,
   FIELDS
};

struct point {
   char instruction[16];
   unsigned bits, ilp, simds;
   double cycles, published; /* NAN: none */
   bool modelled;            /* of a virtual device */
};

static double number(const char *text)
{
   return text != NULL && text[0] != '\0' ? strtod(text, NULL) : NAN;
}

/* False: a line that is none of a sweep's, or not of a point of its main curve. */
static bool read_point(char *line, struct point *point)
{
   char *rest = line[0] == '"' ? strstr(line, "\",") : NULL, *fields[FIELDS] = {NULL};

   if (rest == NULL) {
      return false;
   }
   rest += 2;
   for (unsigned i = 0; i < FIELDS; i++) {
      fields[i] = strsep(&rest, ",");
   }
   if (fields[FIELD_PUBLISHED] == NULL || strcmp(fields[FIELD_BY], "threadgroup memory") != 0) {
      return false;
   }
   *point = (struct point){
       .bits = (unsigned)strtoul(fields[FIELD_BITS], NULL, 10),
       .ilp = (unsigned)strtoul(fields[FIELD_ILP], NULL, 10),
       .simds = (unsigned)strtoul(fields[FIELD_SIMDS], NULL, 10),
       .cycles = number(fields[FIELD_CYCLES]),
       .published = number(fields[FIELD_PUBLISHED]),
       .modelled = strcmp(fields[FIELD_KIND], sweep_kind_name(false)) != 0,
   };
   snprintf(point->instruction, sizeof(point->instruction), "%s", fields[FIELD_INSTRUCTION]);
   return isfinite(point->cycles) && point->ilp >= 1 && point->ilp <= CHAINS_MAX;
}

static bool same_plot(const struct point *a, const struct point *b)
{
   return a->bits == b->bits && !strcmp(a->instruction, b->instruction);
}

static void write_data(const struct point *points, size_t count, const struct point *of, unsigned ilp, bool published,
                       FILE *script)
{
   for (size_t i = 0; i < count; i++) {
      const double value = published ? points[i].published : points[i].cycles;

      if (same_plot(&points[i], of) && (ilp == 0 || points[i].ilp == ilp) && isfinite(value)) {
         fprintf(script, "%u %.9g\n", points[i].simds, value);
      }
   }
   fputs("e\n", script);
}

static bool plot(const struct point *points, size_t count, const struct point *of, FILE *file)
{
   unsigned chains[CHAINS_MAX + 1] = {0};
   char *text = NULL, caption[80];
   size_t length;
   FILE *script = report_plot_start(&text, &length, 480, 300);

   if (script == NULL) {
      return false;
   }
   for (size_t i = 0; i < count; i++) {
      chains[points[i].ilp] += same_plot(&points[i], of);
   }
   fputs("set logscale xy\nset xlabel 'simdgroups a core'\nset ylabel 'cycles'\nset key top right\nplot ", script);
   for (unsigned ilp = 1; ilp <= CHAINS_MAX; ilp++) {
      if (chains[ilp] > 0) {
         fprintf(script, "'-' using 1:2 with linespoints pt 7 ps 0.4 title 'ILP %u', ", ilp);
      }
   }
   fputs("'-' using 1:2 with points pt 6 ps 1 lc rgb '#c62828' title 'published'\n", script);
   for (unsigned ilp = 1; ilp <= CHAINS_MAX; ilp++) {
      if (chains[ilp] > 0) {
         write_data(points, count, of, ilp, false, script);
      }
   }
   write_data(points, count, of, 0, true, script);
   snprintf(caption, sizeof(caption), "%s, %u bits", of->instruction, of->bits);
   return report_plot_finish(script, &text, &length, caption, file);
}

int report_sweep(const char *csv, FILE *file)
{
   struct point *points = NULL;
   size_t count = 0;
   char *copy, *rest, *line;
   bool drawn = true, modelled = false;

   if (csv == NULL) {
      return 0;
   }
   if (strncmp(csv, HEADING, strlen(HEADING)) != 0) {
      return -EINVAL;
   }
   copy = rest = strdup(csv);
   points = calloc(strlen(csv) / 16 + 1, sizeof(*points)); /* no line is shorter */
   if (copy == NULL || points == NULL) {
      free(copy);
      free(points);
      return -ENOMEM;
   }
   while ((line = strsep(&rest, "\n")) != NULL) {
      if (strlen(line) >= 16 && read_point(line, &points[count])) {
         modelled |= points[count++].modelled;
      }
   }
   fprintf(file, "<h2>Parallel chains and occupancy</h2>\n<p class=\"soft\">%s</p>\n<div class=\"plots\">\n",
           modelled ? "Occupancy set by threadgroup memory. " RESULT_VIRTUAL_NOTE "."
                    : "Occupancy set by threadgroup memory.");
   for (size_t i = 0; drawn && i < count; i++) {
      size_t first = 0;

      while (!same_plot(&points[first], &points[i])) {
         first++;
      }
      drawn = first != i || plot(points, count, &points[i], file);
   }
   fputs(drawn ? "</div>\n" : "</div>\n<p class=\"soft\">No plots: gnuplot is not installed.</p>\n", file);
   free(copy);
   free(points);
   return 0;
}
