/* SPDX-License-Identifier: MIT
 *
 * atomic/umax64-*, umin64-*: extremes of 64-bit words, as a software rasteriser needs them: the depth in the upper 32
 * bits, what lies there in the lower. atomic64.c has the M2 family's instruction, atomic64_emulated.c what every chip
 * can do instead.
 */
#ifndef NIR_KERNELS_ATOMIC64_H
#define NIR_KERNELS_ATOMIC64_H

#include "nir_kernels/benchmark.h"

struct atomic64 {
   bool lowest;     /* umin64 */
   uint32_t pixels; /* that all threads share; 0: each its own */
   bool behind;     /* the pixels start with a value that no operation improves */
};

#define ATOMIC64_FEW 16

static inline uint32_t atomic64_hash(uint32_t x)
{
   x = (x ^ x >> 16) * 0x7feb352du;
   x = (x ^ x >> 15) * 0x846ca68bu;
   return x ^ x >> 16;
}

static inline uint32_t atomic64_pixel(const struct atomic64 *atomic, uint32_t thread)
{
   return atomic->pixels == 0 ? thread : atomic64_hash(thread) % atomic->pixels;
}

static inline uint64_t atomic64_better(const struct atomic64 *atomic, uint64_t a, uint64_t b)
{
   return (a < b) == atomic->lowest ? a : b;
}

#endif
