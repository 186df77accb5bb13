/* SPDX-License-Identifier: MIT
 *
 * The curves that the run's rows are points of: the drawings of sweep bandwidth, atomics and launch.
 */
#include <stdlib.h>

#include "agx_runner/measure/ilp/sweep.h"
#include "agx_runner/report/report.h"
#include "agx_runner/report/report_plots.h"
#include "agx_runner/sweep/sweep_series.h"

void report_series(const struct result_run *run, FILE *file)
{
   const unsigned panels = sweep_series_panels(run);
   char *text = NULL, caption[80];
   size_t length;

   if (panels == 0) {
      return;
   }
   fputs("<h2>Curves</h2>\n", file);
   FILE *script = report_plot_start(&text, &length, 400 * (panels < 3 ? panels : 3), 60 + 340 * ((panels + 2) / 3));
   if (script == NULL) {
      return;
   }
   sweep_series_script(run, script);
   snprintf(caption, sizeof(caption), "Curves of benchmarks, by %s figures", sweep_kind_name(run->device.is_virtual));
   if (!report_plot_finish(script, &text, &length, caption, file)) {
      fputs("<p class=\"soft\">No plots: gnuplot is not installed.</p>\n", file);
   }
}
