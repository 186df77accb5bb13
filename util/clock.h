/* SPDX-License-Identifier: MIT
 *
 * The host's clock, for all of agx_runner. Invariant: it never runs backwards (CLOCK_MONOTONIC).
 */
#ifndef HOST_CLOCK_H
#define HOST_CLOCK_H

#include <time.h>

static inline double host_clock_ns(void)
{
   struct timespec now;

   clock_gettime(CLOCK_MONOTONIC, &now);
   return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double host_clock_seconds(void)
{
   return host_clock_ns() * 1e-9;
}

#endif
