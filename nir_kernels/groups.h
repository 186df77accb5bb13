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

/* clang-format off */
/* All groups, in the order that they are listed and run. A new group is its file (which meson.build names) and a line here.
 * true: all of it is measured when nobody says what to measure. */
#define BENCH_GROUPS(GROUP) \
   GROUP(float, true) \
   GROUP(float_unary, false) \
   GROUP(float_source, false) \
   GROUP(int, true) \
   GROUP(int_more, false) \
   GROUP(int_source, false) \
   GROUP(simd, true) \
   GROUP(simd_reduce, false) \
   GROUP(listed, false) \
   GROUP(control, false) \
   GROUP(cross_agx, false) \
   GROUP(shuffle_check, false) \
   GROUP(lane_check, false) \
   GROUP(quad_scan, false) \
   GROUP(atomic, true) \
   GROUP(atomic_agx, false) \
   GROUP(atomic_folded, false) \
   GROUP(atomic64, false) \
   GROUP(atomic64_emulated, false) \
   GROUP(residency, false) \
   GROUP(precision, false) \
   GROUP(example, true)
/* clang-format on */

#define BENCH_DECLARE(name, brief) extern const struct bench_group bench_##name;
BENCH_GROUPS(BENCH_DECLARE)
#undef BENCH_DECLARE

#endif
