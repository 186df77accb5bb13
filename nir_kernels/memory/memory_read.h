/* SPDX-License-Identifier: MIT
 *
 * Loads by whole cores: the words a cycle that a core reads, by the bytes that it goes around in, and by the distance
 * from lane to lane. `sweep memory` and `sweep bandwidth` make such benchmarks of any size; the catalogue has some.
 */
#ifndef NIR_KERNELS_MEMORY_READ_H
#define NIR_KERNELS_MEMORY_READ_H

#include "nir_kernels/benchmark.h"

#define MEMORY_READ_GROUP 512u                    /* threads of a core */
#define MEMORY_READ_UNIT (MEMORY_READ_GROUP * 4u) /* bytes: a word for each thread */
#define MEMORY_READ_LOADS 64u                     /* of a turn */
#define MEMORY_READ_STRIDE_MAX 64u                /* words */

struct memory_read {
   /* Bytes that each core reads again and again: 1, 2, 3, 4, 7, 8, 16, 32, or a multiple of 64 times MEMORY_READ_UNIT.
    * 0: with a stride. With 3 or 7, one of the loads of a turn finds what the one before it found. */
   uint32_t region;
   uint32_t stride; /* words from lane to lane; all simdgroups read the same addresses, and region is 0 */
};

/* One threadgroup for each of `cores` cores. It goes around its region in whole laps, but for 3 and 7. `name` and
 * `read` must outlive the benchmark. */
struct benchmark memory_read_benchmark(const char *name, uint32_t cores, const struct memory_read *read);

#endif
