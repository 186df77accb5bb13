/* SPDX-License-Identifier: MIT
 *
 * Clocks of the host. Invariant: the time that passes, util_clock_ns() and its seconds, never runs backwards
 * (CLOCK_MONOTONIC, as the kernel's fences and deadlines have it).
 */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock of clock_gettime(). These clocks exist on every Linux: there is no error. */
static inline uint64_t util_clock_of(clockid_t clock)
{
   struct timespec now = {0};
   clock_gettime(clock, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nanoseconds since some start. */
static inline uint64_t util_clock_ns(void)
{
   return util_clock_of(CLOCK_MONOTONIC);
}

static inline double util_clock_seconds(void)
{
   return (double)util_clock_ns() * 1e-9;
}

/* Nanoseconds of processor time that this thread has used. */
static inline uint64_t util_clock_thread_ns(void)
{
   return util_clock_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
