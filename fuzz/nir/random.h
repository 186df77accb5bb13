/* SPDX-License-Identifier: MIT
 *
 * Random numbers of the program generator: splitmix64 (Vigna, public domain). A seed gives the same numbers everywhere.
 */
#ifndef COMPILER_FUZZ_RANDOM_H
#define COMPILER_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct fuzz_random {
   uint64_t state;
};

static inline uint64_t fuzz_next(struct fuzz_random *random)
{
   uint64_t z = random->state += 0x9e3779b97f4a7c15u;

   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
   z = (z ^ z >> 27) * 0x94d049bb133111ebu;
   return z ^ z >> 31;
}

/* 0..bound-1 */
static inline uint32_t fuzz_below(struct fuzz_random *random, uint32_t bound)
{
   return (uint32_t)((fuzz_next(random) >> 32) * bound >> 32);
}

/* True in `percent` of 100 cases. */
static inline bool fuzz_chance(struct fuzz_random *random, uint32_t percent)
{
   return fuzz_below(random, 100) < percent;
}

#endif
