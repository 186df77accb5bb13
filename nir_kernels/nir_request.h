/* SPDX-License-Identifier: MIT
 *
 * Benchmarks in NIR, whose builders are in agx-compile. A program with the compiler inside builds them itself
 * (nir_build.c); any other program asks agx-compile by the benchmark's name (nir_request.c). A program links one of the
 * two.
 */
#ifndef NIR_KERNELS_NIR_REQUEST_H
#define NIR_KERNELS_NIR_REQUEST_H

#include "nir_kernels/benchmark.h"

/* Returns what compiler_opencl() returns. */
int bench_nir_compile(const struct benchmark *benchmark, const struct bench_variant *variant,
                      const struct compiler_options *options, struct compiler_result *result);

/* The NIR for people to read; free() it. NULL: out of memory, or there is no compiler. */
char *bench_nir_text(const struct benchmark *benchmark, const struct bench_variant *variant);

/* ---- In agx-compile ---- */

/* The jobs of these requests (compiler/api/protocol.h), in the process of a compilation. */
int bench_nir_job(const void *data, size_t size, struct compiler_result *result);
int bench_nir_text_job(const void *data, size_t size, struct compiler_result *result);

#endif
