/* SPDX-License-Identifier: MIT
 *
 * Chooses the writer for a format.
 */
#include "agx_runner/results/result.h"

#include <errno.h>

#include "util/array.h"

const char *const result_format_names[] = {
    [RESULT_FORMAT_TEXT] = "text",
    [RESULT_FORMAT_JSON] = "json",
    [RESULT_FORMAT_CSV] = "csv",
    [RESULT_FORMAT_CSV_SAMPLES] = "csv-samples",
    [RESULT_FORMAT_JUNIT] = "junit",
    [RESULT_FORMAT_TAP] = "tap",
    [RESULT_FORMAT_MARKDOWN] = "markdown",
    [RESULT_FORMAT_HTML] = "html",
    NULL,
};

static void (*const writers[])(const struct result_run *run, FILE *file) = {
    [RESULT_FORMAT_CSV] = result_write_csv,           [RESULT_FORMAT_CSV_SAMPLES] = result_write_csv_samples,
    [RESULT_FORMAT_JUNIT] = result_write_junit,       [RESULT_FORMAT_TAP] = result_write_tap,
    [RESULT_FORMAT_MARKDOWN] = result_write_markdown,
};

int result_write(const struct result_run *run, enum result_format format, bool colour, FILE *file)
{
   if (format == RESULT_FORMAT_TEXT) {
      result_write_text(run, colour, file);
   } else if (format == RESULT_FORMAT_JSON) {
      return result_write_json(run, file);
   } else if (format < ARRAY_COUNT(writers) && writers[format] != NULL) {
      writers[format](run, file);
   } else {
      return -EINVAL;
   }
   return 0;
}
