/* SPDX-License-Identifier: MIT
 *
 * A group of benchmarks, and the declarations of all groups. Each group is one file; nir_kernels/meson.build lists
 * them.
 */
#ifndef NIR_KERNELS_GROUPS_H
#define NIR_KERNELS_GROUPS_H

#include "nir_kernels/benchmark.h"
#include "nir_kernels/group_list.h"
#include "util/array.h"

struct bench_group {
   const struct benchmark *benchmarks;
   size_t count;
};

#define BENCH_GROUP(array)                                                                                             \
   {                                                                                                                   \
      array, ARRAY_COUNT(array)                                                                                        \
   }

#define BENCH_DECLARE(name, brief) extern const struct bench_group bench_##name;
BENCH_GROUPS(BENCH_DECLARE)
#undef BENCH_DECLARE

#endif
