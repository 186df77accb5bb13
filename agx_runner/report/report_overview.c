/* SPDX-License-Identifier: MIT
 *
 * All figures against the published ones, as a picture. Invariant: each row with a published figure is one dot, whose
 * height is its difference; a difference that leaves the picture stands at its edge. The caption of a virtual device's
 * picture says that its figures are modelled.
 */
#include "agx_runner/report/report.h"

#include <math.h>
#include <stdlib.h>

#include "agx_runner/terminal/markup.h"
#include "util/array.h"

#define WIDTH 480.0
#define HEIGHT 200.0
#define LEFT 56.0 /* of the vertical axis */
#define BOTTOM 24.0
#define RANGE 30.0 /* percent above and below the published figure */
#define CLOSE 5.0  /* percent: as near as the summary counts */

static bool is_shown(const struct result *result)
{
   return result->value > 0 && result->reference > 0 && result->reference_qualifier[0] == '\0';
}

static double height_of(double percent)
{
   const double shown = percent > RANGE ? RANGE : percent < -RANGE ? -RANGE : percent;

   return (HEIGHT - BOTTOM) / 2 * (1 - shown / RANGE * 0.94);
}

/* Decades that hold all published figures: *low to *high. The number of rows. */
static size_t find_decades(const struct result_run *run, int *low, int *high)
{
   size_t count = 0;

   for (size_t i = 0; i < run->count; i++) {
      if (is_shown(&run->results[i])) {
         const double decade = log10(run->results[i].reference);
         const int below = (int)floor(decade), above = (int)ceil(decade);

         *low = count == 0 || below < *low ? below : *low;
         *high = count == 0 || above > *high ? above : *high;
         count++;
      }
   }
   *high = *high > *low ? *high : *low + 1;
   return count;
}

static void write_axes(int low, int high, FILE *file)
{
   static const int lines[] = {-20, -5, 0, 5, 20};

   for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
      const double y = height_of(lines[i]);

      fprintf(file,
              "<line class=\"%s\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>"
              "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%d&#160;%%</text>\n",
              lines[i] == 0 ? "zero" : "grid", LEFT, WIDTH, y, y, LEFT - 4, y + 4, lines[i]);
   }
   for (int decade = low; decade <= high; decade++) {
      const double x = LEFT + (WIDTH - LEFT - 16) * (decade - low) / (high - low);

      fprintf(file, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%g</text>\n", x, HEIGHT - 6,
              decade == high ? "end" : "start", pow(10, decade));
   }
}

void report_overview(const struct result_run *run, FILE *file)
{
   int low = 0, high = 0;

   if (find_decades(run, &low, &high) == 0) {
      return;
   }
   fprintf(file,
           "<figure class=\"overview\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"difference of each "
           "figure from the published one\">\n",
           WIDTH, HEIGHT);
   write_axes(low, high, file);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (is_shown(result)) {
         const double percent = (result->value / result->reference - 1) * 100;
         const double x = LEFT + (WIDTH - LEFT - 16) * (log10(result->reference) - low) / (high - low);

         const bool alike = reference_is_alike(result->likeness);

         fprintf(file, "<circle class=\"%s\" data-difference=\"%.9g\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
                 !alike                   ? "other"
                 : fabs(percent) <= CLOSE ? "close"
                                          : "far",
                 percent, x + 4, height_of(percent));
         markup_xml(result->name, file);
         fprintf(file, ": %.4g, published %.4g%s (%+.1f %%)</title></circle>\n", result->value, result->reference,
                 alike ? "" : " of other code", percent);
      }
   }
   fprintf(
       file,
       "</svg><figcaption>Difference from the published figure (up), by the published figure in its row's unit "
       "(right). A dot at the edge is further away. Grey: the published figure is of other code, and need not agree.%s"
       "</figcaption></figure>\n",
       run->device.is_virtual ? " " RESULT_VIRTUAL_NOTE "." : "");
}
