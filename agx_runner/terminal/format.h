/* SPDX-License-Identifier: MIT
 *
 * The formats that commands write. Each command offers some of them: a table with a row for each, of which the format
 * is the first member, and a renderer of the command's model another one.
 */
#ifndef AGX_RUNNER_FORMAT_H
#define AGX_RUNNER_FORMAT_H

#include <stddef.h>

enum output_format {
   FORMAT_TEXT,
   FORMAT_JSON,
   FORMAT_MARKDOWN,
   FORMAT_HTML,
   FORMAT_CSV,
   FORMAT_CSV_SAMPLES, /* a row for each sample */
   FORMAT_JUNIT,
   FORMAT_TAP,
   FORMAT_SUMMARY, /* of piglit: counts, and what failed */
   FORMAT_PIGLIT,  /* of piglit: what Piglit's own tester prints */
   FORMATS
};
extern const char *const output_format_names[FORMATS];

struct output_offer {
   enum output_format format;
   const char *remark; /* for --help; NULL: none */
};

/* The offers of a command: the first members of `count` rows of `stride` bytes. */
struct output_formats {
   const struct output_offer *first;
   size_t count, stride;
};
#define OUTPUT_FORMATS(table, offer)                                                                                   \
   {                                                                                                                   \
      &(table)[0].offer, sizeof(table) / sizeof((table)[0]), sizeof((table)[0])                                        \
   }

/* NULL: the index is behind the last one. */
const struct output_offer *output_offer_at(const struct output_formats *formats, size_t index);

#endif
