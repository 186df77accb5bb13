/* SPDX-License-Identifier: MIT
 *
 * Seeded random numbers: splitmix64 (Vigna, public domain). The same seed gives the same numbers everywhere.
 */
#ifndef AGX_RUNNER_RANDOM_H
#define AGX_RUNNER_RANDOM_H

#include <stdint.h>

struct random {
   uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
   uint64_t z = random->state += 0x9e3779b97f4a7c15u;

   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
   z = (z ^ z >> 27) * 0x94d049bb133111ebu;
   return z ^ z >> 31;
}

/* 0..bound-1. The bias is below bound / 2^32: of no account for shuffles and resampling. */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
   return (uint32_t)((random_next(random) >> 32) * bound >> 32);
}

/* 0 <= x < 1 */
static inline double random_unit(struct random *random)
{
   return (double)(random_next(random) >> 11) * 0x1p-53;
}

#endif
