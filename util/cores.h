/* SPDX-License-Identifier: MIT
 *
 * The processors of the host.
 */
#ifndef UTIL_CORES_H
#define UTIL_CORES_H

#include <sched.h>

/* The processors that this process may use. */
static inline unsigned util_cores(void)
{
   cpu_set_t set;
   return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

#endif
