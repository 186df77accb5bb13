/* SPDX-License-Identifier: MIT
 *
 * Seeded random numbers: splitmix64 (Vigna, public domain). The same seed gives the same numbers everywhere.
 */
#ifndef UTIL_RANDOM_H
#define UTIL_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Any seed is as good as another one. */
struct util_random {
   uint64_t state;
};

static inline uint64_t util_random_next(struct util_random *random)
{
   uint64_t z = random->state += 0x9e3779b97f4a7c15u;

   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
   z = (z ^ z >> 27) * 0x94d049bb133111ebu;
   return z ^ z >> 31;
}

/* 0..bound-1. The bias is below bound / 2^32: of no account for shuffles, resampling and made-up programs. */
static inline uint32_t util_random_below(struct util_random *random, uint32_t bound)
{
   return (uint32_t)((util_random_next(random) >> 32) * bound >> 32);
}

/* 0 <= x < 1 */
static inline double util_random_unit(struct util_random *random)
{
   return (double)(util_random_next(random) >> 11) * 0x1p-53;
}

/* True in `percent` of 100 cases. */
static inline bool util_random_chance(struct util_random *random, uint32_t percent)
{
   return util_random_below(random, 100) < percent;
}

#endif
