/* SPDX-License-Identifier: MIT
 *
 * The host's clock, the only one that the driver reads. Invariant: it never runs backwards (CLOCK_MONOTONIC, as the
 * kernel's fences and deadlines have it).
 */
#ifndef VGPU_HOST_CLOCK_H
#define VGPU_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds. */
static inline uint64_t vgpu_host_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
