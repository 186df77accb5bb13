/* SPDX-License-Identifier: MIT
 *
 * The table of the formats of a run's results: all are renderings of struct result_run.
 */
#include "agx_runner/report/formats.h"

#include <errno.h>

#include "agx_runner/report/report.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/terminal.h"
#include "util/array.h"

static int write_text(const struct result_run *run, FILE *file)
{
   result_write_text(run, terminal_wants_colour(fileno(file)), file);
   return 0;
}

static int write_html(const struct result_run *run, FILE *file)
{
   return report_write(run, &(const struct report_extras){0}, file);
}

static const struct run_format {
   struct output_offer offer;
   int (*write)(const struct result_run *run, FILE *file);
} formats[] = {
    {{FORMAT_TEXT, NULL}, write_text},
    {{FORMAT_JSON, NULL}, result_write_json},
    {{FORMAT_CSV, "a row for each result"}, result_write_csv},
    {{FORMAT_CSV_SAMPLES, "a row for each sample"}, result_write_csv_samples},
    {{FORMAT_JUNIT, NULL}, result_write_junit},
    {{FORMAT_TAP, NULL}, result_write_tap},
    {{FORMAT_MARKDOWN, NULL}, result_write_markdown},
    {{FORMAT_HTML, NULL}, write_html},
};
const struct output_formats run_formats = OUTPUT_FORMATS(formats, offer);

int run_write(const struct result_run *run, enum output_format format, FILE *file)
{
   for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
      if (formats[i].offer.format == format) {
         return formats[i].write(run, file);
      }
   }
   return -EINVAL;
}
