/* SPDX-License-Identifier: MIT
 *
 * A benchmark's kernel as its author wrote it, for people to read.
 */
#ifndef NIR_KERNELS_SOURCE_TEXT_H
#define NIR_KERNELS_SOURCE_TEXT_H

#include "nir_kernels/benchmark.h"

/* An OpenCL C file, built in (embed_text.py). */
struct bench_file {
   const char *name, *text;
};
extern const struct bench_file bench_files[];
extern const size_t bench_file_count;

/* "OpenCL C", "AGX assembly" or "NIR". */
const char *bench_source_language(const struct benchmark *benchmark);

/* OpenCL C: the kernel, or of a chain (source.clh) the definition of its steps. NIR and assembly: the whole kernel,
 * with one operation in its loop. Lines, each ended by a newline; free() it. NULL: out of memory, or it does not build.
 */
char *bench_source_text(const struct benchmark *benchmark);

#endif
