/* SPDX-License-Identifier: MIT
 *
 * Names of formats, and the offers in a command's table.
 */
#include "agx_runner/terminal/format.h"

const char *const output_format_names[FORMATS] = {
    [FORMAT_TEXT] = "text",     [FORMAT_JSON] = "json", [FORMAT_MARKDOWN] = "markdown",
    [FORMAT_HTML] = "html",     [FORMAT_CSV] = "csv",   [FORMAT_CSV_SAMPLES] = "csv-samples",
    [FORMAT_JUNIT] = "junit",   [FORMAT_TAP] = "tap",   [FORMAT_SUMMARY] = "summary",
    [FORMAT_PIGLIT] = "piglit",
};

const struct output_offer *output_offer_at(const struct output_formats *formats, size_t index)
{
   return index < formats->count
              ? (const struct output_offer *)(const void *)((const char *)formats->first + index * formats->stride)
              : NULL;
}
