/* SPDX-License-Identifier: MIT
 *
 * The sources from which this program was built: sources.py writes the table.
 */
#ifndef AGX_RUNNER_SOURCES_H
#define AGX_RUNNER_SOURCES_H

#include <stdint.h>

struct benchmark;

struct source_file {
   const char *name; /* in nir_kernels/ */
   const char *text;
};
extern const struct source_file source_files[];
extern const unsigned source_file_count;

/* NULL: none. A name without an ending is OpenCL C's. */
const struct source_file *source_file_find(const char *name);
/* XXH3 of the files that a benchmark's kernel stands in, and of what its OpenCL C includes; 0: none is known. */
uint64_t source_hash(const struct benchmark *benchmark);

/* The same of two files (NULL: none) of any table. */
struct source_table {
   const struct source_file *files;
   unsigned count;
};
uint64_t source_hash_in(const struct source_table *table, const char *const names[2]);

#endif
