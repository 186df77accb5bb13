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

extern const struct bench_group bench_float, bench_float_unary, bench_float_source;
extern const struct bench_group bench_int, bench_int_more, bench_int_source;
extern const struct bench_group bench_listed, bench_control, bench_simd, bench_simd_reduce, bench_cross_agx;
extern const struct bench_group bench_residency, bench_precision, bench_shuffle_check, bench_lane_check,
    bench_quad_scan;
extern const struct bench_group bench_atomic64, bench_atomic64_emulated, bench_atomic_folded;
extern const struct bench_group bench_atomic, bench_atomic_agx, bench_example;

#endif
