/* SPDX-License-Identifier: MIT
 *
 * The catalogue's parts, one file each.
 */
#ifndef NIR_KERNELS_GROUPS_H
#define NIR_KERNELS_GROUPS_H

#include "nir_kernels/benchmark.h"

struct bench_group {
   const struct benchmark *benchmarks;
   size_t count;
};

#define BENCH_GROUP(array)                                                                                             \
   {                                                                                                                   \
      array, sizeof(array) / sizeof(array[0])                                                                          \
   }

extern const struct bench_group bench_float, bench_int, bench_simd, bench_atomic, bench_example;

#endif
